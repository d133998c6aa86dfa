/**
 * Whole nodes over Debian's packaged modules (`nodes/`), compiled here and by real Puppet, whose
 * outcomes are recorded.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectSame } from './expect-same.ts';
import { hasModules, installedModules } from './installed-modules.ts';
import { compileHere, type JudgedNode, type NodeOutcome, prepareTypes } from './judged-nodes.ts';
import { factsOf } from './node-facts.ts';
import { compiledWithPuppet, puppetAnswers } from './puppet-answers.ts';

const answers = puppetAnswers('nodes', import.meta.filename, 'compile-nodes.rb');
afterAll(() => answers.finish());

/** Hosts by the operating system that they run. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  debian12: [
    ...[
      'identity01',
      'compute01',
      'volume01',
      'orchestration01',
      'mysql01',
      'postgres01',
      'mongo01',
      'cache01',
      'queue01',
    ],
    ...['pace1', 'galera01', 'lb01', 'collect01', 'monit01', 'logs01', 'web01', 'proxy01', 'ns01', 'repo01', 'mail01'],
    ...['langstages01', 'langexports01', 'langbytes01'],
  ],
  ubuntu22: ['api01', 'network01', 'object01', 'dashboard01', 'ceph01', 'login01', 'langscopes01'],
  rhel9: ['api02', 'compute02', 'telemetry01', 'postgres02', 'pace2', 'langvalues01'],
  rhel8: ['web02', 'gateway01'],
  sles15: ['enc01'],
  freebsd14: ['login02'],
  windows2022: ['other01'],
};

/** What other nodes have exported. */
const EXPORTS = [
  {
    type: 'Haproxy::Balancermember',
    title: 'www-web09',
    parameters: {
      listening_service: 'api',
      ports: ['80'],
      server_names: 'web09',
      ipaddresses: '10.0.1.9',
      options: 'check',
    },
  },
  {
    type: 'Profile::Check',
    title: 'http-web08',
    tags: ['web', 'dc1'],
    parameters: { command: 'check_http', tag: ['web', 'dc1'] },
  },
  { type: 'Host', title: 'web08.example.com', parameters: { ip: '10.0.0.8', host_aliases: 'web08' } },
  { type: 'Sshkey', title: 'web08.example.com', parameters: { type: 'ssh-rsa', key: 'AAAB', host_aliases: ['web08'] } },
  { type: 'Mysql::Db', title: 'remote', tags: ['dc1'], parameters: { user: 'u', password: 'p', tag: 'dc1' } },
  { type: 'Ring_object_device', title: '10.0.0.22:6000/1', parameters: { zone: 2, weight: 1 } },
].map((resource) => ({ certname: 'other.example.com', tags: [], ...resource }));

const CLASSIFIED: Readonly<Record<string, Partial<JudgedNode>>> = {
  enc01: {
    classes: {
      'profile::report': { message: 'from the classifier', level: 3 },
      'profile::layers': { by_type: 'b' },
      stdlib: {},
    },
    parameters: { owner: 'ops', tier: 2 },
  },
  langvalues01: { trusted: { extensions: { pp_role: 'lang', '1.3.6.1.4.1.34380.1.2.1': 'x' } } },
};

const NODES: readonly JudgedNode[] = Object.entries(HOSTS).flatMap(([system, hosts]) =>
  hosts.map((host) => ({
    certname: `${host}.example.com`,
    facts: factsOf(host, system),
    exports: EXPORTS,
    ...CLASSIFIED[host],
  })),
);

describe.skipIf(!hasModules())('whole nodes', () => {
  let codeDirectory: string;
  let ours: ReadonlyMap<string, NodeOutcome>;
  let real: ReadonlyMap<string, NodeOutcome>;
  let said: ReadonlySet<string>;

  beforeAll(async () => {
    codeDirectory = mkdtempSync(join(tmpdir(), 'understudy-nodes-'));
    const environment = join(codeDirectory, 'environments', 'production');
    cpSync(join(import.meta.dirname, 'nodes'), environment, { recursive: true });
    mkdirSync(join(environment, 'modules'));
    for (const [name, folder] of installedModules()) symlinkSync(folder, join(environment, 'modules', name));
    const job = { codeDirectory, strict: 'warning', nodes: NODES } as const;
    real = await compiledWithPuppet(job, answers);
    ours = compileHere({ ...job, types: prepareTypes(codeDirectory) });
    said = new Set([...real.values()].flatMap(({ log }) => log));
  });

  afterAll(() => rmSync(codeDirectory, { recursive: true, force: true }));

  it('render templates', () => {
    expect([...real.values()].flatMap(({ renders }) => renders).length).toBeGreaterThan(100);
  });

  it.each(NODES.map(({ certname }) => certname))('%s gets what real Puppet makes', (certname) => {
    expect(real.get(certname)).toMatchObject({ status: 'ok' });
    expectSame(ours.get(certname), real.get(certname), said);
  });
});
