/**
 * Agents of OpenVox against `npm start` at the levels of both lines, from checkouts that the
 * developer names: `TEST_LIVE=openvox OPENVOX_CHECKOUTS=/src/openvox-8:/src/openvox-9 npx vitest
 * run test/e2e/openvox-agents.test.ts`. In CI their recorded requests are replayed.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import { LEVELS } from '../../shared/puppet/levels/language.ts';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { EditableControlRepo, exporterManifest } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import { createSourceRunner } from './puppet-process.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const isAsked = process.env.TEST_LIVE === 'openvox';
const CHECKOUTS = (process.env.OPENVOX_CHECKOUTS ?? '').split(':').filter((one) => one !== '');
const FACTS = { tier: 'silver', web_port: '8080' };
/** The agent calls the function, which came with its plugins, before it applies or when it does. */
const LATER = `Puppet::Functions.create_function(:'profile::later') do
  def later(text)
    text.upcase
  end
end
`;
const NOTICES = `file { "\${facts['e2e_root']}/later": content => Deferred('profile::later', ['later']) }
  file { "\${facts['e2e_root']}/secret": content => Sensitive('a secret text'), mode => '0600' }
  filebucket { 'central': path => false, server => 'localhost', port => Integer($facts['bucket_port']) }
  file { "\${facts['e2e_root']}/bucketed": content => "new\n", backup => 'central' }`;
const REPLACED = 'what was there before\n';

const CONSOLE = ['--verbose', '--logdest', 'console', '--server', 'localhost', '--color', 'false'];

/** Facter prints which files of the machine it may not read. */
function findErrors(output: string): readonly string[] {
  return output.split('\n').filter((line) => line.startsWith('Error: ') && !line.startsWith('Error: Facter: '));
}

function readVersion(checkout: string): string {
  const text = readFileSync(join(checkout, 'lib/puppet/version.rb'), 'utf8');
  return /PUPPETVERSION = ['"]([^'"]+)/.exec(text)?.[1] ?? '';
}

it.skipIf(!isAsked)('OPENVOX_CHECKOUTS names folders of OpenVox', () => {
  expect(CHECKOUTS).not.toEqual([]);
  for (const checkout of CHECKOUTS) expect(existsSync(join(checkout, 'lib/puppet/version.rb')), checkout).toBe(true);
});

const CASES = CHECKOUTS.flatMap((checkout) => LEVELS.slice(1).map((level) => [checkout, level] as const));

describe.skipIf(!isAsked).each(CASES)('an agent of %s and a server of %s', (checkout, level) => {
  const version = readVersion(checkout);
  const folder = mkdtempSync(join(tmpdir(), 'understudy-openvox-'));
  const data = join(folder, 'data');
  const repo = new EditableControlRepo(join(folder, 'control-repo'));
  const agent = new PuppetAgent('a.example.com', { run: createSourceRunner(checkout) });
  let stores: EmbeddedStores;
  let local: LocalProcess;
  const flags = ['--export-delay', '0', '--export-interval', '0', '--language', level];

  beforeAll(async () => {
    repo.write('site/profile/lib/puppet/functions/profile/later.rb', LATER);
    repo.write('site/role/manifests/exporter.pp', exporterManifest(NOTICES));
    stores = await openWithSmallAuthority(data);
    writeFileSync(join(agent.root, 'bucketed'), REPLACED);
    local = await LocalProcess.start({ data, controlRepo: repo.directory, flags });
  });

  afterAll(async () => {
    await local?.end('SIGTERM');
    stores?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const read = (name: string) => readFileSync(join(agent.root, name), 'utf8');
  const run = (...more: readonly string[]) =>
    agent.run(local.port, { ...FACTS, bucket_port: String(local.port) }, 0, more);
  const countCompiles = async () => (await stores.nodes.get('a.example.com'))?.compiles;

  it('gets a certificate, plugins and a catalog, applies it and reports', async () => {
    const { code, output } = await run();
    expect(output).toContain('Downloaded certificate for a.example.com from https://localhost:');
    expect(output).toMatch(/functions\/profile\/later\.rb\]\/ensure: defined content as/);
    expect(output).toContain('Notice: flavour: vanilla');
    expect(output).not.toContain('a secret text');
    expect([code, findErrors(output)]).toEqual([2, []]);
    expect([read('source'), read('later'), read('secret')]).toEqual([
      'a file from a module\n',
      'LATER',
      'a secret text',
    ]);
    const reports = await listReports(stores, { certname: 'a.example.com', limit: 10 });
    expect(reports).toMatchObject([{ status: 'changed', environment: 'production', puppetVersion: version }]);
  });

  it('is served from the store the second time, and asks whether CA and list have changed', async () => {
    const { code, output } = await run('--ca_refresh_interval', '0', '--crl_refresh_interval', '0');
    expect([code, findErrors(output)]).toEqual([2, []]);
    expect(await countCompiles()).toBe(1);
  });

  it('keeps what it replaced in its bucket on the server, which administrators of OpenVox 9 alone may read', async () => {
    const digest = createHash('sha256').update(REPLACED).digest('hex');
    expect(read('bucketed')).toBe('new\n');
    const remote = ['--remote', '--server', 'localhost'];
    const { output } = await agent.command(local.port, 'filebucket', 'get', digest, ...remote);
    if (level === 'openvox-9') expect(output).toContain('Error 403 on SERVER: Forbidden request: ');
    else expect(output).toContain(REPLACED);
  });

  it('uploads its facts', async () => {
    const { code, output } = await agent.command(local.port, 'facts', 'upload', '--server', 'localhost');
    expect([code, findErrors(output)]).toEqual([0, []]);
  });

  it('changes nothing with noop', async () => {
    repo.write('site/profile/templates/greeting.epp', '<%- | String $who | -%>\nHi, <%= $who %>.\n');
    await expect.poll(countCompiles).toBe(2);
    const { output } = await run('--noop');
    expect(output).toContain('+Hi, silver.');
    expect(read('greeting')).toBe('Hello, silver.\n');
    const { code } = await run();
    expect([code, read('greeting')]).toEqual([2, 'Hi, silver.\n']);
  });

  it('uses its cached catalog while the server is away, and renews its certificate when it is back', async () => {
    const { port } = local;
    await local.end('SIGTERM');
    // `--test` would use no cache.
    const { output } = await agent.command(port, 'agent', '--onetime', '--no-daemonize', ...CONSOLE);
    expect(output).toContain('Using cached catalog');
    local = await LocalProcess.start({ data, controlRepo: repo.directory, port, flags });
    const renewed = await agent.command(port, 'ssl', 'renew_cert', '--server', 'localhost');
    expect([renewed.code, renewed.output]).toEqual([
      0,
      expect.stringContaining("Downloaded certificate 'a.example.com' with fingerprint"),
    ]);
    const last = await run();
    expect([last.code, findErrors(last.output)]).toEqual([2, []]);
  });

  it('says what is wrong of an environment that is not there and of code that does not compile', async () => {
    const unknown = await run('--environment', 'nowhere');
    expect(unknown.output).toContain('nowhere');
    repo.write('site/role/manifests/exporter.pp', exporterManifest("fail('no such luck')"));
    await local.waitFor(/no such luck/);
    const { code, output } = await run();
    expect(output).toContain('no such luck');
    expect(code).toBe(1);
  });
});
