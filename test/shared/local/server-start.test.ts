import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CertificateAuthority } from '../../../shared/ca/authority.ts';
import { deployEnvironment } from '../../../shared/jobs/deploy.ts';
import { type LocalServer, startLocalServer } from '../../../shared/local/local-server.ts';
import { readLocalOptions } from '../../../shared/local/options.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../shared/store/embedded/stores.ts';

let folder: string;
let example: string;
let own: string;
/** A second opener of the data directory, as a command is. */
let stores: EmbeddedStores;
let lines: string[];
let server: LocalServer | null;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-start-'));
  example = join(folder, 'example');
  own = join(folder, 'own');
  stores = openEmbeddedStores(join(folder, 'data'));
  await CertificateAuthority.open(stores.documents, stores.clock, { name: 'x', autosign: true, keyBits: 2048 });
  write(example, 'production', '# example');
  lines = [];
  server = null;
}, 60_000);
afterEach(async () => {
  await server?.stop();
  stores.close();
  rmSync(folder, { recursive: true });
});

function write(repo: string, environment: string, text: string): void {
  const file = join(repo, 'environments', environment, 'manifests/site.pp');
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

async function start(...args: readonly string[]): Promise<void> {
  const flags = ['--data', join(folder, 'data'), '--port', '0', '--autosign', ...args];
  server = await startLocalServer(readLocalOptions(flags, { controlRepo: example, workers: 1 }), {
    hostname: 'localhost',
    uid: process.getuid?.() ?? 0,
    workerModule: new URL('../../helpers/stuck-worker.ts', import.meta.url),
    print: (text) => lines.push(...text.split('\n')),
  });
}

async function deployOwn(...environments: readonly string[]): Promise<void> {
  for (const environment of environments) {
    write(own, environment, `# own ${environment}`);
    await deployEnvironment(stores, own, environment, 'command line');
  }
}

/** What is printed, from the first of these words on. */
const printed = (...words: readonly string[]) =>
  lines.flatMap((line) => words.flatMap((word) => (line.includes(word) ? [line.slice(line.indexOf(word))] : [])));

describe('a lock that a process left behind when it was killed', () => {
  it.each([{ by: 0.5 }, { by: 0.5, holder: 'earlier-boot pid:[1] 1 1' }])(
    'keeps neither the port closed nor a deploy from its work: %j',
    async (holder) => {
      await deployOwn('production');
      const until = stores.clock.now() + 14 * 60_000;
      await stores.documents.put('code-work', 'pruning', { until, ...holder });
      await stores.documents.put('code-work', 'upload-1', { until, ...holder });
      write(own, 'production', '# changed');
      const before = stores.clock.now();
      await start('--control-repo', own);
      await expect.poll(() => printed('deployed production'), { timeout: 10_000 }).toHaveLength(1);
      expect(stores.clock.now() - before).toBeLessThan(15_000);
    },
    60_000,
  );

  it('of a command that is still at work is respected, and the server serves meanwhile', async () => {
    await deployOwn('production');
    const held = { until: stores.clock.now() + 3000, by: 0.5, holder: stores.processes?.self ?? '' };
    await stores.documents.put('code-work', 'pruning', held);
    write(own, 'production', '# changed');
    await start('--control-repo', own);
    expect(printed('Understudy listens', 'deployed production')).toEqual([
      expect.stringMatching(/^Understudy listens on https:\/\/localhost:\d+/),
    ]);
    expect((await stores.environments.get('production'))?.by).toBe('command line');
    await expect.poll(() => printed('deployed production'), { timeout: 10_000 }).toHaveLength(1);
    expect(stores.clock.now()).toBeGreaterThanOrEqual(held.until);
  }, 60_000);
});
