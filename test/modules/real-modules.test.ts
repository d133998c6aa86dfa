import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSame } from './expect-same.ts';
import { hasModules, writeControlRepo } from './installed-modules.ts';
import { compileHere, type NodeOutcome } from './judged-nodes.ts';
import { compiledWithPuppet, puppetAnswers } from './puppet-answers.ts';

const run = promisify(execFile);
const FACTS = join(import.meta.dirname, 'facts.json');
const CLI = join(import.meta.dirname, '..', '..', 'functions', 'cli.ts');

/**
 * Nodes over Debian's packaged modules, and how many resources their catalogs have at least; in the
 * order in which one real Puppet compiles them: providers of ironic need that others were loaded.
 */
const NODES: readonly (readonly [string, number, string])[] = [
  ['collectd', 30, 'include collectd\ninclude collectd::plugin::filter\n'],
  ['quotas', 30, 'include nova::quota\n'],
  ['magnum', 60, 'include magnum::clients\n'],
  ['libvirt', 40, 'include nova::compute::libvirt\n'],
  ['octavia', 30, 'include octavia::certificates\ninclude octavia::task_flow\n'],
  ['glance', 40, 'include glance::backend::cinder\n'],
  ['keystone', 40, 'include keystone::messaging::amqp\n'],
  ['ironic', 40, 'include ironic::drivers::pxe\ninclude ironic::drivers::redfish\n'],
  ['neutron', 35, 'include neutron::agents::l3\n'],
  ['swift', 20, 'include swift::proxy::s3api\n'],
  ['designate', 25, 'include designate::worker\n'],
  ['cinder', 25, 'include cinder::backup::swift\n'],
  [
    'mixed',
    40,
    `  include stdlib
  sysctl { 'net.ipv4.ip_forward': val => '1' }
  ini_setting { 'one': path => '/etc/one.ini', section => 'main', setting => 'a', value => 'b' }
  $ports = range(8000, 8010).map |$port| { "port-\${port}" }
  $ports.each |$index, $name| {
    notify { $name: message => sprintf('%03d of %d', $index, size($ports)), tag => ['web', $name] }
  }
  ensure_packages(['curl', 'jq'], { 'ensure' => 'latest' })
  create_resources('file', { '/tmp/a' => { 'mode' => '0600' }, '/tmp/b' => {} }, { 'ensure' => 'file', 'owner' => 'root' })
  $merged = deep_merge({ 'a' => { 'b' => 1 } }, { 'a' => { 'c' => [1, 2] } })
  file { '/tmp/merged': content => to_json($merged), require => Package['jq'] }
  include collectd
`,
  ],
];

/** The node that is also compiled and compared as an operator does it, by commands. */
const BY_COMMAND = 'mixed.example.com';

const answers = puppetAnswers('real-modules', import.meta.filename, 'compile-nodes.rb');
afterAll(() => answers.finish());

describe.skipIf(!hasModules())('nodes of packaged modules', () => {
  let repo: string;
  let ours: ReadonlyMap<string, NodeOutcome>;
  let real: ReadonlyMap<string, NodeOutcome>;

  beforeAll(async () => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-modules-'));
    writeControlRepo(repo, new Map(NODES.map(([name, , body]) => [`${name}.example.com`, body])));
    const facts = JSON.parse(readFileSync(FACTS, 'utf8')).values;
    const nodes = NODES.map(([name]) => ({ certname: `${name}.example.com`, facts }));
    const job = { codeDirectory: repo, strict: 'warning', nodes } as const;
    real = await compiledWithPuppet(job, answers);
    ours = compileHere(job);
  });

  afterAll(() => rmSync(repo, { recursive: true, force: true }));

  it.each(NODES)('%s gets the catalog that real Puppet makes', (name, least) => {
    const outcome = ours.get(`${name}.example.com`);
    expect(outcome).toMatchObject({ status: 'ok' });
    expect(outcome?.catalog?.resources).toSatisfy((resources: unknown[]) => resources.length >= least);
    const said = new Set([...real.values()].flatMap(({ log }) => log));
    expectSame(outcome, real.get(`${name}.example.com`), said);
  });

  it('compile and diff, as processes, do the same', async () => {
    const options = [
      '--control-repo',
      repo,
      '--facts',
      FACTS,
      '--set',
      'strict=warning',
      '--set',
      'strict_variables=false',
    ];
    const understudy = (command: string) =>
      run(process.execPath, [CLI, command, BY_COMMAND, ...options], { maxBuffer: 1 << 26 });
    const { stdout } = await understudy('compile');
    expect(JSON.parse(stdout).resources).toEqual(ours.get(BY_COMMAND)?.catalog?.resources);
    expect((await understudy('diff')).stdout).toBe('The catalogs of understudy (-) and puppet (+) are the same.\n');
  });
});
