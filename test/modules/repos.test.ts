/**
 * Whole small control repos (`repos/`) under each strictness, compiled here and by real Puppet,
 * whose outcomes are recorded: what a node gets, what is logged, and how broken code fails.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasPuppet } from '../helpers/puppet.ts';
import { expectSame } from './expect-same.ts';
import { compileHere, type JudgedNode, type NodeOutcome } from './judged-nodes.ts';
import { factsOf } from './node-facts.ts';
import { compiledWithPuppet, puppetAnswers } from './puppet-answers.ts';

const answers = puppetAnswers('repos', import.meta.filename, 'compile-nodes.rb', () => ({}));
afterAll(() => answers.finish());

const MEMBERS = [
  { title: 'web8:80', parameters: { weight: 2 }, tags: ['member', 'tier_front'] },
  { title: 'none', parameters: {}, tags: ['member'] },
].map((resource) => ({ certname: 'web8.example.com', type: 'Pool::Member', ...resource }));

/** Facts beyond those of the operating system, by host. */
const GROUPS: Readonly<Record<string, readonly string[]>> = { n1: ['red', 'blue'], n2: ['blue'], odd: ['red'] };

const HOSTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  shop: {
    web1: 'debian12',
    web2: 'rhel9',
    db1: 'debian12',
    db2: 'rhel9',
    legacy: 'debian12',
    other: 'sles15',
    plain: 'sles15',
    db3: 'rhel9',
  },
  lab: {
    ...{ n1: 'debian12', n2: 'debian12', n3: 'rhel8', old: 'debian12', odd: 'debian12', nobody: 'debian12' },
    ...Object.fromEntries(Array.from({ length: 22 }, (_, index) => [`bad${index + 1}`, 'debian12'])),
  },
};

function nodesOf(repo: string): readonly JudgedNode[] {
  return Object.entries(HOSTS[repo] ?? {}).map(([host, system]) => ({
    certname: `${host}.example.com`,
    facts: { ...factsOf(host, system), groups: GROUPS[host] ?? [] },
    exports: MEMBERS,
  }));
}

const SETTINGS = (['error', 'warning', 'off'] as const).flatMap((strict) =>
  [true, false].map((strictVariables) => ({ strict, strictVariables })),
);

describe.skipIf(!hasPuppet()).each(Object.keys(HOSTS))('the control repo %s', (repo) => {
  const nodes = nodesOf(repo);
  let codeDirectory: string;

  beforeAll(() => {
    codeDirectory = mkdtempSync(join(tmpdir(), 'understudy-repo-'));
    const environment = join(codeDirectory, 'environments', 'production');
    cpSync(join(import.meta.dirname, 'repos', repo), environment, { recursive: true });
  });

  afterAll(() => rmSync(codeDirectory, { recursive: true, force: true }));

  describe.each(SETTINGS)('with strict=$strict, strict_variables=$strictVariables', (settings) => {
    let ours: ReadonlyMap<string, NodeOutcome>;
    let real: ReadonlyMap<string, NodeOutcome>;
    let said: ReadonlySet<string>;

    beforeAll(async () => {
      const job = { codeDirectory, nodes, ...settings };
      real = await compiledWithPuppet(job, answers);
      ours = compileHere(job);
      said = new Set([...real.values()].flatMap(({ log }) => log));
    });

    it.each(nodes.map(({ certname }) => certname))('%s gets what real Puppet makes', (certname) => {
      expect(real.has(certname)).toBe(true);
      expectSame(ours.get(certname), real.get(certname), said);
    });
  });
});
