import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { removeEnvironment } from '../../shared/fleet/fan-out/remove-environment.ts';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const folder = mkdtempSync(join(tmpdir(), 'understudy-no-code-'));
const agent = new PuppetAgent('web01.example.com');
const written = join(agent.root, 'written');
const plugin = join(agent.folder, 'vardir/lib/facter/site_fact.rb');
const REFUSED =
  "Error: Could not retrieve catalog from remote server: Error 500 on SERVER: Server Error: Could not find environment 'production': it is not deployed on this server on node web01.example.com";

let stores: EmbeddedStores;
let local: LocalProcess;

function write(path: string, text: string): void {
  const file = join(folder, 'repo/environments/production', path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

describe.skipIf(!hasPuppet())('a server without code, and an agent that had some', () => {
  beforeAll(async () => {
    const data = join(folder, 'data');
    stores = await openWithSmallAuthority(data);
    write('manifests/site.pp', `file { '${written}': content => 'by the catalog' }`);
    write('modules/site/lib/facter/site_fact.rb', "Facter.add(:site_fact) { setcode { 'x' } }");
    await deployFolder(stores, join(folder, 'repo'), 'production', 'test');
    local = await LocalProcess.start({ data });
    const { code, output } = await agent.run(local.port);
    expect([code, existsSync(written), existsSync(plugin)], output).toEqual([2, true, true]);
    await removeEnvironment(stores, 'production');
  });
  afterAll(async () => {
    await local?.end('SIGTERM');
    stores?.close();
    rmSync(folder, { recursive: true });
  });

  const run = (...flags: readonly string[]) =>
    agent.command(
      local.port,
      'agent',
      '--server',
      'localhost',
      '--onetime',
      '--no-daemonize',
      '--verbose',
      '--color',
      'false',
      ...flags,
    );

  it.each([
    ['--no-usecacheonfailure', REFUSED],
    ['--no-usecacheonfailure --no-ignore_plugin_errors', REFUSED],
    ['--no-usecacheonfailure --strict_environment_mode', "Environment 'production' not found on server, aborting run."],
  ])('leaves its files and plugins alone, and says why: %s', async (flags, message) => {
    rmSync(written, { force: true });
    const { code, output } = await run(...flags.split(' '));
    expect(output).toContain(message);
    expect([code, existsSync(written), existsSync(plugin)], output).toEqual([1, false, true]);
  });

  it('goes on with its cached catalog where the agent does so on failures', async () => {
    const { output } = await run('--usecacheonfailure');
    expect(output).toContain(REFUSED);
    expect([readFileSync(written, 'utf8'), existsSync(plugin)], output).toEqual(['by the catalog', true]);
  });

  it('says so to an agent that it does not know', async () => {
    const { code, output } = await new PuppetAgent('new.example.com').run(local.port);
    expect(output).toContain(
      `Find /puppet/v3/catalog/new.example.com resulted in 404 with the message: {"message":"Not Found: Could not find environment 'production': no code is deployed on this server","issue_kind":"RUNTIME_ERROR"}`,
    );
    expect(code).toBe(1);
  });
});
