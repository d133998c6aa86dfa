import { Annotations, Stack, Token } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { OperationsContext } from './context/operations-context.ts';

/**
 * Parts of the stack that a partition of AWS may lack: resources of AWS Budgets, traces and JSON
 * logs of functions, Lambda's search for loops (with the setting that allows one), and tags of the
 * resource types in `UNTAGGED`.
 */
type Feature = 'budgets' | 'traces' | 'jsonLogs' | 'loopDetection' | 'allTags';

/**
 * Sources: the differences that AWS lists in "Getting Started with Amazon Web Services in China"
 * and in the "AWS GovCloud (US) User Guide" (Lambda, API Gateway, billing; November 2026), and
 * types and properties in CloudFormation's schemas of each region (2025-12-08).
 */
interface Partition {
  /** The partition in ARNs. */
  readonly id: string;
  readonly name: string;
  /** The currency of its bills. */
  readonly currency: 'USD' | 'CNY';
  readonly lacks: readonly Feature[];
  /** A line for each part that is left out, or works otherwise, whatever the settings are. */
  readonly differences: readonly string[];
}

const STANDARD: Partition = { id: 'aws', name: 'AWS', currency: 'USD', lacks: [], differences: [] };

const FEWER_TAGS = 'rules, event sources, listeners, scaling targets and the dashboard have no tags';

/** The other partitions by the beginning of their regions. */
const OTHERS: Readonly<Record<string, Partition>> = {
  'cn-': {
    id: 'aws-cn',
    name: 'AWS in China',
    currency: 'CNY',
    lacks: ['traces', 'loopDetection', 'allTags'],
    differences: [
      FEWER_TAGS,
      'Lambda does not look for loops, and fan-outs need no permission for theirs',
      'the HTTP API answers requests without IAM credentials (status, packages) only with an ICP filing',
    ],
  },
  'us-gov-': {
    id: 'aws-us-gov',
    name: 'AWS GovCloud (US)',
    currency: 'USD',
    lacks: ['budgets', 'jsonLogs', 'allTags'],
    differences: [FEWER_TAGS, 'functions write their logs as text in place of JSON'],
  },
};

/** Types whose tags are not in all partitions. */
const UNTAGGED = [
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::CloudWatch::Dashboard',
  'AWS::ElasticLoadBalancingV2::Listener',
  'AWS::Events::Rule',
  'AWS::Lambda::EventSourceMapping',
];

/** The partition of the stack's region; the standard one when the region is not known. */
export function partitionOf(scope: IConstruct): Partition {
  const { region } = Stack.of(scope);
  if (Token.isUnresolved(region)) return STANDARD;
  return Object.entries(OTHERS).find(([prefix]) => region.startsWith(prefix))?.[1] ?? STANDARD;
}

/** Whether the partition of the stack has the feature. */
export function hasFeature(scope: IConstruct, feature: Feature): boolean {
  return !partitionOf(scope).lacks.includes(feature);
}

/** The resource types that get no tags in the partition of the stack. */
export function listUntagged(scope: IConstruct): string[] {
  return hasFeature(scope, 'allTags') ? [] : UNTAGGED;
}

/**
 * Prints a line for each part that is left out, or works otherwise, where the stack is deployed.
 */
export function announceDifferences(stack: Stack): void {
  const { name, differences } = partitionOf(stack);
  for (const line of differences) Annotations.of(stack).addInfo(`In ${name}, ${line}.`);
}

/**
 * Refuses settings that the partition of the stack cannot meet, and ARNs of another partition in
 * the context. Throws an Error that names the setting and the reason.
 */
export function assertPartition(
  stack: Stack,
  { budget, tracing }: Pick<OperationsContext, 'budget' | 'tracing'>,
): void {
  const { id, name } = partitionOf(stack);
  const asked = { budgets: budget !== undefined && 'budget', traces: tracing && 'tracing' } as const;
  for (const [feature, setting] of Object.entries(asked)) {
    if (setting === false || hasFeature(stack, feature as keyof typeof asked)) continue;
    throw new Error(`Context understudy:operations: '${setting}' is not there in ${name}`);
  }
  if (Token.isUnresolved(stack.region)) return;
  for (const [key, value] of Object.entries(stack.node.getAllContext())) {
    if (!key.startsWith('understudy:')) continue;
    for (const [, arn, partition] of JSON.stringify(value).matchAll(/"(arn:(aws[\w-]*):[^"]*)"/g)) {
      if (partition !== id) throw new Error(`Context ${key}: ${arn} is not in the partition of ${stack.region}, ${id}`);
    }
  }
}
