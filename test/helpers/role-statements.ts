import type { Template } from 'aws-cdk-lib/assertions';

/** A statement of a policy. */
export interface RoleStatement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/**
 * All statements of the policies of the roles that a part of the stack has: its inline policy, and
 * the managed ones into which CDK splits what has no room there.
 */
export function roleStatements(template: Template, part: string): RoleStatement[] {
  return ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    Object.entries(template.findResources(type))
      .filter(([id]) => id.includes(`${part}Role`))
      .flatMap(([, { Properties }]): RoleStatement[] => Properties.PolicyDocument.Statement),
  );
}
