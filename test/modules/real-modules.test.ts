import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasModules, writeControlRepo } from './installed-modules.ts';

const run = promisify(execFile);
const CLI = join(import.meta.dirname, '..', '..', 'functions', 'cli.ts');

/** Nodes over Debian's packaged modules, and how many resources their catalogs have at least. */
const NODES: readonly (readonly [string, number, string])[] = [
  ['collectd', 30, 'include collectd\ninclude collectd::plugin::filter\n'],
  ['quotas', 30, 'include nova::quota\n'],
  ['magnum', 60, 'include magnum::clients\n'],
  ['libvirt', 40, 'include nova::compute::libvirt\n'],
  ['ironic', 40, 'include ironic::drivers::pxe\ninclude ironic::drivers::redfish\n'],
  ['octavia', 30, 'include octavia::certificates\ninclude octavia::task_flow\n'],
  ['glance', 40, 'include glance::backend::cinder\n'],
  ['keystone', 40, 'include keystone::messaging::amqp\n'],
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

describe.skipIf(!hasModules())('nodes of packaged modules', () => {
  let repo: string;

  beforeAll(() => {
    repo = mkdtempSync(join(tmpdir(), 'understudy-modules-'));
    writeControlRepo(repo, new Map(NODES.map(([name, , body]) => [`${name}.example.com`, body])));
  });

  afterAll(() => rmSync(repo, { recursive: true, force: true }));

  const options = () => [
    ...['--control-repo', repo, '--facts', join(import.meta.dirname, 'facts.json')],
    ...['--set', 'strict=warning', '--set', 'strict_variables=false'],
  ];

  it.each(NODES)(
    '%s gets the catalog that real Puppet makes',
    async (name, least) => {
      const certname = `${name}.example.com`;
      const ours = await run(process.execPath, [CLI, 'compile', certname, ...options()], { maxBuffer: 1 << 26 });
      expect(JSON.parse(ours.stdout).resources.length).toBeGreaterThanOrEqual(least);
      const { stdout } = await run(process.execPath, [CLI, 'diff', certname, ...options()], {
        maxBuffer: 1 << 26,
      }).catch((failed: { stdout: string; stderr: string }) => ({ stdout: failed.stdout || failed.stderr }));
      expect(stdout).toBe('The catalogs of understudy (-) and puppet (+) are the same.\n');
    },
    120_000,
  );
});
