import type { Template } from 'aws-cdk-lib/assertions';
import { roleStatements } from './role-statements.ts';

/** The partitions that a role may write by a condition: `*` stands for any text. */
export function listLeadingKeys(template: Template, part: string): readonly string[] {
  return roleStatements(template, part).flatMap(({ Condition = {} }) =>
    Object.values(Condition).flatMap((by) => [by['dynamodb:LeadingKeys'] ?? []].flat().map(String)),
  );
}

/**
 * Lists what the policies of a function's role allow on tables, bucket and queues, in the form of
 * `describeGrant`.
 */
export function listGrants(template: Template, part: string): readonly string[] {
  return roleStatements(template, part).flatMap(({ Action, Resource }) =>
    [Action].flat().flatMap((action) => [Resource].flat().flatMap((one) => describeGrant(action, readText(one)))),
  );
}

/**
 * Names tables, bucket and queues by what the stack calls them, not by logical ids like
 * `TablesNodes…`: `dynamodb:GetItem:table/nodes`. Ignores everything else.
 */
export function describeGrant(action: string, resource: string): readonly string[] {
  const [, kind, name = '', rest = ''] =
    /^(?:arn\()?(Tables|Storage|Queues)(\w+?)[0-9A-F]{8}\)?(\/.*)?$/.exec(resource) ?? [];
  const own = `${name[0]?.toLowerCase()}${name.slice(1)}`;
  if (kind === 'Tables') return [`${action}:table/${own}${rest}`];
  if (kind === 'Storage') return [`${action}:bucket${rest}`];
  if (kind === 'Queues') return [`${action}:queue/${name.endsWith('DeadLetters') ? 'deadLetters' : own}`];
  return [];
}

/**
 * Resolves what CloudFormation would fill in. An attribute resolves to the name of its resource.
 */
function readText(value: unknown): string {
  if (typeof value === 'string') return value;
  const { 'Fn::GetAtt': attribute, 'Fn::Join': join } = Object(value);
  if (Array.isArray(attribute)) return String(attribute[0]);
  return Array.isArray(join) ? join[1].map(readText).join(join[0]) : JSON.stringify(value);
}
