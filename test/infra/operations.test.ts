import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { UnderstudyStack } from '../../infra/stack.ts';
import { newApp, propertiesOf, stackOf } from '../helpers/stack-of.ts';

const KEY = 'understudy:operations';
const VAULT = 'arn:aws:backup:eu-west-1:111111111111:backup-vault:elsewhere';
const DIGEST = `public.ecr.aws/docker/library/node@sha256:${'0123456789abcdef'.repeat(4)}`;

describe('what the operator turns on', () => {
  it('tags every resource that can be tagged', () => {
    const template = stackOf({ [KEY]: { tags: { team: 'platform' } } });
    for (const type of ['AWS::DynamoDB::Table', 'AWS::SQS::Queue', 'AWS::S3::Bucket', 'AWS::Lambda::Function']) {
      template.allResourcesProperties(type, {
        Tags: Match.arrayWith([{ Key: 'team', Value: 'platform' }]),
      });
    }
  });

  it('tells the topic when the month costs more than the budget, or will', () => {
    const template = stackOf({ [KEY]: { budget: 250, tags: { team: 'platform' } } });
    const topic = { Ref: Match.stringLikeRegexp('^AlarmsTopic') };
    template.hasResourceProperties('AWS::Budgets::Budget', {
      Budget: {
        BudgetLimit: { Amount: 250, Unit: 'USD' },
        TimeUnit: 'MONTHLY',
        CostFilters: { TagKeyValue: ['user:team$platform'] },
      },
      NotificationsWithSubscribers: ['ACTUAL', 'FORECASTED'].map((NotificationType) => ({
        Notification: Match.objectLike({ NotificationType, Threshold: 100 }),
        Subscribers: [{ SubscriptionType: 'SNS', Address: topic }],
      })),
    });
    const [policy] = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    expect(Object(policy?.PolicyDocument).Statement).toContainEqual(
      expect.objectContaining({
        Effect: 'Allow',
        Principal: { Service: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] },
        Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
      }),
    );
  });

  it.each([
    [true, 'enabled'],
    [false, 'disabled'],
  ])('has Container Insights only if the operator wants them: %s', (containerInsights, value) => {
    const template = stackOf({ [KEY]: { containerInsights } });
    template.hasResourceProperties('AWS::ECS::Cluster', {
      ClusterSettings: [{ Name: 'containerInsights', Value: value }],
    });
  });

  it.each([true, false])('protects tables and load balancer from deletion: %s', (deletionProtection) => {
    const template = stackOf({ [KEY]: { deletionProtection } });
    template.allResourcesProperties('AWS::DynamoDB::Table', { DeletionProtectionEnabled: deletionProtection });
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', {
      LoadBalancerAttributes: Match.arrayWith([
        { Key: 'deletion_protection.enabled', Value: String(deletionProtection) },
      ]),
    });
  });

  it('backs up all tables and the bucket each day, and copies that elsewhere', () => {
    const template = stackOf({ [KEY]: { backups: { days: 7, copyTo: VAULT } } });
    template.hasResource('AWS::Backup::BackupVault', { DeletionPolicy: 'Retain' });
    template.hasResourceProperties('AWS::Backup::BackupPlan', {
      BackupPlan: {
        BackupPlanRule: [
          Match.objectLike({
            Lifecycle: { DeleteAfterDays: 7 },
            CopyActions: [{ DestinationBackupVaultArn: VAULT, Lifecycle: { DeleteAfterDays: 7 } }],
          }),
        ],
      },
    });
    const [selection] = propertiesOf(template, 'AWS::Backup::BackupSelection');
    const tables = Object.keys(template.findResources('AWS::DynamoDB::Table'));
    const chosen = JSON.stringify(selection);
    expect(tables.filter((table) => !chosen.includes(`"${table}"`))).toEqual([]);
    expect(chosen).toMatch(/"StorageData[0-9A-F]+","Arn"/);
    stackOf().resourceCountIs('AWS::Backup::BackupPlan', 0);
  });

  it('notifies whom the operator names, and links the runbook', () => {
    const given = { critical: ['ops@example.com', 'https://pager.example.com/hook'], warning: ['team@example.com'] };
    const template = stackOf({ [KEY]: { subscribers: given, runbook: 'https://wiki.example.com/understudy' } });
    const subscriptions = propertiesOf(template, 'AWS::SNS::Subscription').map(({ Protocol, Endpoint, TopicArn }) => [
      Object(TopicArn).Ref.replace(/[0-9A-F]{8}$/, ''),
      Protocol,
      Endpoint,
    ]);
    expect(subscriptions.sort()).toEqual([
      ['AlarmsTopic', 'email', 'ops@example.com'],
      ['AlarmsTopic', 'https', 'https://pager.example.com/hook'],
      ['AlarmsWarnings', 'email', 'team@example.com'],
    ]);
    const described = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) => AlarmDescription);
    expect(described).toContainEqual(expect.stringMatching(/ Runbook: https:..wiki.example.com.understudy#edgegone$/));
  });

  it('keeps tables warm for the throughput that the operator names', () => {
    const warmThroughput = { reads: 20_000, writes: 40_000 };
    const tables = propertiesOf(stackOf({ [KEY]: { warmThroughput } }), 'AWS::DynamoDB::Table');
    const warm = { ReadUnitsPerSecond: 20_000, WriteUnitsPerSecond: 40_000 };
    for (const { WarmThroughput, GlobalSecondaryIndexes = [] } of tables) {
      const indexes = [GlobalSecondaryIndexes].flat().map((index) => Object(index).WarmThroughput);
      expect([WarmThroughput, ...indexes]).toEqual(Array(1 + indexes.length).fill(warm));
    }
    expect(propertiesOf(stackOf(), 'AWS::DynamoDB::Table').filter((one) => 'WarmThroughput' in one)).toEqual([]);
  });

  it('bounds the throughput of each table and index if a setting asks for it', () => {
    const maxThroughput = { reads: 500, writes: 200 };
    const tables = propertiesOf(stackOf({ [KEY]: { maxThroughput } }), 'AWS::DynamoDB::Table');
    const most = { MaxReadRequestUnits: 500, MaxWriteRequestUnits: 200 };
    for (const { OnDemandThroughput, GlobalSecondaryIndexes = [] } of tables) {
      const indexes = [GlobalSecondaryIndexes].flat().map((index) => Object(index).OnDemandThroughput);
      expect([OnDemandThroughput, ...indexes]).toEqual(Array(1 + indexes.length).fill(most));
    }
    expect(JSON.stringify(stackOf().toJSON())).not.toContain('OnDemandThroughput');
  });

  it('lets no scheduled run be tried again by Lambda, and no chain end as a loop', () => {
    const template = stackOf({ [KEY]: { probe: { certname: 'a', secret: 'b' } }, 'understudy:inventory': true });
    const configurations = propertiesOf(template, 'AWS::Lambda::EventInvokeConfig').map(
      ({ FunctionName, MaximumRetryAttempts }) => [Object(FunctionName).Ref, MaximumRetryAttempts],
    );
    const rules = propertiesOf(template, 'AWS::Events::Rule').filter(({ ScheduleExpression }) => ScheduleExpression);
    const scheduled = rules.map(({ Targets }) => Object([Targets].flat()[0]).Arn['Fn::GetAtt'][0]);
    expect(scheduled).toHaveLength(4);
    expect(configurations.sort()).toEqual(scheduled.map((id) => [id, 0]).sort());
    const loops = Object.entries(template.findResources('AWS::Lambda::Function')).flatMap(([id, { Properties }]) =>
      Properties.RecursiveLoop === undefined ? [] : [[id.replace(/[0-9A-F]{8}$/, ''), Properties.RecursiveLoop]],
    );
    expect(loops).toEqual([['WorkersFanOut', 'Allow']]);
  });

  it('traces every function', () => {
    const traced = propertiesOf(stackOf({ [KEY]: { tracing: true } }), 'AWS::Lambda::Function').filter(
      ({ Runtime }) => Runtime === 'nodejs24.x',
    );
    expect(traced.length).toBeGreaterThan(4);
    expect(traced.filter(({ TracingConfig }) => Object(TracingConfig).Mode !== 'Active')).toEqual([]);
  });

  it('lets a new compile function take over step by step, and goes back on alarms', () => {
    const template = stackOf({ [KEY]: { gradualDeploy: true } });
    template.hasResourceProperties('AWS::CodeDeploy::DeploymentGroup', {
      DeploymentConfigName: 'CodeDeployDefault.LambdaCanary10Percent5Minutes',
      AlarmConfiguration: {
        Enabled: true,
        Alarms: [
          { Name: { Ref: Match.stringLikeRegexp('^AlarmsCompileErrors') } },
          { Name: { Ref: Match.stringLikeRegexp('^AlarmsJobFaults') } },
        ],
      },
      AutoRollbackConfiguration: { Enabled: true, Events: Match.arrayWith(['DEPLOYMENT_STOP_ON_ALARM']) },
    });
    template.hasResource('AWS::Lambda::Alias', {
      Properties: { Name: 'live', FunctionVersion: Match.anyValue() },
      UpdatePolicy: { CodeDeployLambdaAliasUpdate: Match.anyValue() },
    });
    const queued = propertiesOf(template, 'AWS::Lambda::EventSourceMapping').filter(
      ({ ScalingConfig, FunctionName }) => ScalingConfig && !JSON.stringify(FunctionName).includes('FanOut'),
    );
    expect(queued).toHaveLength(3);
    for (const { FunctionName } of queued) expect(JSON.stringify(FunctionName)).toContain('CompileAlias');
  });

  it("tries an agent's run every five minutes, and alarms when that fails or does not happen", () => {
    const template = stackOf({ [KEY]: { probe: { certname: 'probe', secret: 'puppet/probe' } } });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          UNDERSTUDY_PROBE_CERTNAME: 'probe',
          UNDERSTUDY_PROBE_KEY: 'secret:puppet/probe#key',
        }),
      },
      VpcConfig: Match.anyValue(),
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(5 minutes)' });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ProbeFailures',
      Threshold: 0,
      TreatMissingData: 'breaching',
    });
  });

  it('shows queues, hits, compiles, ring, held requests and cost on a dashboard', () => {
    const [dashboard] = propertiesOf(stackOf(), 'AWS::CloudWatch::Dashboard');
    const text = JSON.stringify(dashboard);
    for (const name of [
      'ApproximateNumberOfMessagesVisible',
      'ApproximateAgeOfOldestMessage',
      'CatalogHits',
      'CompiledCatalogs',
      'RingLagSeconds',
      'IteratorAge',
      'HeldRequests',
      'Estimated cost',
      'Fan-outs of deploys',
      'ApproximateNumberOfMessagesNotVisible',
      'Given up',
    ]) {
      expect(text).toContain(name);
    }
    stackOf({ [KEY]: { dashboard: false } }).resourceCountIs('AWS::CloudWatch::Dashboard', 0);
  });

  it.each<[unknown, string]>([
    [{ budget: '250' }, "'budget' must be a whole number from 1 to 10000000"],
    [{ backups: { days: 0 } }, "'backups.days' must be a whole number from 1 to 3650"],
    [{ backups: { copyTo: 'vault' } }, "'backups.copyTo' must be the ARN of a backup vault"],
    [{ tags: { team: 1 } }, "'tags.team' must be a non-empty string"],
    [{ alarms: true }, "'alarms' is not a setting"],
    [{ subscribers: { critical: ['ops'] } }, "'subscribers.critical' must be addresses of mail, or URLs (https)"],
    [{ runbook: 'https://wiki.example.com#a' }, "'runbook' must be a URL without anchor"],
    [
      { warmThroughput: { reads: 20_000 }, maxThroughput: { reads: 500 } },
      "'maxThroughput.reads' must be at least that of 'warmThroughput', 20000",
    ],
    [{ maxThroughput: { writes: 10 } }, "'maxThroughput.writes' must be a whole number from 100 to 1000000"],
    [{ warmThroughput: { writes: 10 } }, "'warmThroughput.writes' must be a whole number from 4000 to 1000000"],
  ])('refuses the context %j', (context, message) => {
    expect(() => stackOf({ [KEY]: context })).toThrow(`Context ${KEY}: ${message}`);
  });
});

describe('several stacks of an account', () => {
  it('keep their metrics apart by the stage', () => {
    const template = stackOf({ 'understudy:stage': 'staging' });
    const namespaces = propertiesOf(template, 'AWS::CloudWatch::Alarm').map(({ Namespace }) => String(Namespace));
    expect(namespaces.filter((name) => name.startsWith('Understudy'))).toEqual(
      Array.from({ length: 10 }, () => 'Understudy/staging'),
    );
  });

  it('have no physical name that two could share', () => {
    const names = ['TableName', 'BucketName', 'QueueName', 'FunctionName', 'TopicName', 'RoleName', 'LogGroupName'];
    const resources = Object.values(stackOf().toJSON().Resources) as { Type: string; Properties?: object }[];
    const named = resources.filter(
      ({ Type, Properties = {} }) =>
        /Table$|Bucket$|Queue$|Function$|Topic$|Role$|LogGroup$/.test(Type) && names.some((name) => name in Properties),
    );
    expect(named.map(({ Type }) => Type)).toEqual([]);
  });

  it.each(['Staging', '-a', 'a'.repeat(21)])('refuse the stage %s', (stage) => {
    expect(() => stackOf({ 'understudy:stage': stage })).toThrow('Context understudy:stage: it must be up to 20');
  });
});

describe('the containers', () => {
  it('check themselves', () => {
    const [task] = propertiesOf(stackOf(), 'AWS::ECS::TaskDefinition');
    const [container] = Object(task).ContainerDefinitions;
    const [kind, program, flag, script] = container.HealthCheck.Command;
    expect([kind, program, flag]).toEqual(['CMD', 'node', '--eval']);
    expect(script).toContain("port:8140,path:'/status/v1/simple/status-service'");
  });

  it('are more when they hold many requests or connections, and when they are busy', () => {
    const targets = propertiesOf(stackOf(), 'AWS::ApplicationAutoScaling::ScalingPolicy').map(
      ({ TargetTrackingScalingPolicyConfiguration: target }) => {
        const {
          CustomizedMetricSpecification: own,
          PredefinedMetricSpecification: known,
          TargetValue,
        } = Object(target);
        return [own ? `${own.Namespace} ${own.MetricName} ${own.Statistic}` : known.PredefinedMetricType, TargetValue];
      },
    );
    expect(targets.sort()).toEqual([
      ['ECSServiceAverageCPUUtilization', 50],
      ['ECSServiceAverageCPUUtilization', 60],
      ['Understudy BrokerConnections Average', 7400],
      ['Understudy HeldRequests Average', 1500],
      ['Understudy OpenConnections Average', 2500],
    ]);
  });

  it('are built on the image that the operator names, by its digest', () => {
    const edge = { names: ['puppet'], agentNetworks: ['10.0.0.0/8'] };
    const app = newApp({ 'understudy:edge': { ...edge, baseImage: DIGEST } });
    new UnderstudyStack(app, 'Test');
    const { directory } = app.synth();
    const { dockerImages } = JSON.parse(readFileSync(join(directory, 'Test.assets.json'), 'utf8'));
    const [image] = Object.values(dockerImages) as { source: { directory: string } }[];
    const dockerfile = readFileSync(join(directory, image?.source.directory ?? '', 'Dockerfile'), 'utf8');
    expect(dockerfile.split('\n')[0]).toBe(`FROM ${DIGEST}`);
    expect(() => stackOf({ 'understudy:edge': { ...edge, baseImage: 'node:24' } })).toThrow(
      "Context understudy:edge: 'baseImage' must be an image with its digest (NAME@sha256:…)",
    );
  });
});
