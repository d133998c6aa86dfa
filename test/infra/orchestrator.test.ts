import { Match } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { BROKER, countBrokerConnections } from '../../shared/config/orchestrator.ts';
import { propertiesOf, stackOf } from '../helpers/stack-of.ts';

const KEY = 'understudy:orchestrator';
const template = stackOf();

interface Container {
  readonly Command: readonly string[];
  readonly Environment: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

function containerOf(entry: string, from = template): Readonly<Record<string, unknown>> {
  const containers = propertiesOf(from, 'AWS::ECS::TaskDefinition').flatMap(
    ({ ContainerDefinitions }) => ContainerDefinitions as readonly Container[],
  );
  const container = containers.find(({ Command }) => Command.includes(`${entry}.mjs`));
  if (container === undefined) throw new Error(`no container ${entry}`);
  return { ...container, variables: Object.fromEntries(container.Environment.map(({ Name, Value }) => [Name, Value])) };
}

function statementsOf(part: string): readonly Statement[] {
  const policies = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
    Object.entries(template.findResources(type)).filter(([id]) => id.includes(part)),
  );
  return policies.flatMap(([, { Properties }]): Statement[] => Properties.PolicyDocument.Statement);
}

describe('the PCP broker', () => {
  it('reads the CA and its own documents, writes its own documents, and may do nothing else', () => {
    const statements = statementsOf('EdgeBrokerTaskTaskRole').map(({ Action, Resource, Condition }) => ({
      actions: [Action].flat(),
      resource: /(Documents|EdgeKey)/.exec(JSON.stringify(Resource))?.[1],
      condition: Condition,
    }));
    const leading = (keys: string | readonly string[]) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys },
    });
    expect(statements).toEqual([
      { actions: ['dynamodb:GetItem', 'dynamodb:Query'], resource: 'Documents', condition: leading(['ca', 'pcp-*']) },
      { actions: ['dynamodb:DeleteItem', 'dynamodb:PutItem'], resource: 'Documents', condition: leading(['pcp-*']) },
      { actions: ['kms:Decrypt'], resource: 'EdgeKey', condition: undefined },
    ]);
  });

  it('is open to agents on its port alone, and to the load balancer for its status', () => {
    const rules = Object.entries(template.findResources('AWS::EC2::SecurityGroupIngress'))
      .filter(([id]) => id.startsWith('EdgeBrokerInside'))
      .map(([, { Properties }]) => [
        Properties.FromPort,
        /Edge(\w*?)[0-9A-F]{8}/.exec(JSON.stringify(Properties.SourceSecurityGroupId))?.[1],
      ]);
    expect(rules).toEqual([
      [8142, 'DoorwayInside'],
      [8149, 'DoorwayInside'],
    ]);
  });

  it('has room and files for the connections that fit into its memory', () => {
    const given = stackOf({ [KEY]: { cpu: 1024, memory: 8192, containers: { min: 3, max: 40 } } });
    const { variables, Ulimits } = containerOf('broker', given);
    const connections = countBrokerConnections(8192);
    expect(connections).toBeGreaterThan(140_000);
    expect(variables).toMatchObject({
      UNDERSTUDY_BROKER_CONNECTIONS: String(connections),
      UNDERSTUDY_BROKER_HANDSHAKES: '150',
    });
    const files = connections + 10_000;
    expect(Ulimits).toEqual([{ Name: 'nofile', SoftLimit: files, HardLimit: files }]);
    given.hasResourceProperties('AWS::ECS::TaskDefinition', { Cpu: '1024', Memory: '8192' });
    given.hasResourceProperties('AWS::ApplicationAutoScaling::ScalableTarget', { MinCapacity: 3, MaxCapacity: 40 });
    given.hasResourceProperties('AWS::ApplicationAutoScaling::ScalingPolicy', {
      TargetTrackingScalingPolicyConfiguration: {
        CustomizedMetricSpecification: Match.objectLike({ MetricName: 'BrokerConnections', Statistic: 'Average' }),
        TargetValue: Math.floor(connections / 2),
        ScaleInCooldown: 1800,
        ScaleOutCooldown: 30,
      },
    });
  });

  it('asks Fargate for no more open files than it allows', () => {
    const { Ulimits } = containerOf('broker', stackOf({ [KEY]: { cpu: 4096, memory: 30_720 } }));
    expect(Object(Ulimits)[0].HardLimit).toBeLessThan(1_048_576);
  });

  it('closes its connections in the time that Fargate gives it, after the load balancer left it', () => {
    const { StopTimeout } = containerOf('broker');
    expect(BROKER.drainSeconds).toBeLessThan(Number(StopTimeout));
    const [group] = propertiesOf(template, 'AWS::ElasticLoadBalancingV2::TargetGroup').filter(
      ({ Port }) => Port === 8142,
    );
    expect(group?.TargetGroupAttributes).toContainEqual({ Key: 'deregistration_delay.timeout_seconds', Value: '10' });
    expect(JSON.stringify(group?.TargetGroupAttributes)).not.toContain('connection_termination');
  });

  it('starts after the authority service, which issues its certificate', () => {
    const services = Object.entries(template.findResources('AWS::ECS::Service'));
    const [, broker] = services.find(([id]) => id.startsWith('EdgeBroker')) ?? [];
    expect(JSON.stringify(broker?.DependsOn)).toContain('EdgeAuthorityService');
  });
});

describe('the orchestrator', () => {
  it('runs in the authority service, which has the jobs', () => {
    const { variables, PortMappings } = containerOf('authority');
    const ports = [8141, 4433, 8443, 8143];
    expect(PortMappings).toEqual(ports.map((ContainerPort) => expect.objectContaining({ ContainerPort })));
    expect(variables).toMatchObject({
      UNDERSTUDY_ORCHESTRATOR: 'true',
      UNDERSTUDY_PUPPET_RUNS: '100',
      UNDERSTUDY_TASK_NODES: '250',
      UNDERSTUDY_ACCESS_ALLOW_LIST: '',
    });
    const jobs = statementsOf('EdgeAuthorityTaskTaskRole').filter(({ Resource }) =>
      /"TablesJobs/.test(JSON.stringify(Resource)),
    );
    expect(jobs.flatMap(({ Action }) => Action).sort()).toEqual(
      ['BatchGetItem', 'DeleteItem', 'GetItem', 'PutItem', 'Query', 'UpdateItem'].map((action) => `dynamodb:${action}`),
    );
  });

  it('has the bounds and certnames of the operator', () => {
    const given = stackOf({
      [KEY]: JSON.stringify({ puppetRuns: 40, taskNodes: 1000, keepJobs: 90 }),
      'understudy:settings': { accessAllowList: ['ci.example.com', 'console.example.com'] },
    });
    expect(containerOf('authority', given).variables).toMatchObject({
      UNDERSTUDY_PUPPET_RUNS: '40',
      UNDERSTUDY_TASK_NODES: '1000',
      UNDERSTUDY_KEEP_JOBS: '90',
      UNDERSTUDY_ACCESS_ALLOW_LIST: 'ci.example.com,console.example.com',
    });
    const rules = JSON.stringify(propertiesOf(given, 'AWS::S3::Bucket'));
    expect(rules).toMatch(
      /"ExpirationInDays":90,[^{}]*"NoncurrentVersionExpiration":\{"NoncurrentDays":1\},"Prefix":"jobs\/"/,
    );
  });

  it.each([false, 'false'])('is not there, and neither is the broker, if the operator says %j', (value) => {
    const given = stackOf({ [KEY]: value });
    given.resourceCountIs('AWS::ECS::Service', 2);
    const listeners = propertiesOf(given, 'AWS::ElasticLoadBalancingV2::Listener').map(({ Port }) => Port);
    expect(listeners).toEqual([8140, 8141, 4433, 8443]);
    expect(containerOf('authority', given).variables).toMatchObject({ UNDERSTUDY_ORCHESTRATOR: 'false' });
    const alarms = propertiesOf(given, 'AWS::CloudWatch::Alarm').map(({ AlarmDescription }) =>
      String(AlarmDescription),
    );
    expect(alarms.filter((text) => /PCP|PXP|orchestrator/.test(text))).toEqual([]);
    expect(
      Object.keys(given.findOutputs('*'))
        .filter((name) => name.endsWith('Url'))
        .sort(),
    ).toEqual(['AccessUrl', 'ApiUrl', 'ConsoleUrl']);
  });

  it('says where it is', () => {
    expect(Object.keys(template.findOutputs('OrchestratorUrl'))).toEqual(['OrchestratorUrl']);
  });

  it.each([
    [{ cpu: 300 }, "Context understudy:orchestrator: 'cpu' must be one of 256, 512, 1024, 2048, 4096"],
    [{ memory: 4096 }, "Context understudy:orchestrator: 'memory' must be a whole number from 512 to 2048"],
    [{ memory: 1500 }, "Context understudy:orchestrator: 'memory' must be 512 or a multiple of 1024"],
    [
      { containers: { min: 5, max: 4 } },
      "Context understudy:orchestrator: 'containers.max' must be a whole number from 5",
    ],
    [{ size: 'large' }, "Context understudy:orchestrator: 'size' is not a setting"],
    ['[]', 'Context understudy:orchestrator: it must be an object'],
  ])('refuses the context %j', (context, message) => {
    expect(() => stackOf({ [KEY]: context })).toThrow(message);
  });
});
