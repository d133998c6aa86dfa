import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listReports } from '../../shared/fleet/reports/node-reports.ts';
import type { EmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { hasPuppet } from '../helpers/puppet.ts';
import { EditableControlRepo } from './control-repo.ts';
import { LocalProcess } from './local-process.ts';
import { PuppetAgent } from './puppet-agent.ts';
import type { PuppetRun } from './puppet-process.ts';
import { openWithSmallAuthority } from './small-authority.ts';

const CLI = fileURLToPath(new URL('../../functions/cli.ts', import.meta.url));
const NODE = 'variants.example.com';
const FACTS = { tier: 'silver' };
const folder = mkdtempSync(join(tmpdir(), 'understudy-e2e-variants-'));
const data = join(folder, 'data');
const controlRepo = new EditableControlRepo(join(folder, 'control-repo'));
const agent = new PuppetAgent(NODE);
let stores: EmbeddedStores;
let local: LocalProcess;

const run = (...flags: readonly string[]) => agent.run(local.port, FACTS, 0, flags);

/** A command beside `puppet agent`, that asks the server. */
function command(name: string, ...args: readonly string[]): Promise<PuppetRun> {
  return agent.command(local.port, name, ...args, '--server', 'localhost', '--color', 'false');
}

/** A free run without what `--test` implies. */
function onetime(...flags: readonly string[]): Promise<PuppetRun> {
  return command('agent', '--onetime', '--no-daemonize', '--verbose', '--detailed-exitcodes', ...flags);
}

async function compiles(): Promise<number> {
  return (await stores.nodes.get(NODE))?.compiles ?? 0;
}

async function lastReport() {
  const [report] = await listReports(stores, { certname: NODE, limit: 1 });
  return report;
}

function setPolicy(action: string, ...flags: readonly string[]): void {
  execFileSync(process.execPath, [CLI, 'policy', action, '--node', NODE, ...flags, '--data', data]);
}

/**
 * The agent of this release closes the connection of an answer with Retry-After before it has read
 * it; later ones do not.
 */
const MENDED_CLIENT = `require 'puppet'
require 'puppet/http'
keeps = false
Puppet::HTTP::RetryAfterHandler.prepend(Module.new do
  define_method(:retry_after_interval) do |request, response, retries|
    response.drain
    keeps = true
    super(request, response, retries)
  end
end)
Net::HTTP.prepend(Module.new do
  define_method(:finish) do
    keeps ? keeps = false : super()
  end
end)
`;

describe.skipIf(!hasPuppet())('variants of puppet agent and its companions', () => {
  beforeAll(async () => {
    controlRepo.write(
      'manifests/site.pp',
      `include profile::base
notify { 'tagged one': tag => 'first' }
notify { 'tagged two': tag => 'second' }
file { "\${facts['e2e_root']}/tagged": content => "tagged\\n", tag => 'first' }
`,
    );
    controlRepo.write('data/tiers/gold.yaml', '---\nprofile::base::motto: gold motto\n');
    controlRepo.write('../staging/manifests/site.pp', `notify { "in \${environment}": }\n`);
    controlRepo.write('../staging/modules/late/lib/facter/late.rb', "Facter.add(:late) { setcode { 'yes' } }\n");
    stores = await openWithSmallAuthority(data);
    local = await LocalProcess.start({ data, controlRepo: controlRepo.directory });
  });

  afterAll(async () => {
    await local?.end('SIGTERM');
    stores?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('--use_cached_catalog without a kept one gets a new one', async () => {
    const { code, output } = await run('--use_cached_catalog');
    expect(output).toContain('Notice: motto: common motto');
    expect(output).not.toContain('Using cached catalog');
    expect(code).toBe(2);
    rmSync(join(agent.root, 'tagged'));
  });

  it('--noop --tags tells of what has the tag, and changes nothing', async () => {
    const { output } = await run('--noop', '--tags', 'first');
    expect(output).toMatch(/File\[.*\/tagged\]\/ensure: current_value 'absent', should be 'file' \(noop\)/);
    expect(output).not.toContain('tagged two');
    expect(output).not.toContain('motto');
    expect(existsSync(join(agent.root, 'tagged'))).toBe(false);
    expect(await lastReport()).toMatchObject({ noop: true });
  });

  it('--tags and --skip_tags apply a part', async () => {
    const { output } = await run('--tags', 'first,second', '--skip_tags', 'second');
    expect(output).toContain('Notice: tagged one');
    expect(output).not.toContain('tagged two');
    expect(readFileSync(join(agent.root, 'tagged'), 'utf8')).toBe('tagged\n');
  });

  it('--use_cached_catalog with --noop and with --tags asks for no catalog, and reports', async () => {
    const before = await compiles();
    const noop = await run('--use_cached_catalog', '--noop');
    const tagged = await run('--use_cached_catalog', '--tags', 'second');
    for (const { output } of [noop, tagged])
      expect(output).toContain("Using cached catalog from environment 'production'");
    expect(tagged.output).toContain('Notice: tagged two');
    expect(tagged.output).not.toContain('tagged one');
    expect(await compiles()).toBe(before);
    expect(await lastReport()).toMatchObject({ noop: false, environment: 'production' });
  });

  it('--server_list takes the first that answers; ca_server and report_server may be named', async () => {
    const list = `localhost:1,localhost:${local.port}`;
    const { code, output } = await run('--debug', '--server_list', list);
    expect(output).toContain(`server from the \`server_list\` setting: localhost:${local.port}`);
    expect(output).toContain('Notice: motto: common motto');
    expect(code).toBe(2);
    const before = (await lastReport())?.receivedAt;
    const port = String(local.port);
    const named = [
      '--ca_server',
      'localhost',
      '--ca_port',
      port,
      '--report_server',
      'localhost',
      '--report_port',
      port,
    ];
    const other = new PuppetAgent('named.example.com');
    const first = await other.run(local.port, FACTS, 0, named);
    expect(first.output).toContain('Downloaded certificate for named.example.com');
    expect(first.code).toBe(2);
    expect((await lastReport())?.receivedAt).toBe(before);
    expect(await listReports(stores, { certname: 'named.example.com', limit: 2 })).toHaveLength(1);
  });

  it.each([
    '--preferred_serialization_format pson',
    '--preferred_serialization_format json --no-rich_data',
    '--no-static_catalogs --no-include_legacy_facts',
    '--digest_algorithm sha512 --no-pluginsync',
    '--no-report --http_keepalive_timeout 0',
  ])('%s', async (flags) => {
    rmSync(join(agent.root, 'source'), { force: true });
    const { code, output } = await run(...flags.split(' '));
    expect(output).toContain('Notice: motto: common motto');
    expect(output).not.toMatch(/^Error: (?!Facter)/m);
    expect(code).toBe(2);
    expect(readFileSync(join(agent.root, 'source'), 'utf8')).toBe('a file from a module\n');
  });

  it('--environment switches, with its plugins, and back', async () => {
    const there = await run('--environment', 'staging');
    expect(there.output).toContain('Notice: in staging');
    expect(there.output).toMatch(/facter\/late\.rb\]\/ensure: defined content/);
    expect(await lastReport()).toMatchObject({ environment: 'staging' });
    const kept = await run('--environment', 'staging', '--use_cached_catalog');
    expect(kept.output).toContain('Notice: in staging');
    const back = await run();
    expect(back.output).toContain('Notice: motto: common motto');
    expect(back.output).toMatch(/facter\/late\.rb\]\/ensure: removed/);
  });

  it('--environment of what is not deployed ends in the one that the server has', async () => {
    const { output } = await run('--environment', 'nosuch');
    expect(output).toContain("doesn't match server specified environment 'production'");
    expect(output).toContain('Notice: motto: common motto');
  });

  it('--no-usecacheonfailure fails where there would be a kept catalog', async () => {
    const from = local.lines.length;
    const good = readFileSync(join(controlRepo.directory, 'environments/production/manifests/site.pp'), 'utf8');
    controlRepo.write('manifests/site.pp', `${good}fail('broken for now')\n`);
    await local.waitFor(/ deployed production/, from);
    const strict = await onetime('--no-usecacheonfailure');
    expect(strict.output).toContain('broken for now');
    expect(strict.output).toContain('Error: Could not retrieve catalog; skipping run');
    expect(strict.code).toBe(1);
    const lenient = await onetime('--usecacheonfailure');
    expect(lenient.output).toContain("Using cached catalog from environment 'production'");
    expect(lenient.output).toContain('Notice: motto: common motto');
    const again = local.lines.length;
    controlRepo.write('manifests/site.pp', good);
    await local.waitFor(/ deployed production/, again);
    expect((await onetime()).output).toContain('Notice: motto: common motto');
  });

  it('comes back when it is told to (503 with Retry-After), where its client does', async () => {
    const mended = join(folder, 'mended.rb');
    writeFileSync(mended, MENDED_CLIENT);
    setPolicy('set', '--freshness', 'retry', '--retry-after', '2-2');
    const from = await compiles();
    const variables = { RUBYOPT: `-r${mended}` };
    const { code, output } = await agent.run(local.port, { tier: 'gold' }, 0, [], variables);
    expect(output).toContain('Warning: Sleeping for 2 seconds before retrying the request');
    expect(output).toContain('Notice: motto: gold motto');
    expect(code).toBe(2);
    expect(await compiles()).toBe(from + 1);
    setPolicy('delete');
    expect((await run()).output).toContain('Notice: motto: common motto');
  });

  it('puppet facts upload keeps the facts, with which the catalog is compiled', async () => {
    const uploaded = await command('facts', 'upload');
    expect([uploaded.code, uploaded.output]).toEqual([
      0,
      expect.stringContaining(`Uploading facts for '${NODE}' to 'localhost'`),
    ]);
    const found = await command('node', 'find', NODE, '--terminus', 'rest', '--render-as', 'json');
    expect(JSON.parse(found.output.slice(found.output.indexOf('{')))).toMatchObject({
      name: NODE,
      environment: 'production',
    });
  });

  it('puppet catalog download and find get the catalog', async () => {
    const downloaded = await command('catalog', 'download');
    expect([downloaded.code, downloaded.output]).toEqual([0, expect.stringContaining('Saved catalog')]);
    const [, kept = ''] = /Saved catalog for \S+ to (\S+)/.exec(downloaded.output) ?? [];
    expect(readFileSync(kept, 'utf8')).toContain('motto: common motto');
    const found = await command('catalog', 'find', NODE, '--terminus', 'rest', '--render-as', 'json');
    expect(JSON.parse(found.output.slice(found.output.indexOf('{')))).toMatchObject({ name: NODE });
  });

  it('puppet plugin download gets the plugins', async () => {
    rmSync(join(agent.folder, 'vardir/lib'), { recursive: true });
    const { code, output } = await command('plugin', 'download');
    expect([code, output]).toEqual([0, expect.stringContaining('e2e_flavour.rb')]);
    expect(existsSync(join(agent.folder, 'vardir/lib/facter/e2e_flavour.rb'))).toBe(true);
  });

  it('puppet filebucket compares what it put there; it may not list', async () => {
    const texts = ['one\ntwo\nthree\n', 'one\n2\nthree\nfour\n'];
    const digests: string[] = [];
    const files = texts.map((text, index) => {
      const file = join(folder, `bucket-${index}`);
      writeFileSync(file, text);
      return file;
    });
    for (const file of files) {
      const { output } = await command('filebucket', 'backup', '--remote', file);
      digests.push(/: ([0-9a-f]{64})$/m.exec(output)?.[1] ?? output);
    }
    const diff = '@@ -1,3 +1,4 @@\n one\n-two\n+2\n three\n+four\n';
    const [first = '', second = ''] = digests;
    const both = await command('filebucket', 'diff', '--remote', first, second);
    expect([both.code, both.output]).toEqual([0, expect.stringContaining(diff)]);
    const withFile = await command('filebucket', 'diff', '--remote', first, files[1] ?? '');
    expect([withFile.code, withFile.output]).toEqual([0, expect.stringContaining(diff)]);
    const listed = await command('filebucket', 'list', '--remote');
    expect(listed.output).toContain('Listing remote file buckets is not allowed');
    expect(listed.code).toBe(1);
    const gone = await command('filebucket', 'get', '--remote', '0'.repeat(64));
    expect([gone.code, gone.output]).toEqual([1, expect.stringContaining('Could not find file_bucket_file')]);
  });
});
