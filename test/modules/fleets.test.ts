/**
 * Two fleets over Debian's packaged modules, as their admins write control repos: an OpenStack
 * cloud, and the databases, clusters and monitoring beside it (`repos/cloud`, `repos/platform`).
 * Their nodes are compiled here and by real Puppet, whose outcomes are recorded.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PreparedResourceTypes } from '../../shared/puppet/compiler/resource-types/prepared-resource-types.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { RecordedAnswers } from '../helpers/recorded-answers.ts';
import { moduleSources, rubySources, treeDigest } from '../helpers/reference-sources.ts';
import { expectSame } from './expect-same.ts';
import { hasModules, installedModules } from './installed-modules.ts';
import { compileHere, type JudgedNode, type NodeOutcome, prepareTypes } from './judged-nodes.ts';
import { factsOf } from './node-facts.ts';
import { compiledWithPuppet, puppetAnswers } from './puppet-answers.ts';

const answers = puppetAnswers('fleets', import.meta.filename, 'compile-nodes.rb');
/**
 * Digests of what comes out when Ruby runs all templates and functions. Ruby runs them again when
 * something else comes out here.
 */
const ofRuby = new RecordedAnswers({
  name: 'fleets-ruby',
  test: import.meta.filename,
  sources: () => ({ ...rubySources(), ...moduleSources(installedModules(), 'all') }),
});
afterAll(() => {
  for (const one of [answers, ofRuby]) one.finish();
});

interface Fleet {
  readonly repo: string;
  readonly strict: 'warning' | 'error';
  /** Nodes that do not compile. */
  readonly broken: readonly string[];
  /**
   * Hosts by operating system, in the order in which they are compiled: providers of some modules
   * need that others were loaded.
   */
  readonly hosts: Readonly<Record<string, readonly string[]>>;
}

const FLEETS: readonly Fleet[] = [
  {
    repo: 'cloud',
    strict: 'warning',
    broken: [],
    hosts: {
      rhel9: ['ctl3', 'cmp2', 'net2', 'img2', 'svc2', 'bm2', 'cph3'],
      debian12: ['net1', 'vol1', 'sws1', 'tel1', 'svc1', 'svc3', 'cph1', 'idn1'],
      ubuntu22: ['cmp3', 'swp1', 'lbs2', 'shr1', 'cph2'],
    },
  },
  {
    repo: 'platform',
    strict: 'warning',
    broken: [],
    hosts: {
      debian12: ['my1', 'pg1', 'mo1', 'ga1', 'log1', 'ml1', 'frg1', 'acc1', 'col1'],
      ubuntu22: ['rd2', 'pm2'],
      rhel9: ['rb3', 'pg2', 'ns2', 'zk2'],
      sles15: ['my4'],
      windows2022: ['win1'],
    },
  },
  {
    repo: 'platform',
    strict: 'error',
    broken: ['mo1.example.com', 'ga1.example.com', 'acc1.example.com', 'rd2.example.com'],
    hosts: { debian12: ['pg1', 'mo1', 'ga1', 'acc1'], ubuntu22: ['rd2'], sles15: ['my4'], windows2022: ['win1'] },
  },
];

/** What other nodes have exported. */
const EXPORTS = [
  {
    type: 'Host',
    title: 'other1.dc1.example.com',
    parameters: { ip: '10.0.0.99', host_aliases: ['other1'], tag: ['dc1', 'cloud'] },
    tags: ['host', 'dc1', 'cloud'],
  },
  {
    type: 'Profile::Target',
    title: 'other1.dc1.example.com',
    parameters: { address: '10.0.0.99', labels: { group: 'pg', dc: 'dc1' }, tag: ['postgresql'] },
    tags: ['profile::target', 'profile', 'target', 'postgresql'],
  },
].map((resource) => ({ certname: 'other1.example.com', ...resource }));

/** Facts of disks and of a second network beside those of the operating system. */
function machineOf(host: string, system: string): JudgedNode['facts'] {
  const eth1 = { ip: '10.1.0.21', netmask: '255.255.252.0', network: '10.1.0.0', mac: '52:54:00:12:34:57', mtu: 9000 };
  const lo = { ip: '127.0.0.1', netmask: '255.0.0.0', network: '127.0.0.0' };
  const eth0 = { ip: '10.0.0.21', netmask: '255.255.255.0', network: '10.0.0.0', mtu: 1500 };
  const fqdn = `${host}.dc1.example.com`;
  return {
    ...factsOf(host, system),
    networking: { fqdn, hostname: host, domain: 'dc1.example.com', ...eth0, interfaces: { eth0, eth1, lo } },
    swift_device_uuids: { sdb: 'uuid-b', sdc: 'uuid-c' },
    swift_commented_fstab_entries: { sdb: 'active' },
  };
}

/** By node, of all that `expectSame` compares. */
function digestsOf(outcomes: ReadonlyMap<string, NodeOutcome>, codeDirectory: string): readonly (readonly string[])[] {
  return Array.from(outcomes, ([certname, { status, message, catalog, renders, log }]) => {
    const tags = Array.isArray(catalog?.tags) ? catalog.tags.map(String).sort() : [];
    const texts = renders.map(([path, text]) => `${path}\n${text}`).sort();
    const compared = [status, message, { ...catalog, tags }, texts, [...new Set(log)].sort()];
    return [certname, digestSha256(JSON.stringify(compared).replaceAll(codeDirectory, '')).slice(0, 16)];
  });
}

describe.skipIf(!hasModules()).each(FLEETS)(
  'the fleet $repo with strict=$strict',
  ({ repo, strict, broken, hosts }) => {
    const nodes: readonly JudgedNode[] = Object.entries(hosts).flatMap(([system, names]) =>
      names.map((host) => ({
        certname: `${host}.example.com`,
        facts: machineOf(host, system),
        exports: EXPORTS,
      })),
    );
    let codeDirectory: string;
    let types: PreparedResourceTypes;
    let ours: ReadonlyMap<string, NodeOutcome>;
    let real: ReadonlyMap<string, NodeOutcome>;
    let said: ReadonlySet<string>;

    beforeAll(async () => {
      codeDirectory = mkdtempSync(join(tmpdir(), 'understudy-fleet-'));
      const environment = join(codeDirectory, 'environments', 'production');
      cpSync(join(import.meta.dirname, 'repos', repo), environment, { recursive: true });
      mkdirSync(join(environment, 'modules'));
      for (const [name, folder] of installedModules()) symlinkSync(folder, join(environment, 'modules', name));
      const job = { codeDirectory, strict, nodes };
      real = await compiledWithPuppet(job, answers);
      types = prepareTypes(codeDirectory);
      ours = compileHere({ ...job, types });
      said = new Set([...real.values()].flatMap(({ log }) => log));
    });

    afterAll(() => rmSync(codeDirectory, { recursive: true, force: true }));

    it.each(nodes.map(({ certname }) => certname))('%s gets what real Puppet makes', (certname) => {
      const answer = real.get(certname);
      expect(answer?.status).toBe(broken.includes(certname) ? 'failed' : 'ok');
      expectSame(ours.get(certname), answer, said);
    });

    it('gives its nodes the same catalogs when Ruby runs all templates and functions', () => {
      const judge = () => compileHere({ codeDirectory, strict, nodes, types, rendersAll: true });
      const question = { repo: treeDigest(codeDirectory), strict, nodes };
      const ask = () => digestsOf(judge(), codeDirectory);
      const recorded = ofRuby.get(question, ask);
      expect(recorded.length).toBe(nodes.length);
      if (isDeepStrictEqual(recorded, digestsOf(ours, codeDirectory))) return;
      for (const [certname, outcome] of judge()) expectSame(ours.get(certname), outcome, new Set());
      ofRuby.confirm(question, ask);
    });
  },
);
