import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { listExcesses } from '../../infra/limits.ts';
import { UnderstudyStack } from '../../infra/stack.ts';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { listMisfits } from '../helpers/resource-schemas.ts';
import { newApp } from '../helpers/stack-of.ts';

/** Combinations of settings; more with `RANDOM_SETTINGS=2000`. */
const COUNT = Number(process.env.RANDOM_SETTINGS ?? 125);
/**
 * By default the first seed of which so many combinations have each value of each setting, the
 * wrong ones too.
 */
const SEED = process.env.RANDOM_SEED;
const MOST_SEEDS = 2000;
const FILE = join(import.meta.dirname, '../../package.json');
/** One line that names the setting. */
const REFUSAL = /^Context understudy:[a-z]+: [^\n]+$/;

type Choice = (chance: SeededChance) => unknown;
type Choices = Readonly<Record<string, Choice>>;

/** The values of each setting with a choice among some, and those that were drawn. */
const drawn: { readonly values: readonly unknown[]; readonly seen: Set<unknown> }[] = [];
/** Notes what the choice among these values gives. */
const noting = (values: readonly unknown[], choice: Choice): Choice => {
  const seen = new Set<unknown>();
  drawn.push({ values, seen });
  return (chance) => {
    const value = choice(chance);
    seen.add(value);
    return value;
  };
};
const of = (...values: readonly unknown[]): Choice => noting(values, (chance) => chance.of(values));
/** One of the right values, and seldom the wrong one. */
const mostly = (wrong: unknown, ...right: readonly unknown[]): Choice =>
  noting([wrong, ...right], (chance) => (chance.often(0.04) ? wrong : chance.of(right)));
const from =
  (least: number, most: number): Choice =>
  (chance) =>
    least + chance.below(most - least + 1);
/** A list of so many texts at most. */
const list =
  (most: number, text: (index: number) => string): Choice =>
  (chance) =>
    Array.from({ length: chance.below(most + 1) }, (_, index) => text(index));
/** A map with some of these keys. */
const some =
  (choices: Choices, share = 0.5): Choice =>
  (chance) =>
    Object.fromEntries(
      Object.entries(choices).flatMap(([name, choice]) => (chance.often(share) ? [[name, choice(chance)]] : [])),
    );
const network = (index: number) => `10.${index}.0.0/16`;
const UPSTREAM = { url: 'https://ca.example.com:8140', certificate: FILE, trusted: FILE, keySecret: 'puppet/key' };
const VPC = {
  id: 'vpc-0123456789abcdef0',
  availabilityZones: ['us-east-1a', 'us-east-1b'],
  containerSubnets: ['subnet-1', 'subnet-2'],
  loadBalancerSubnets: ['subnet-3', 'subnet-4'],
};

/** Settings of the edge, beside names and networks. */
const MORE_OF_EDGE = some({
  internetFacing: mostly('yes', true, false),
  operatorNetworks: list(31, network),
  address: mostly('puppet', '192.0.2.1'),
});

/** Each setting with values of its kind, some of them wrong or of the wrong size together. */
const CONTEXT: Choices = {
  'understudy:edge': (chance) => ({
    names: ['puppet.example.com', 'puppet'],
    agentNetworks: ['10.0.0.0/8', ...(list(chance.often(0.05) ? 90 : 40, network)(chance) as string[])],
    ...(MORE_OF_EDGE(chance) as object),
  }),
  'understudy:settings': some(
    {
      compileTimeLimit: from(10, 300),
      waitingConcurrency: from(2, 1000),
      containers: some({ min: from(1, 10), max: from(10, 100) }),
      autosign: (chance) => (chance.often(0.5) ? true : list(400, (index) => `node${index}.example.com`)(chance)),
      accessAllowList: list(100, (index) => `admin${index}.example.com`),
      eyamlKeys: mostly({ 'BAD KEY': 'c' }, { EYAML_KEY: 'puppet/eyaml' }, { EYAML_A: 'a', EYAML_B: 'b' }),
      upstream: of(UPSTREAM),
      compilerUpstream: mostly(
        { url: 'no' },
        { url: 'https://puppet:8140' },
        { url: 'https://puppet:8140', trusted: FILE },
      ),
      authConf: mostly('no-such-file', FILE),
      alertUrl: mostly('no', 'https://hooks.example.com/services/T0/B0'),
      alertUrlSecret: of('puppet/alerts'),
      language: mostly('perl', 'puppet-8', 'openvox-9'),
      allowSubjectAltNames: of(true, false),
    },
    0.35,
  ),
  'understudy:network': some(
    {
      vpc: of(VPC),
      cidr: mostly('10.0.0.0/8', '10.140.0.0/20', '10.9.0.0/24', '192.168.0.0/16'),
      zones: mostly(4, 2, 3),
      availabilityZones: of(['us-east-1a', 'us-east-1b'], ['us-east-1a', 'us-east-1b', 'us-east-1f'], ['us-east-1a']),
      natGateways: from(1, 3),
      endpoints: of(true, false),
      addresses: of(['eipalloc-1', 'eipalloc-2'], ['10.140.6.9', '10.140.8.9'], ['10.0.0.1', '10.0.0.2'], []),
      endpointService: of({ principals: ['arn:aws:iam::222222222222:root'] }, { principals: [], acceptance: false }),
    },
    0.15,
  ),
  'understudy:operations': some(
    {
      tags: of({ team: 'puppet', cost: '7' }),
      budget: from(1, 1000),
      deletionProtection: of(true, false),
      backups: mostly({ days: 0 }, { days: 7 }, { days: 9, copyTo: 'arn:aws:backup:eu-west-1:1:backup-vault:a' }),
      subscribers: mostly({ warning: ['nobody'] }, { critical: ['ops@example.com', 'https://pager.example.com/a'] }),
      runbook: of('https://wiki.example.com/understudy'),
      warmThroughput: mostly({ writes: 1 }, { reads: 20_000, writes: 40_000 }),
      maxThroughput: mostly({ reads: 5000 }, {}, { reads: 50_000 }),
      tracing: of(true, false),
      containerInsights: of(true, false),
      gradualDeploy: of(true, false),
      dashboard: of(true, false),
      probe: of({ certname: 'probe.example.com', secret: 'puppet/probe' }),
    },
    0.35,
  ),
  'understudy:orchestrator': mostly({ cpu: 300 }, true, false, { cpu: 1024, memory: 8192, containers: { min: 3 } }, {}),
  'understudy:inventory': mostly({ capacity: { min: 9, max: 2 } }, true, false, { capacity: { min: 1, max: 8 } }),
  'understudy:api': some({
    deploys: of(true, false),
    certificateRequests: mostly({ burst: 0 }, { rate: 1 }, { challengeSecret: 'puppet/challenge' }),
    agents: of({
      domain: 'agents.example.com',
      certificate: 'arn:aws:acm:us-east-1:1:certificate/a',
      trustStore: FILE,
    }),
  }),
  'understudy:stage': of('', 'staging', 'a-very-long-name-abc'),
};

type Context = Readonly<Record<string, unknown>>;

function drawContexts(seed: number): readonly Context[] {
  for (const { seen } of drawn) seen.clear();
  const chance = new SeededChance(seed);
  const draw = () => Object.fromEntries(Object.entries(CONTEXT).map(([key, choice]) => [key, choice(chance)]));
  return Array.from({ length: COUNT }, draw);
}

/** The first combinations that have each value. */
function drawCompleteContexts(): readonly Context[] {
  for (let seed = 1; seed <= MOST_SEEDS; seed += 1) {
    const contexts = drawContexts(seed);
    if (drawn.every(({ values, seen }) => values.every((value) => seen.has(value)))) return contexts;
  }
  throw new Error(`${COUNT} combinations of no seed up to ${MOST_SEEDS} have each value of each setting`);
}

/** Null for a template that AWS would take; otherwise why it would not. */
function faultOf(context: Context): readonly string[] | null {
  const app = newApp(context);
  let stack: UnderstudyStack;
  try {
    stack = new UnderstudyStack(app, 'Understudy-a-very-long-name-abc');
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return REFUSAL.test(message) ? null : [message];
  }
  const { template } = app.synth().getStackArtifact(stack.artifactId);
  const faults = [...listExcesses(template, stack.stackName), ...listMisfits(template)];
  return faults.length === 0 ? [] : faults;
}

describe('combinations of settings', () => {
  it('make a template that fits the schemas and limits of AWS, or are refused with one line', () => {
    let accepted = 0;
    for (const context of SEED === undefined ? drawCompleteContexts() : drawContexts(Number(SEED))) {
      const faults = faultOf(context);
      if (faults?.length === 0) accepted += 1;
      expect([faults ?? [], faults?.length ? context : null]).toEqual([[], null]);
    }
    // Both kinds are there.
    expect(accepted).toBeGreaterThan(COUNT / 10);
    expect(accepted).toBeLessThan(COUNT);
  });
});
