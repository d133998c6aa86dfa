import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));
const NODE = 'd.example.com';
const FACTS = { tier: 'silver' };
const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-catalogs-'));
const data = join(folder, 'data');
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const agent = new PuppetAgent(NODE);
const source = join(agent.root, 'source');
let stores: EmbeddedStores;
let local: LocalProcess;

function understudy(...args: readonly string[]): string {
  return execFileSync(process.execPath, [CLI, ...args, '--data', data], { encoding: 'utf8' });
}

const run = (facts: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
  agent.run(local.port, facts, 0, flags);

/** A run that may use the kept catalog; `--test` forbids that. */
const withCache = () =>
  agent.command(
    local.port,
    'agent',
    '--onetime',
    '--no-daemonize',
    '--verbose',
    '--server',
    'localhost',
    '--color',
    'false',
    '--usecacheonfailure',
  );

/** Edits the control repo, and waits until that is deployed. */
async function edit(path: string, text: string, environment = 'production'): Promise<void> {
  const from = local.lines.length;
  controlRepo.write(path, text);
  await local.waitFor(new RegExp(` deployed ${environment}`), from);
}

describe.skipIf(!hasPuppet())("an unmodified agent's catalogs", () => {
  beforeAll(async () => {
    stores = await openWithSmallAuthority(data);
    local = await LocalProcess.start({ data, controlRepo: controlRepo.directory });
  });

  afterAll(async () => {
    await local?.end('SIGTERM');
    stores?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are static: the content of files comes by code id', async () => {
    const { code, output } = await run(FACTS);
    expect(code, output).toBe(2);
    expect(readFileSync(source, 'utf8')).toBe('a file from a module\n');
    const node = await stores.nodes.get(NODE);
    expect(node?.catalog?.static?.sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('that are kept get the very files that they were compiled with, after a later deploy', async () => {
    await edit('site/profile/files/source.txt', 'a newer file\n');
    rmSync(source);
    const { output } = await run(FACTS, '--use_cached_catalog');
    expect(output).toContain("Using cached catalog from environment 'production'");
    expect(readFileSync(source, 'utf8')).toBe('a file from a module\n');
    await run(FACTS);
    expect(readFileSync(source, 'utf8')).toBe('a newer file\n');
  });

  it('change nothing with --noop', async () => {
    await edit('site/profile/files/source.txt', 'the newest file\n');
    const { output } = await run(FACTS, '--noop');
    expect(output).toMatch(
      /File\[.*\/source\]\/content: current_value '\{sha256\}\w+', should be '\{sha256\}\w+' \(noop\)/,
    );
    expect(readFileSync(source, 'utf8')).toBe('a newer file\n');
    const report = execFileSync(process.execPath, [CLI, 'report', 'show', NODE, '--format', 'json', '--data', data], {
      encoding: 'utf8',
    });
    expect(JSON.parse(report)).toMatchObject({ host: NODE, noop: true });
  });

  it('are those of the environment and with the classes that the node is classified into', async () => {
    const from = local.lines.length;
    const manifest = `class extra(String $word) { notify { "\${word} \${greeting}": } }`;
    controlRepo.write('../staging/manifests/site.pp', manifest);
    await local.waitFor(/ deployed staging/, from);
    const enc = join(folder, 'enc.yaml');
    writeFileSync(
      enc,
      'classes: { extra: { word: hello } }\nparameters: { greeting: from the classifier }\nenvironment: staging\n',
    );
    expect(understudy('node', 'classify', NODE, '--file', enc)).toBe(`${NODE} classification changed\n`);
    const { output } = await run(FACTS);
    expect(output).toMatch(/Local environment: 'production' doesn't match server specified environment 'staging'/);
    expect(output).toContain('Notice: hello from the classifier');
    expect(understudy('node', 'unclassify', NODE)).toBe(`${NODE} classification changed\n`);
    const back = await run(FACTS);
    expect(back.output).toContain('Notice: motto: common motto');
    expect(back.output).not.toContain('hello from the classifier');
  });

  it('are the kept ones when the server says 503, or 500, and usecacheonfailure is on', async () => {
    understudy('policy', 'set', '--node', NODE, '--freshness', 'retry', '--retry-after', '1-1');
    const told = await withCache();
    expect(told.output).toContain("Using cached catalog from environment 'production'");
    expect(told.output).toContain('Notice: motto: common motto');
    understudy('policy', 'delete', '--node', NODE);
    await edit('manifests/site.pp', "fail('broken for now')\n");
    const failed = await run({ tier: 'gold' });
    expect(failed.output).toContain(
      'broken for now (file: /etc/puppetlabs/code/environments/production/manifests/site.pp, line: 1',
    );
    expect(failed.code).toBe(1);
    const kept = await withCache();
    expect(kept.output).toContain('broken for now');
    expect(kept.output).toContain("Using cached catalog from environment 'production'");
    expect(kept.output).toContain('Notice: motto: common motto');
  });
});
