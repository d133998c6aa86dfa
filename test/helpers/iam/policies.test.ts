import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { type Need, RolePolicies } from './policies.ts';

const ARN = { table: { 'Fn::GetAtt': ['Table', 'Arn'] }, bucket: { 'Fn::GetAtt': ['Bucket', 'Arn'] } };
const ROLE = { 'Fn::GetAtt': ['Role', 'Arn'] };
const ROOT = { 'Fn::Join': ['', ['arn:aws:iam::', { Ref: 'AWS::AccountId' }, ':root']] };

interface Given {
  readonly statements?: readonly object[];
  readonly boundary?: readonly object[];
  readonly bucketPolicy?: readonly object[];
  readonly keyPolicy?: readonly object[];
}

function policiesOf({ statements = [], boundary, bucketPolicy = [], keyPolicy = [] }: Given): RolePolicies {
  const document = (Statement: readonly object[]) => ({ PolicyDocument: { Statement } });
  const template = Template.fromJSON({
    Resources: {
      Function: { Type: 'AWS::Lambda::Function', Properties: { Role: ROLE } },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: boundary === undefined ? {} : { PermissionsBoundary: { Ref: 'Boundary' } },
      },
      Policy: { Type: 'AWS::IAM::Policy', Properties: { ...document(statements), Roles: [{ Ref: 'Role' }] } },
      Other: {
        Type: 'AWS::IAM::Policy',
        Properties: { ...document([allow('dynamodb:*', '*')]), Roles: [{ Ref: 'OtherRole' }] },
      },
      Boundary: { Type: 'AWS::IAM::ManagedPolicy', Properties: document(boundary ?? []) },
      BucketPolicy: { Type: 'AWS::S3::BucketPolicy', Properties: document(bucketPolicy) },
      Key: { Type: 'AWS::KMS::Key', Properties: { KeyPolicy: { Statement: keyPolicy } } },
    },
  });
  return RolePolicies.ofFunction(template, 'Function');
}

function allow(Action: unknown, Resource: unknown, Condition?: object): object {
  return { Effect: 'Allow', Action, Resource, ...(Condition === undefined ? {} : { Condition }) };
}

function need(action: string, resource: string, ...keys: readonly string[]): Need {
  return { action, resource, context: keys.length === 0 ? {} : { 'dynamodb:LeadingKeys': keys } };
}

const leading = (operator: string, ...keys: readonly string[]) => ({ [operator]: { 'dynamodb:LeadingKeys': keys } });

describe('a need that a statement allows', () => {
  it.each([
    ['dynamodb:GetItem', ARN.table, need('dynamodb:GetItem', 'arn(Table)')],
    [['dynamodb:Scan', 'dynamodb:get*'], [ARN.table], need('dynamodb:GetItem', 'arn(Table)')],
    ['s3:GetObject', { 'Fn::Join': ['', [ARN.bucket, '/files/*']] }, need('s3:GetObject', 'arn(Bucket)/files/a/b')],
  ])('%j on %j', (action, resource, asked) => {
    expect(policiesOf({ statements: [allow(action, resource)] }).findDenial(asked)).toBeNull();
  });

  it.each([
    ['ForAllValues:StringLike', ['job *'], ['job 1', 'job 2']],
    ['ForAllValues:StringEquals', ['ca'], []],
    ['ForAnyValue:StringEquals', ['ca'], ['ca', 'policies']],
    ['StringEqualsIfExists', ['ca'], []],
  ])('with %s %j for %j', (operator, keys, asked) => {
    const statements = [allow('dynamodb:Query', ARN.table, leading(operator, ...keys))];
    expect(policiesOf({ statements }).findDenial(need('dynamodb:Query', 'arn(Table)', ...asked))).toBeNull();
  });
});

describe('a need that is denied', () => {
  it.each([
    ['another action', allow('dynamodb:GetItem', ARN.table), need('dynamodb:BatchGetItem', 'arn(Table)')],
    ['another resource', allow('dynamodb:Query', ARN.table), need('dynamodb:Query', 'arn(Table)/index/ring')],
    [
      'a partition beside',
      allow('dynamodb:GetItem', ARN.table, leading('ForAllValues:StringEquals', 'ca')),
      need('dynamodb:GetItem', 'arn(Table)', 'ca', 'users'),
    ],
    [
      'no partition',
      allow('dynamodb:Scan', ARN.table, leading('ForAnyValue:StringEquals', 'ca')),
      need('dynamodb:Scan', 'arn(Table)'),
    ],
  ])('for %s', (_, statement, asked) => {
    const denial = policiesOf({ statements: [statement] }).findDenial(asked);
    expect(denial).toContain(`no statement of the role allows ${asked.action} on ${asked.resource}`);
  });

  it('by a statement that denies, although another one allows it', () => {
    const statements = [allow('s3:*', '*'), { Effect: 'Deny', Action: 's3:PutObject', Resource: '*' }];
    const policies = policiesOf({ statements });
    expect(policies.findDenial(need('s3:PutObject', 'arn(Bucket)/a'))).toContain('is denied explicitly');
    expect(policies.findDenial(need('s3:GetObject', 'arn(Bucket)/a'))).toBeNull();
  });

  it("by the bucket's own policy, by its condition", () => {
    const condition = { Bool: { 'aws:SecureTransport': 'false' } };
    const denying = { Effect: 'Deny', Principal: { AWS: '*' }, Action: 's3:*', Resource: '*', Condition: condition };
    const policies = policiesOf({ statements: [allow('s3:*', '*')], bucketPolicy: [denying] });
    const over = (isSecure: string) => ({
      ...need('s3:GetObject', 'arn(Bucket)/a'),
      context: { 'aws:SecureTransport': [isSecure] },
    });
    expect(policies.findDenial(over('true'))).toBeNull();
    expect(policies.findDenial(over('false'))).toContain('is denied explicitly');
  });

  it("by the key's policy, unless it names the role or leaves the decision to the account", () => {
    const statements = [allow('kms:Decrypt', '*')];
    const byKey = (AWS: unknown) => ({ Effect: 'Allow', Principal: { AWS }, Action: 'kms:*', Resource: '*' });
    const asked = need('kms:Decrypt', 'arn(Key)');
    expect(policiesOf({ statements }).findDenial(asked)).toContain("the key's own policy does not allow");
    expect(policiesOf({ statements, keyPolicy: [byKey(ROOT)] }).findDenial(asked)).toBeNull();
    expect(policiesOf({ statements, keyPolicy: [byKey(ROLE)] }).findDenial(asked)).toBeNull();
    expect(policiesOf({ keyPolicy: [byKey(ROOT)] }).findDenial(asked)).toContain('no statement of the role');
  });

  it('by the permissions boundary', () => {
    const statements = [allow('s3:*', '*')];
    const policies = policiesOf({ statements, boundary: [allow('s3:GetObject', '*')] });
    expect(policies.findDenial(need('s3:GetObject', 'arn(Bucket)/a'))).toBeNull();
    expect(policies.findDenial(need('s3:PutObject', 'arn(Bucket)/a'))).toContain('the permissions boundary');
  });
});

it('refuses what it would misread', () => {
  const unread = { Effect: 'Allow', NotAction: 's3:PutObject', Resource: '*' };
  expect(() => policiesOf({ statements: [unread] })).toThrow('NotAction of a policy is not evaluated yet');
  const statements = [allow('s3:*', '*', { NumericLessThan: { 's3:max-keys': '9' } })];
  const asked = { ...need('s3:ListBucket', 'arn(Bucket)'), context: { 's3:max-keys': ['1'] } };
  expect(() => policiesOf({ statements }).findDenial(asked)).toThrow('NumericLessThan is not evaluated yet');
});

it('knows what nothing has needed', () => {
  const policies = policiesOf({ statements: [allow(['s3:GetObject', 's3:PutObject'], ARN.bucket)] });
  policies.findDenial(need('s3:GetObject', 'arn(Bucket)'));
  expect(policies.unused).toEqual(['s3:PutObject arn(Bucket)']);
});
