import { Match, Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { UnderstudyStack } from '../../infra/stack.ts';
import { newApp, propertiesOf, stackOf } from '../helpers/stack-of.ts';

const KEY = 'understudy:inventory';
const template = stackOf({ [KEY]: true });

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
}

describe('without understudy:inventory', () => {
  it('there is neither database nor stream of documents, and facts are kept as compiles need them', () => {
    const without = stackOf();
    expect(propertiesOf(without, 'AWS::RDS::DBCluster')).toEqual([]);
    const streams = propertiesOf(without, 'AWS::DynamoDB::Table').filter((table) => 'StreamSpecification' in table);
    // Of exports, and of the nodes for those who tell nodes of changed catalogs.
    expect(streams).toHaveLength(2);
    expect(JSON.stringify(without.toJSON())).not.toContain('UNDERSTUDY_INVENTORY');
  });
});

describe('understudy:inventory', () => {
  it('is a database that pauses, encrypted, and open to its functions alone', () => {
    template.hasResourceProperties('AWS::RDS::DBCluster', {
      Engine: 'aurora-postgresql',
      ServerlessV2ScalingConfiguration: { MinCapacity: 0, MaxCapacity: 4, SecondsUntilAutoPause: 300 },
      StorageEncrypted: true,
      EnableIAMDatabaseAuthentication: true,
      DeletionProtection: true,
    });
    template.hasResource('AWS::RDS::DBCluster', { DeletionPolicy: 'Snapshot' });
    const open = Object.entries(template.findResources('AWS::EC2::SecurityGroupIngress')).filter(([id]) =>
      id.startsWith('InventoryInside'),
    );
    expect(open.map(([, { Properties }]) => [Properties.FromPort, Properties.ToPort])).toEqual([[5432, 5432]]);
    expect(JSON.stringify(open[0]?.[1].Properties.SourceSecurityGroupId)).toContain('InventoryFunctions');
  });

  it('follows the streams of nodes and of reports, and gives nothing up for a day', () => {
    const sources = propertiesOf(template, 'AWS::Lambda::EventSourceMapping').filter((one) =>
      JSON.stringify(one.FunctionName).includes('InventoryFeed'),
    );
    const rest = {
      BatchSize: 500,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumRecordAgeInSeconds: 86_400,
      MaximumBatchingWindowInSeconds: 30,
      StartingPosition: 'TRIM_HORIZON',
    };
    expect(sources).toEqual([expect.objectContaining(rest), expect.objectContaining(rest)]);
    // Unbounded retries: a batch ends by its age.
    expect(sources.filter((one) => 'MaximumRetryAttempts' in one)).toEqual([]);
    expect(sources.map((one) => JSON.stringify(one.DestinationConfig).includes('InventoryDeadLetters'))).toEqual([
      true,
      true,
    ]);
    const filters = sources.map(
      (one) => (one.FilterCriteria as { Filters: { Pattern: string }[] } | undefined)?.Filters,
    );
    expect(filters[0]).toBeUndefined();
    expect(filters[1]?.map(({ Pattern }) => JSON.parse(Pattern).dynamodb.Keys.collection.S)).toEqual([
      [{ prefix: 'reports/' }],
      [{ prefix: 'unchanged-runs/' }],
    ]);
  });

  it('answers on the API to callers with IAM permissions only', () => {
    const routes = propertiesOf(template, 'AWS::ApiGatewayV2::Route').filter(({ RouteKey }) =>
      /pdb|puppetdb/.test(String(RouteKey)),
    );
    expect(routes.map(({ RouteKey, AuthorizationType }) => [RouteKey, AuthorizationType])).toEqual([
      ['ANY /pdb/{proxy+}', 'AWS_IAM'],
      ['GET /status/v1/services/puppetdb-status', 'AWS_IAM'],
    ]);
  });

  it('reads the stores, and writes the mark of its pass and what changed answers touch', () => {
    const actions = (part: string) => {
      const policies = Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => id.startsWith(part));
      const statements = policies.flatMap(([, { Properties }]): Statement[] => Properties.PolicyDocument.Statement);
      return [...new Set(statements.flatMap(({ Action }) => [Action].flat()))]
        .filter((one) => /^(dynamodb|s3):/.test(one))
        .sort();
    };
    expect(actions('InventoryQueryRole')).toEqual([]);
    expect(actions('InventoryFeedRole').filter((one) => /Put|Update|Delete|Write/.test(one))).toEqual([
      'dynamodb:DeleteItem',
      'dynamodb:PutItem',
      'dynamodb:UpdateItem',
    ]);
  });

  it('answers compile workers and the authority service through a function, and nobody else', () => {
    const [id] = Object.keys(
      template.findResources('AWS::Lambda::Function', {
        Properties: { Description: 'Answers the queries of manifests and of jobs' },
      }),
    );
    const resources: Record<string, { readonly Type: string; readonly Properties: unknown }> =
      template.toJSON().Resources;
    const told = Object.entries(resources).filter(([, { Properties }]) =>
      JSON.stringify(Properties).includes('UNDERSTUDY_INVENTORY_ANSWERS_FUNCTION'),
    );
    expect(told.map(([name]) => name.replace(/[0-9A-F]{8}$/, ''))).toEqual(['EdgeAuthorityTask', 'WorkersCompile']);
    // What exceeds the size of a role's own policy is in a managed one.
    const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      Object.entries(template.findResources(type)),
    );
    const callers = policies.flatMap(([name, { Properties }]) =>
      Properties.PolicyDocument.Statement.some(
        ({ Action, Resource }: Statement) =>
          Action === 'lambda:InvokeFunction' &&
          JSON.stringify(Resource) === JSON.stringify({ 'Fn::GetAtt': [id, 'Arn'] }),
      )
        ? [name.replace(/(?:Default|Overflow)Policy.*$/, '')]
        : [],
    );
    expect(callers.sort()).toEqual(['EdgeAuthorityTaskTaskRole', 'WorkersCompileRole']);
  });

  it('gives every door that takes catalogs requests the interval of facts', () => {
    const settings = {
      queryTime: 5,
      queryRows: 1000,
      factInterval: 600,
      blockedFacts: 'uptime,/^docker_/',
      capacity: { min: 1, max: 8 },
    };
    const set = stackOf({ [KEY]: settings });
    const functions = JSON.stringify(
      propertiesOf(set, 'AWS::Lambda::Function').find(({ Description }) =>
        /agents on a mutual/.test(String(Description)),
      ),
    );
    expect(functions).toContain('"UNDERSTUDY_PUPPETDB_FACT_INTERVAL":"600"');
    expect(functions).toContain('"UNDERSTUDY_PUPPETDB_BLOCKED_FACTS":"uptime,/^docker_/"');
    const query = JSON.stringify(
      propertiesOf(set, 'AWS::Lambda::Function').find(({ Description }) =>
        /query and command/.test(String(Description)),
      ),
    );
    for (const [name, value] of [
      ['TIME', 5],
      ['ROWS', 1000],
      ['MEMORY', 64],
    ]) {
      expect(query).toContain(`"UNDERSTUDY_PUPPETDB_QUERY_${name}":"${value}"`);
    }
    const tasks = JSON.stringify(propertiesOf(set, 'AWS::ECS::TaskDefinition'));
    expect(tasks).toContain('UNDERSTUDY_PUPPETDB_FACT_INTERVAL');
    set.hasResourceProperties('AWS::RDS::DBCluster', {
      ServerlessV2ScalingConfiguration: { MinCapacity: 1, MaxCapacity: 8, SecondsUntilAutoPause: Match.absent() },
    });
  });

  it.each([
    [{ capacity: { min: 300 } }, "Context understudy:inventory: 'capacity.min'"],
    [{ queryTime: 26 }, "Context understudy:inventory: 'queryTime'"],
    [{ colour: 1 }, 'Context understudy:inventory: '],
    [{ blockedFacts: '/(/' }, '/(/ is no regular expression'],
  ])('refuses %o', (settings, message) => {
    expect(() => Template.fromStack(new UnderstudyStack(newApp({ [KEY]: settings }), 'Test'))).toThrow(message);
  });

  it('has alarms with a section in the runbook', () => {
    const alarms = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) =>
      String(AlarmDescription),
    );
    for (const id of ['InventoryAge', 'InventoryDeadLetters', 'InventoryErrors']) {
      expect(alarms.filter((text) => text.endsWith(`"${id}".`))).toHaveLength(1);
    }
  });
});
