import { describe, expect, it } from 'vitest';
import { assertLimits, LIMITS, listExcesses, type TemplateBody } from '../../infra/limits.ts';
import { stackOf } from '../helpers/stack-of.ts';

type Properties = Readonly<Record<string, unknown>>;

function templateOf(...resources: readonly (readonly [string, Properties])[]): TemplateBody {
  return { Resources: Object.fromEntries(resources.map(([Type, Properties], n) => [`R${n}`, { Type, Properties }])) };
}

/** The longest name that `understudy:stage` gives a stack. */
const LONG = `Understudy-${'s'.repeat(20)}`;
const many = (count: number) => Array.from({ length: count }, (_, index) => ({ index }));
const policy = (type: string, length: number, count = 1) =>
  Array.from({ length: count }, (): [string, Properties] => [
    `AWS::IAM::${type}`,
    { Roles: [{ Ref: 'Role' }], PolicyDocument: { Statement: 'x'.repeat(length) } },
  ]);

describe('the limits of AWS', () => {
  it('hold for the stack without settings', () => {
    expect(listExcesses(stackOf().toJSON() as TemplateBody, LONG)).toEqual([]);
  });

  it.each<[string, TemplateBody, string]>([
    [
      'variables of a function',
      templateOf(['AWS::Lambda::Function', { Environment: { Variables: { A: 'x'.repeat(4096) } } }]),
      'The function R0 has 4104 bytes of variables, and 4096 are allowed; they follow from',
    ],
    [
      'variables that CloudFormation fills in',
      templateOf([
        'AWS::Lambda::Function',
        {
          Environment: { Variables: Object.fromEntries(many(50).map((_, n) => [n, { 'Fn::GetAtt': ['Key', 'Arn'] }])) },
        },
      ]),
      'bytes of variables, and 4096 are allowed',
    ],
    [
      'rules of a group',
      templateOf(['AWS::EC2::SecurityGroup', { SecurityGroupIngress: many(61) }]),
      'The security group R0 has 61 ingress rules, and 60 are allowed; they follow from',
    ],
    [
      'rules that name a group',
      templateOf(
        ['AWS::EC2::SecurityGroup', { SecurityGroupEgress: many(60) }],
        ['AWS::EC2::SecurityGroupEgress', { GroupId: { 'Fn::GetAtt': ['R0', 'GroupId'] } }],
      ),
      'The security group R0 has 61 egress rules, and 60 are allowed',
    ],
    [
      'inline policies of a role',
      templateOf(...policy('Policy', 6000, 2)),
      'The role Role has 12032 characters of inline policies, and 10240 are allowed',
    ],
    ['a managed policy', templateOf(...policy('ManagedPolicy', 6200)), 'The policy R0 has 6216 characters'],
    ['managed policies', templateOf(...policy('ManagedPolicy', 1, 11)), 'The role Role has 11 managed policies'],
    [
      'groups of a load balancer',
      templateOf(['AWS::ElasticLoadBalancingV2::LoadBalancer', { SecurityGroups: many(6) }]),
      'The load balancer R0 has 6 security groups, and 5 are allowed',
    ],
    ['resources', templateOf(...many(501).map((): [string, Properties] => ['A', {}])), 'The stack has 501 resources'],
    [
      'bytes of the template',
      templateOf(['A', { text: 'x'.repeat(LIMITS.templateBytes) }]),
      'The template has 1048634 bytes, and 1048576 are allowed',
    ],
  ])('are checked: %s', (_, template, message) => {
    expect(() => assertLimits(template, LONG)).toThrow(message);
    expect(listExcesses(template, LONG)).toHaveLength(1);
  });
});
