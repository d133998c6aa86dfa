import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Command } from 'commander';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { NoSuchEnvironment } from '../../../shared/jobs/scan-environment.ts';
import { addCodeCommands, NoSuchNode } from '../../../shared/local/code-commands.ts';
import { openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';
import { StoreRefused } from '../../../shared/store/ports.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-code-'));
const data = join(folder, 'data');
beforeAll(() => {
  for (const environment of ['production', 'staging']) {
    const manifests = join(folder, 'environments', environment, 'manifests');
    mkdirSync(manifests, { recursive: true });
    writeFileSync(join(manifests, 'site.pp'), `# ${environment}`);
  }
});
afterAll(() => rmSync(folder, { recursive: true }));

async function run(...args: readonly string[]): Promise<string> {
  const printed: string[] = [];
  const program = new Command().exitOverride();
  addCodeCommands(program, async (text) => void printed.push(text), {});
  await program.parseAsync(args, { from: 'user' });
  return printed.join('');
}

it('deploys all environments, or those that are named', async () => {
  expect(await run('code', 'deploy', folder, '--data', data)).toMatch(
    /^production deployed: [0-9a-f]{64}, 1 files, 0 nodes touched\nstaging deployed: [0-9a-f]{64}, 1 files, 0 nodes touched\n$/,
  );
  expect(await run('code', 'deploy', folder, '--environment', 'staging', '--data', data)).toMatch(
    /^staging unchanged: [0-9a-f]{64}, 1 files, 0 nodes touched\n$/,
  );
  expect(await run('code', 'list', '--data', data)).toMatch(
    /^production [0-9a-f]{64} \S+Z command line\nstaging [0-9a-f]{64} \S+Z command line\n$/,
  );
});

it('shows a node', async () => {
  const stores = openEmbeddedStores(data);
  await stores.nodes.seen('a.example.com', 'production', 1000);
  stores.close();
  expect(JSON.parse(await run('node', 'show', 'a.example.com', '--data', data))).toMatchObject({
    certname: 'a.example.com',
    wanted: 0,
  });
});

it('names what is not there', async () => {
  await expect(run('node', 'show', 'nobody', '--data', data)).rejects.toThrow(new NoSuchNode('nobody'));
  await expect(run('code', 'deploy', folder, '--environment', 'none', '--data', data)).rejects.toThrow(
    NoSuchEnvironment,
  );
  await expect(run('code', 'list')).rejects.toThrow(
    new StoreRefused('neither --data nor UNDERSTUDY_NODES_TABLE says where the state is'),
  );
});
