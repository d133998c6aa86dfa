import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { propertiesOfKind } from '../helpers/resource-schemas.ts';
import { stackOf } from '../helpers/stack-of.ts';

/**
 * Kinds of resources that hold data or keys, or have an address that others know. A new logical id
 * makes an empty one beside them.
 */
const KEPT = [
  'AWS::DynamoDB::Table',
  'AWS::S3::Bucket',
  'AWS::KMS::Key',
  'AWS::RDS::DBCluster',
  'AWS::SecretsManager::Secret',
  'AWS::Backup::BackupVault',
  'AWS::ElasticLoadBalancingV2::LoadBalancer',
  'AWS::ApiGatewayV2::Api',
  'AWS::ApiGatewayV2::DomainName',
  'AWS::EC2::VPC',
  'AWS::EC2::Subnet',
  'AWS::EC2::VPCEndpointService',
  'AWS::SQS::Queue',
  'AWS::SNS::Topic',
] as const;

const ROOT = join(import.meta.dirname, '../..');
const NETWORK = 'understudy:network';
const EDGE = { names: ['puppet'], agentNetworks: ['10.0.0.0/8'] };
const AGENTS = {
  domain: 'agents.example.com',
  certificate: 'arn:aws:acm:us-east-1:111111111111:certificate/a',
  trustStore: join(ROOT, 'package.json'),
};
const EVERYTHING = {
  'understudy:edge': EDGE,
  'understudy:inventory': true,
  'understudy:api': { agents: AGENTS },
  'understudy:operations': { backups: { days: 7 } },
  [NETWORK]: { endpointService: { principals: ['arn:aws:iam::222222222222:root'] } },
};

/** The properties of a kind of resource whose change replaces it. */
function replacingProperties(type: string): readonly string[] {
  const properties = Object.entries(propertiesOfKind(type) ?? {});
  return properties.filter(([, { causesReplacement }]) => causesReplacement === 'yes').map(([name]) => name);
}

type Resources = Readonly<Record<string, { readonly Type: string; readonly Properties?: Record<string, unknown> }>>;

function keptOf(template: Template): Resources {
  const all: Resources = template.toJSON().Resources;
  return Object.fromEntries(Object.entries(all).filter(([, { Type }]) => KEPT.some((type) => type === Type)));
}

/** The kept resources that the change of settings replaces or removes, without their digests. */
function lostBy(before: Template, after: Template): readonly string[] {
  const [old, now] = [keptOf(before), keptOf(after)];
  return Object.entries(old).flatMap(([id, { Type, Properties = {} }]) => {
    const next = now[id];
    const isReplaced = replacingProperties(Type).some(
      (name) => JSON.stringify(Properties[name]) !== JSON.stringify(next?.Properties?.[name]),
    );
    return next && !isReplaced ? [] : [id.replace(/[0-9A-F]{8}$/, '')];
  });
}

describe('what a stack keeps', () => {
  it('has the same logical ids for ever', async () => {
    const found = Object.entries(keptOf(stackOf(EVERYTHING))).map(([id, { Type }]) => `${Type} ${id}`);
    const file = join(ROOT, 'test/fixtures/infra/kept-resources.txt');
    // Each line that goes is data that a deploy leaves behind.
    await expect(`${found.sort().join('\n')}\n`).toMatchFileSnapshot(file);
  });

  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['a third zone', {}, { [NETWORK]: { zones: 3 } }],
    ['fewer NAT gateways', {}, { [NETWORK]: { natGateways: 1 } }],
    ['other names', {}, { 'understudy:edge': { ...EDGE, names: ['other'] } }],
    ['other networks', {}, { 'understudy:edge': { ...EDGE, operatorNetworks: ['10.1.0.0/16'] } }],
    ['an inventory', {}, { 'understudy:inventory': true }],
    ['other capacity', { 'understudy:inventory': true }, { 'understudy:inventory': { capacity: { min: 0, max: 8 } } }],
    ['the API of agents', {}, { 'understudy:api': { agents: AGENTS } }],
    ['backups', {}, { 'understudy:operations': { backups: { days: 7 } } }],
    ['no deletion protection', {}, { 'understudy:operations': { deletionProtection: false } }],
    ['a bound of the tables', {}, { 'understudy:operations': { maxThroughput: {} } }],
    ['warm tables', {}, { 'understudy:operations': { warmThroughput: { writes: 20_000 } } }],
    ['longer compiles', {}, { 'understudy:settings': { compileTimeLimit: 200 } }],
    ['an endpoint service', {}, { [NETWORK]: { endpointService: { principals: ['*'] } } }],
  ])('is left alone by %s', (_, before, after) => {
    expect(lostBy(stackOf(before), stackOf(after))).toEqual([]);
  });

  /** Each has its procedure in infra/README.md, *Changes of a live stack*. */
  const PROCEDURES: Readonly<Record<string, readonly [before: object, after: object, lost: readonly string[]]>> = {
    internetFacing: [{}, { 'understudy:edge': { ...EDGE, internetFacing: true } }, ['EdgeLoadBalancer']],
    endpoints: [
      {},
      { [NETWORK]: { endpoints: true } },
      ['EdgeNetworkVpcPublicSubnet1Subnet', 'EdgeNetworkVpcPublicSubnet2Subnet'],
    ],
    orchestrator: [{}, { 'understudy:orchestrator': false }, ['NotifyDeadLetters']],
    cidr: [
      {},
      { [NETWORK]: { cidr: '10.9.0.0/20' } },
      [
        'EdgeNetworkVpc',
        ...['Public', 'Private'].flatMap((kind) => [1, 2].map((zone) => `EdgeNetworkVpc${kind}Subnet${zone}Subnet`)),
      ],
    ],
  };

  it('has listeners and target groups of their own for a load balancer with public addresses', () => {
    const idsOf = (template: Template) =>
      ['Listener', 'TargetGroup'].flatMap((type) =>
        Object.keys(template.findResources(`AWS::ElasticLoadBalancingV2::${type}`)),
      );
    const open = new Set(idsOf(stackOf({ 'understudy:edge': { ...EDGE, internetFacing: true } })));
    expect(open.size).toBe(12);
    expect(idsOf(stackOf()).filter((id) => open.has(id))).toEqual([]);
  });

  it.each(Object.entries(PROCEDURES))(
    "is partly replaced by '%s', which has a procedure",
    (name, [before, after, lost]) => {
      expect(lostBy(stackOf({ ...before }), stackOf({ ...after })).toSorted()).toEqual([...lost].toSorted());
      const readme = readFileSync(join(ROOT, 'infra/README.md'), 'utf8');
      const [, section = ''] = readme.split('\n## Changes of a live stack\n');
      expect(section.split('\n## ')[0]).toContain(`| \`${name}\` |`);
    },
  );
});
