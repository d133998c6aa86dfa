import { Annotations, Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { UnderstudyStack } from '../../infra/stack.ts';
import { newApp, propertiesOf } from '../helpers/stack-of.ts';

type Context = Readonly<Record<string, unknown>>;

const OPERATIONS = 'understudy:operations';
/** Nearly everything that an operator can turn on, in any partition. */
const EVERYTHING = {
  tags: { team: 'platform' },
  backups: { days: 7 },
  probe: { certname: 'probe.example.com', secret: 'puppet/probe' },
  gradualDeploy: true,
  warmThroughput: { reads: 20_000, writes: 5000 },
};

function createStack(region: string, operations: Context = {}, context: Context = {}): UnderstudyStack {
  const app = newApp({
    'understudy:inventory': true,
    'understudy:network': { endpoints: true },
    [OPERATIONS]: { ...EVERYTHING, ...operations },
    ...context,
  });
  return new UnderstudyStack(app, 'Test', { env: { region } });
}

/** What CloudFormation does not know, or Lambda does not have, by AWS's documents. */
const MISSING = {
  'us-east-1': { types: [], untagged: [], lines: [] },
  'cn-north-1': {
    types: [],
    untagged: ['AWS::Lambda::EventSourceMapping'],
    lines: [/have no tags\.$/, /Lambda does not look for loops/, /ICP filing\.$/],
  },
  'us-gov-west-1': {
    types: ['AWS::Budgets::Budget'],
    untagged: ['AWS::Lambda::EventSourceMapping', 'AWS::Events::Rule', 'AWS::ApplicationAutoScaling::ScalableTarget'],
    lines: [/have no tags\.$/, /as text in place of JSON\.$/],
  },
} as const satisfies Record<string, Record<string, readonly unknown[]>>;
type Region = keyof typeof MISSING;
const REGIONS = Object.keys(MISSING) as Region[];
const PARTITIONS: Readonly<Record<Region, string>> = {
  'us-east-1': 'aws',
  'cn-north-1': 'aws-cn',
  'us-gov-west-1': 'aws-us-gov',
};

describe.each(REGIONS)('a stack in %s', (region) => {
  const stack = createStack(region);
  const template = Template.fromStack(stack);
  const text = JSON.stringify(template.toJSON());

  it('has ARNs of its own partition alone', () => {
    const partitions = [...text.matchAll(/arn:(aws[\w-]*):/g)].map(([, partition]) => partition);
    expect(new Set(partitions)).toEqual(new Set([PARTITIONS[region]]));
  });

  it('names no host of AWS but services as principals and endpoints', () => {
    const hosts = new Set(text.match(/[\w.-]*\.amazonaws\.com[\w.]*/g));
    const principals = new Set(
      [...text.matchAll(/"(?:Service|Principal)":("[^"]+"|\[[^\]]+\])/g)].flatMap(([, named]) =>
        JSON.parse(`[${named}]`).flat(),
      ),
    );
    const linked = 'ecs.application-autoscaling.amazonaws.com';
    expect([...hosts].filter((host) => !principals.has(host) && host !== linked)).toEqual([]);
    const endpoints = propertiesOf(template, 'AWS::EC2::VPCEndpoint').map(({ ServiceName }) => ServiceName);
    const named = endpoints.filter((name) => typeof name === 'string');
    expect(named).toHaveLength(7);
    for (const name of named) expect(name).toMatch(new RegExp(`^(cn\\.)?com\\.amazonaws\\.${region}\\.`));
    expect(named.some((name) => name.startsWith('cn.'))).toBe(region === 'cn-north-1');
  });

  it('uses no resource, property or tag that is not there', () => {
    const { types, untagged } = MISSING[region];
    for (const type of types) template.resourceCountIs(type, 0);
    for (const type of untagged) {
      expect(propertiesOf(template, type).filter(({ Tags }) => Tags !== undefined)).toEqual([]);
    }
    const functions = propertiesOf(template, 'AWS::Lambda::Function').filter(({ Runtime }) => Runtime === 'nodejs24.x');
    const loops = functions.filter(({ RecursiveLoop }) => RecursiveLoop !== undefined);
    expect(loops).toHaveLength(region === 'cn-north-1' ? 0 : 1);
    const formats = functions.map(({ LoggingConfig }) => Object(LoggingConfig).LogFormat);
    expect(new Set(formats)).toEqual(new Set([region === 'us-gov-west-1' ? 'Text' : 'JSON']));
  });

  it('says what is left out, a line each', () => {
    const lines = Annotations.fromStack(stack)
      .findInfo('*', Match.stringLikeRegexp('^In AWS'))
      .map(({ entry }) => String(entry.data));
    expect(lines.map((line) => MISSING[region].lines.findIndex((pattern) => pattern.test(line)))).toEqual(
      MISSING[region].lines.map((_, index) => index),
    );
    for (const line of lines) expect(line).not.toContain('\n');
  });
});

it('counts a budget in the currency of the bill', () => {
  const [budget] = propertiesOf(
    Template.fromStack(createStack('cn-north-1', { budget: 1700 })),
    'AWS::Budgets::Budget',
  );
  expect(Object(budget?.Budget).BudgetLimit).toEqual({ Amount: 1700, Unit: 'CNY' });
});

const VAULT = 'arn:aws:backup:eu-west-1:111111111111:backup-vault:elsewhere';

it.each<[string, Context, string]>([
  ['us-gov-west-1', { budget: 250 }, "'budget' is not there in AWS GovCloud (US)"],
  ['cn-northwest-1', { tracing: true }, "'tracing' is not there in AWS in China"],
  ['cn-north-1', { backups: { days: 7, copyTo: VAULT } }, `${VAULT} is not in the partition of cn-north-1, aws-cn`],
])('refuses in %s with %j', (region, operations, message) => {
  expect(() => createStack(region, operations)).toThrow(new Error(`Context ${OPERATIONS}: ${message}`));
});
