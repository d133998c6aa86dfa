import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validations } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { beforeAll, describe, expect, it } from 'vitest';
import { UnderstudyStack } from '../../infra/stack.ts';
import { PLAN_DAYS, QUEUES } from '../../shared/config/deployment.ts';
import { EDGE } from '../../shared/config/front-doors.ts';
import { FIXED, ORCHESTRATOR_FIXED } from '../cost/work.ts';
import { type RoleStatement, roleStatements } from '../helpers/role-statements.ts';
import { newApp, stackOf } from '../helpers/stack-of.ts';

interface Resource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
}

const cdk: { context: Record<string, unknown> } = JSON.parse(readFileSync('cdk.json', 'utf8'));

let template: Template;

beforeAll(() => {
  template = stackOf();
});

function resources(type: string): [string, Resource][] {
  return Object.entries(template.findResources(type)) as [string, Resource][];
}

function functionNamed(part: string): Resource {
  const found = resources('AWS::Lambda::Function').find(([id]) => id.includes(part));
  if (!found) throw new Error(`no function ${part}`);
  return found[1];
}

/** All statements of the policies of one function's role. */
function statementsOf(part: string): RoleStatement[] {
  return roleStatements(template, part);
}

function actionsOf(part: string): string[] {
  return statementsOf(part).flatMap(({ Action }) => Action);
}

describe('what expires', () => {
  it('is plans that nobody needs any more, but none of a deploy that lasts', () => {
    expect(PLAN_DAYS.renewed).toBeLessThan(PLAN_DAYS.kept / 2);
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: Match.arrayWith([Match.objectLike({ Prefix: 'fan-outs/', ExpirationInDays: PLAN_DAYS.kept })]),
      },
    });
  });

  it('is documents and sums of queries with a time, by the attribute of the table', () => {
    const expiries = resources('AWS::DynamoDB::Table').flatMap(([id, { Properties }]) => {
      const { AttributeName } = Object(Properties.TimeToLiveSpecification);
      return AttributeName ? [`${id.replace(/^Tables(.*)[0-9A-F]{8}$/, '$1')} ${AttributeName}`] : [];
    });
    expect(expiries).toEqual(expect.arrayContaining(['Exports expires', 'Documents expires']));
  });
});

describe('encryption', () => {
  it('encrypts every table and keeps it recoverable', () => {
    expect(resources('AWS::DynamoDB::Table')).toHaveLength(7);
    template.allResourcesProperties('AWS::DynamoDB::Table', {
      SSESpecification: { SSEEnabled: true },
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
    });
  });

  it('keeps no copy of a record in an index', () => {
    const indexes = resources('AWS::DynamoDB::Table').flatMap(
      ([, { Properties }]) => Properties.GlobalSecondaryIndexes ?? [],
    );
    expect(indexes).toHaveLength(2);
    expect(indexes).toEqual(
      indexes.map(() => expect.objectContaining({ Projection: { ProjectionType: 'KEYS_ONLY' } })),
    );
  });

  it('encrypts every bucket and shuts it to the public', () => {
    template.allResourcesProperties('AWS::S3::Bucket', {
      BucketEncryption: Match.anyValue(),
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
  });

  it('encrypts every queue and refuses plain HTTP', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
    const policies = resources('AWS::SQS::QueuePolicy').map(([, { Properties }]) => JSON.stringify(Properties));
    expect(policies).toHaveLength(resources('AWS::SQS::Queue').length);
    expect(policies.every((text) => text.includes('"aws:SecureTransport":"false"'))).toBe(true);
  });

  it('keeps tables and buckets when the stack is deleted', () => {
    template.allResources('AWS::DynamoDB::Table', { DeletionPolicy: 'Retain' });
    template.allResources('AWS::S3::Bucket', { DeletionPolicy: 'Retain' });
  });
});

describe('least privilege', () => {
  it('a compile function sends to no queue and deletes no catalog', () => {
    const actions = actionsOf('Compile');
    expect(actions).toContain('sqs:ReceiveMessage');
    expect(actions.filter((action) => /^sqs:Send|^s3:Delete|\*/.test(action))).toEqual([]);
  });

  it('a compile function writes only catalogs, what they read, and names of damaged files to the bucket', () => {
    const writes = statementsOf('Compile').filter(({ Action }) => [Action].flat().includes('s3:PutObject'));
    const targets = JSON.stringify(writes.map(({ Resource }) => Resource));
    expect(targets.match(/"\/[a-z]+\/\*"/g)?.sort()).toEqual([
      '"/catalogs/*"',
      '"/damaged/*"',
      '"/dependencies/*"',
      '"/readers/*"',
      '"/requests/*"',
    ]);
  });

  it('a compile function reaches kept values alone of the documents, where the CA lives, and notes what failed', () => {
    const statements = statementsOf('Compile').filter((statement) => JSON.stringify(statement).includes('Documents'));
    const [keptValues, faults, failing] = ['kept-values', 'compile-faults', 'failing/compile'].map((collection) => ({
      'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [collection] },
    }));
    expect(statements.map(({ Action, Condition }) => [Action, Condition])).toEqual([
      [['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'], keptValues],
      ['dynamodb:PutItem', faults],
      [['dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem'], failing],
    ]);
  });

  it.each(['Compile', 'Exports', 'FanOut', 'Feed', 'Prune', 'App', 'EdgeTaskTask', 'EdgeAuthorityTaskTask'])(
    '%s names its actions',
    (part) => {
      const actions = actionsOf(part);
      expect(actions.length).toBeGreaterThan(0);
      expect(actions.filter((action) => action.includes('*'))).toEqual([]);
    },
  );

  it('only listing streams is allowed on all resources', () => {
    const everywhere = ['Compile', 'Exports', 'FanOut', 'Feed', 'Prune', 'App', 'NotifyRecord'].flatMap((part) =>
      statementsOf(part).filter(({ Resource }) => Resource === '*'),
    );
    expect(everywhere.flatMap(({ Action }) => Action)).toEqual(['dynamodb:ListStreams', 'dynamodb:ListStreams']);
  });
});

describe('pruning', () => {
  it('alone deletes code and catalogs', () => {
    const deleting = (part: string) => {
      const statements = statementsOf(part).filter(({ Action }) => [Action].flat().includes('s3:DeleteObject'));
      return JSON.stringify(statements.map(({ Resource }) => Resource)).match(/"\/[a-z]+\/\*"/g) ?? [];
    };
    expect(deleting('Prune').sort()).toEqual([
      '"/catalogs/*"',
      '"/damaged/*"',
      '"/facts/*"',
      '"/files/*"',
      '"/packs/*"',
      '"/reports/*"',
      '"/snapshots/*"',
    ]);
    const others = ['Compile', 'Exports', 'FanOut', 'Feed', 'App', 'EdgeTaskTask', 'EdgeAuthorityTaskTask'].flatMap(
      deleting,
    );
    expect(others.filter((target) => /files|packs|snapshots|catalogs/.test(target))).toEqual([]);
  });

  it('keeps things for as long as the operator says', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({
          UNDERSTUDY_KEEP_HISTORY: '50',
          UNDERSTUDY_KEEP_CODE: '14',
          UNDERSTUDY_KEEP_REPORTS: '30',
          UNDERSTUDY_KEEP_BUCKET: '365',
        }),
      },
    });
    template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(6 hours)' });
  });
});

describe('the quota of concurrent executions', () => {
  it('is reserved for no function: a new account has 10', () => {
    const functions = resources('AWS::Lambda::Function').map(([, { Properties }]) => Properties);
    expect(functions.length).toBeGreaterThan(4);
    expect(functions.filter((one) => 'ReservedConcurrentExecutions' in one)).toEqual([]);
  });
});

describe('queues', () => {
  it('the visibility time-out is at least six times the function time-out', () => {
    const timeout = functionNamed('Compile').Properties.Timeout;
    expect(timeout).toBe(150);
    const queues = resources('AWS::SQS::Queue').filter(([, { Properties }]) => Properties.RedrivePolicy);
    const [fanOuts, jobQueues] = [true, false].map((is) => queues.filter(([id]) => id.includes('FanOut') === is));
    expect(jobQueues).toHaveLength(3);
    for (const [, { Properties }] of jobQueues ?? []) {
      expect(Properties.VisibilityTimeout).toBeGreaterThanOrEqual(6 * Number(timeout));
    }
    const visible = fanOuts?.map(([, { Properties }]) => Properties.VisibilityTimeout);
    expect(visible).toEqual([6 * Number(functionNamed('FanOut').Properties.Timeout)]);
  });

  it('each job queue has dead letters of its own', () => {
    const targets = resources('AWS::SQS::Queue').flatMap(([, { Properties }]) =>
      Properties.RedrivePolicy ? [JSON.stringify(Properties.RedrivePolicy)] : [],
    );
    expect(new Set(targets).size).toBe(4);
    expect(targets.every((text) => text.includes(`"maxReceiveCount":${QUEUES.maxReceives}`))).toBe(true);
  });

  it('compiles are bounded and report the failed items of a batch', () => {
    const sources = resources('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
    expect(sources).toHaveLength(6);
    for (const source of sources) expect(source.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
    const bounds = sources.flatMap((source) => (source.ScalingConfig ? [source.ScalingConfig] : []));
    expect(bounds).toEqual([100, 100, 20, 20].map((MaximumConcurrency) => ({ MaximumConcurrency })));
  });

  it('the compile function may say when a job comes again', () => {
    const allowed = statementsOf('Compile').filter(({ Action }) =>
      [Action].flat().includes('sqs:ChangeMessageVisibility'),
    );
    expect(allowed.flatMap(({ Resource }) => Resource)).toHaveLength(3);
  });

  it('a job that takes the compile function down takes no other one with it', () => {
    const sources = resources('AWS::Lambda::EventSourceMapping').map(([, { Properties }]) => Properties);
    expect(sources.flatMap(({ ScalingConfig, BatchSize }) => (ScalingConfig ? [BatchSize] : []))).toEqual([1, 1, 1, 1]);
  });

  it.each(['Exports', 'Feed', 'Prune'])('%s has the time to tell a whole fleet', (part) => {
    expect(functionNamed(part).Properties.Timeout).toBe(900);
  });

  it('the exports stream retries with a limit and keeps what it gives up', () => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      MaximumRetryAttempts: 10,
      BisectBatchOnFunctionError: true,
      DestinationConfig: { OnFailure: { Destination: Match.anyValue() } },
    });
  });

  it('the exports stream delivers changes of exports only, in batches', () => {
    const pattern = (image: string) => ({
      Pattern: JSON.stringify({ dynamodb: { [image]: { resource: { S: [{ exists: true }] } } } }),
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      MaximumBatchingWindowInSeconds: 15,
      BatchSize: 2000,
      FilterCriteria: { Filters: [pattern('NewImage'), pattern('OldImage')] },
    });
  });
});

describe('functions', () => {
  it('run on Node 24 and arm64, and log with a retention', () => {
    const ours = ['Compile', 'Exports', 'FanOut', 'Feed', 'Prune', 'App', 'NotifyRecord'].map(functionNamed);
    for (const { Properties } of ours) {
      expect(Properties).toMatchObject({ Runtime: 'nodejs24.x', Architectures: ['arm64'], Handler: 'index.handler' });
      expect(Properties.LoggingConfig).toMatchObject({ LogGroup: expect.anything() });
    }
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: Match.anyValue() });
  });

  it('the API answers within the 30 seconds of API Gateway', () => {
    expect(Number(functionNamed('FrontDoor').Properties.Timeout)).toBeLessThan(30);
  });
});

describe('the edge', () => {
  it('passes TLS on unopened, so that the app sees the client certificate', () => {
    template.allResourcesProperties('AWS::ElasticLoadBalancingV2::Listener', { Protocol: 'TCP' });
    for (const [, { Properties }] of resources('AWS::ElasticLoadBalancingV2::TargetGroup')) {
      const isBroker = Properties.Port === 8142;
      expect(Properties).toMatchObject({
        Protocol: 'TCP',
        HealthCheckProtocol: isBroker ? 'HTTP' : 'HTTPS',
        HealthCheckPath: isBroker ? '/status/v1/simple' : '/status/v1/simple/status-service',
      });
    }
    for (const type of ['Listener', 'TargetGroup']) {
      const ports = resources(`AWS::ElasticLoadBalancingV2::${type}`).map(([, { Properties }]) => Properties.Port);
      expect(ports).toEqual([8140, 8141, 4433, 8443, 8143, 8142]);
    }
  });

  it('is internal and open to private networks only, unless cdk.json says otherwise', () => {
    template.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', {
      Type: 'network',
      Scheme: 'internal',
    });
    const ownNetworks = ['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16'];
    expect(openPorts(template)).toEqual({
      Agents: rulesOf(ownNetworks, [8140]),
      PxpAgents: rulesOf(ownNetworks, [8142]),
      Operators: rulesOf(ownNetworks, [8141, 8143]),
      People: rulesOf(ownNetworks, [4433, 8443]),
    });
  });

  it('is named as its agents call it, and the API sends clients of large answers there', () => {
    const context = { names: ['pool.example.com', 'puppet'], internetFacing: true, agentNetworks: ['0.0.0.0/0'] };
    const named = stackOf({ 'understudy:edge': JSON.stringify(context) }, 'Named');
    named.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', { Scheme: 'internet-facing' });
    const task = JSON.stringify(named.findResources('AWS::ECS::TaskDefinition'));
    expect(task).toContain('"Name":"UNDERSTUDY_EDGE_NAMES","Value":{"Fn::Join":["",["pool.example.com,puppet,"');
    named.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ UNDERSTUDY_EDGE_URL: 'https://pool.example.com:8140' }) },
    });
  });

  it.each([
    [{ names: [] }, "Context understudy:edge: 'names' must be a list of host names, the server's first"],
    [{ names: ['puppet'], agentNetworks: '10.0.0.0/8' }, "Context understudy:edge: 'agentNetworks' must be a list"],
    [
      { names: ['puppet'], agentNetworks: ['10.0.0.0/8'], internetFacing: 'yes' },
      "Context understudy:edge: 'internetFacing' must be true or false",
    ],
    [
      { names: ['puppet'], agentNetworks: ['10.0.0.0/8'], address: 'puppet.example.com' },
      "Context understudy:edge: 'address' must be an IP address",
    ],
  ])('refuses the context %j', (context, message) => {
    expect(() => stackOf({ 'understudy:edge': context })).toThrow(message);
  });

  it('holds no request longer than a container that stops may run', () => {
    expect(EDGE.holdSeconds).toBeLessThan(EDGE.graceSeconds);
    expect(EDGE.graceSeconds).toBeLessThan(EDGE.stopSeconds);
    template.allResourcesProperties('AWS::ECS::TaskDefinition', {
      RuntimePlatform: { CpuArchitecture: 'ARM64' },
      ContainerDefinitions: [Match.objectLike({ StopTimeout: EDGE.stopSeconds, ReadonlyRootFilesystem: true })],
    });
  });

  it('grows with its load and goes back when a new version does not come up', () => {
    template.hasResourceProperties('AWS::ApplicationAutoScaling::ScalableTarget', { MinCapacity: 2, MaxCapacity: 20 });
    template.allResourcesProperties('AWS::ECS::Service', {
      DeploymentConfiguration: Match.objectLike({ DeploymentCircuitBreaker: { Enable: true, Rollback: true } }),
    });
  });
});

describe('the authority service', () => {
  const KEYS = ['AuthorityKey', 'EdgeKey'];

  /** What each role may do with each key. */
  function keyUse(given: Template, part: string): Readonly<Record<string, readonly string[]>> {
    const statements = roleStatements(given, part);
    const uses = KEYS.map((key) => {
      const of = statements.filter(({ Resource }) => JSON.stringify(Resource).includes(`"${key}`));
      return [key, of.flatMap(({ Action }) => Action).sort()] as const;
    });
    return Object.fromEntries(uses.filter(([, actions]) => actions.length > 0));
  }

  it('alone may use the key of the certificate authority', () => {
    const both = ['kms:Decrypt', 'kms:Encrypt'];
    expect(keyUse(template, 'EdgeAuthorityTaskTask')).toEqual({ AuthorityKey: both, EdgeKey: both });
    expect(keyUse(template, 'EdgeTaskTask')).toEqual({ EdgeKey: ['kms:Decrypt'] });
    for (const part of ['Compile', 'Exports', 'FanOut', 'Feed', 'Prune', 'App']) {
      expect(keyUse(template, part)).toEqual({});
    }
    const [edge] = resources('AWS::ECS::TaskDefinition');
    expect(JSON.stringify(edge)).not.toContain('"AuthorityKey');
  });

  it.each([
    [{}, {}],
    [{ certificateRequests: {} }, {}],
    [{ certificateRequests: { challengeSecret: 's' } }, { AuthorityKey: ['kms:Decrypt', 'kms:Encrypt'] }],
    [{ deploys: true }, {}],
  ])('leaves the API the key only to sign: %j', (api, expected) => {
    const given = stackOf({ 'understudy:api': api });
    expect(keyUse(given, 'FrontDoorApp')).toEqual(expected);
    given.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: Match.objectLike({ UNDERSTUDY_API_SIGNS: String(Object.keys(expected).length > 0) }),
      },
    });
  });

  it('is found inside the VPC by its name, and answers the edge and the load balancer only', () => {
    template.hasResourceProperties('AWS::ServiceDiscovery::PrivateDnsNamespace', { Name: 'test.internal' });
    const [[, edge] = [], [authorityId] = []] = resources('AWS::ECS::TaskDefinition');
    const [container] = Object(edge?.Properties.ContainerDefinitions);
    expect(container.Environment).toContainEqual({
      Name: 'UNDERSTUDY_AUTHORITY_URL',
      Value: 'https://authority.test.internal:8141',
    });
    expect(authorityId).toMatch(/^EdgeAuthorityTask/);
    const rules = resources('AWS::EC2::SecurityGroupIngress').filter(([id]) => id.startsWith('EdgeAuthorityInside'));
    const sources = rules.map(([, { Properties }]) => JSON.stringify(Properties.SourceSecurityGroupId));
    const ports = rules.map(([, { Properties }]) => Properties.FromPort);
    const seen = sources.map((text, index) => `${/Edge(Inside|Doorway)/.exec(text)?.[1]} ${ports[index]}`);
    expect(seen.sort()).toEqual(['Doorway 4433', 'Doorway 8141', 'Doorway 8143', 'Doorway 8443', 'Inside 8141']);
    const open = resources('AWS::EC2::SecurityGroup').find(([id]) => id.startsWith('EdgeAuthorityInside'));
    expect(open?.[1].Properties.SecurityGroupIngress).toBeUndefined();
  });

  it('starts before the edge, which serves with a certificate that it issues', () => {
    const [edge] = resources('AWS::ECS::Service');
    expect(JSON.stringify(Object(edge?.[1]).DependsOn)).toContain('EdgeAuthorityService');
  });

  it('is open to networks of its own, if the operator says so', () => {
    const edge = { names: ['puppet'], agentNetworks: ['0.0.0.0/0'], operatorNetworks: ['10.7.0.0/16'] };
    expect(openPorts(stackOf({ 'understudy:edge': edge }))).toEqual({
      Agents: rulesOf(['0.0.0.0/0'], [8140]),
      PxpAgents: rulesOf(['0.0.0.0/0'], [8142]),
      Operators: rulesOf(['10.7.0.0/16'], [8141, 8143]),
      People: rulesOf(['10.7.0.0/16'], [4433, 8443]),
    });
  });
});

/** `NETWORK PORT` for each rule. */
function rulesOf(networks: readonly string[], ports: readonly number[]): readonly string[] {
  return networks.flatMap((network) => ports.map((port) => `${network} ${port}`));
}

/** The rules that let clients in, by the load balancer's security group. */
function openPorts(of: Template): Readonly<Record<string, readonly string[]>> {
  const groups = Object.entries(of.findResources('AWS::EC2::SecurityGroup')).flatMap(([id, { Properties }]) => {
    const [, name] = /^EdgeDoorway(\w+?)[0-9A-F]{8}$/.exec(id) ?? [];
    const rules: readonly { CidrIp: string; FromPort: number }[] = Properties.SecurityGroupIngress ?? [];
    const texts = rules.map(({ CidrIp, FromPort }) => `${CidrIp} ${FromPort}`);
    return name === undefined || texts.length === 0 ? [] : [[name, texts] as const];
  });
  return Object.fromEntries(groups);
}

describe('settings of the operator', () => {
  const stackWith = (settings: unknown): Template => stackOf({ 'understudy:settings': settings });

  it('bound a compile, with the time-outs of function and queues behind it', () => {
    const given = stackWith({
      compileTimeLimit: 200,
      waitingConcurrency: 7,
      expressConcurrency: 6,
      backgroundConcurrency: 5,
    });
    given.hasResourceProperties('AWS::Lambda::Function', {
      Timeout: 400,
      Environment: { Variables: Match.objectLike({ UNDERSTUDY_COMPILE_TIME_LIMIT: '200' }) },
    });
    given.resourcePropertiesCountIs('AWS::SQS::Queue', Match.objectLike({ VisibilityTimeout: 2400 }), 3);
    const sources = Object.values(given.findResources('AWS::Lambda::EventSourceMapping'));
    const bounds = sources.flatMap(({ Properties }) => Properties.ScalingConfig?.MaximumConcurrency ?? []);
    expect(bounds).toEqual([7, 6, 5, 20]);
  });

  it.each([
    [{}, 'error', 'true', ''],
    [{ strict: 'warning', strictVariables: false }, 'warning', 'false', ''],
    [{ disableWarnings: 'deprecations,undefined_variables' }, 'error', 'true', 'deprecations,undefined_variables'],
  ])('%j say how strictly the function compiles', (settings, strict, strictVariables, disabled) => {
    const variables = {
      UNDERSTUDY_STRICT: strict,
      UNDERSTUDY_STRICT_VARIABLES: strictVariables,
      UNDERSTUDY_DISABLE_WARNINGS: disabled,
    };
    stackWith(settings).hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike(variables) },
    });
  });

  it('go to both front doors', () => {
    const given = stackWith({
      authorityName: 'Ours',
      autosign: ['a', '*.b'],
      allowSubjectAltNames: true,
      renewalHours: 12,
      maxPendingRequests: 500,
      authConf: 'cdk.json',
    });
    const expected = {
      UNDERSTUDY_CA_NAME: 'Ours',
      UNDERSTUDY_AUTOSIGN: 'file:understudy_autosign-autosign.conf',
      UNDERSTUDY_ALLOW_SUBJECT_ALT_NAMES: 'true',
      UNDERSTUDY_ALLOW_AUTHORIZATION_EXTENSIONS: 'false',
      UNDERSTUDY_RENEWAL_HOURS: '12',
      UNDERSTUDY_MAX_PENDING_REQUESTS: '500',
      UNDERSTUDY_AUTH_CONF: 'file:understudy_auth_conf-cdk.json',
    };
    given.hasResourceProperties('AWS::Lambda::Function', { Environment: { Variables: Match.objectLike(expected) } });
    const [edge] = Object.values(given.findResources('AWS::ECS::TaskDefinition'));
    const variables = edge?.Properties.ContainerDefinitions[0].Environment as { Name: string; Value: unknown }[];
    expect(Object.fromEntries(variables.map(({ Name, Value }) => [Name, Value]))).toMatchObject(expected);
  });

  it('call the server in facts as agents call the edge, unless they say otherwise', () => {
    const nameIn = (one: Template) => {
      const functions = Object.values(one.findResources('AWS::Lambda::Function'));
      return functions.flatMap(({ Properties }) => Properties.Environment?.Variables.UNDERSTUDY_SERVER_NAME ?? []);
    };
    expect([nameIn(template), nameIn(stackWith({ serverName: 'master.example.com' }))]).toEqual([
      ['puppet'],
      ['master.example.com'],
    ]);
  });

  it.each([
    [undefined, { 'Fn::GetAtt': [expect.stringMatching(/^EdgeLoadBalancer/), 'DNSName'] }],
    ['198.51.100.7', '198.51.100.7'],
  ])('call the address %s of the edge that of the server, with the name that agents call it', (address, expected) => {
    const edge = { ...Object(cdk.context['understudy:edge']), names: ['pool.example.com', 'puppet'], address };
    const given = stackOf({ 'understudy:edge': edge }).findResources('AWS::Lambda::Function');
    const variables = Object.values(given).flatMap(({ Properties }) => {
      const { UNDERSTUDY_SERVER_NAME: name, UNDERSTUDY_SERVER_ADDRESS: ip } = Properties.Environment?.Variables ?? {};
      return name || ip ? [[name, ip]] : [];
    });
    expect(variables).toEqual([['pool.example.com', expected]]);
  });

  it("keep the key of an upstream CA's certificate out of the task's variables", () => {
    const upstream = { url: 'https://ca:8140', certificate: 'cdk.json', trusted: 'cdk.json', keySecret: 'tls' };
    const [edge] = Object.values(stackWith({ upstream }).findResources('AWS::ECS::TaskDefinition'));
    const [container] = edge?.Properties.ContainerDefinitions ?? [];
    expect(container.Secrets).toEqual([{ Name: 'UNDERSTUDY_TLS_KEY', ValueFrom: expect.anything() }]);
    expect(JSON.stringify(container.Environment)).not.toContain('UNDERSTUDY_TLS_KEY');
  });

  it('have collectors told of exports, and compiled for them, at times', () => {
    const given = stackWith({ exportDelay: 60, exportInterval: 600 });
    given.hasResourceProperties('AWS::Lambda::EventSourceMapping', { MaximumBatchingWindowInSeconds: 60 });
    const variables = { UNDERSTUDY_EXPORT_DELAY: '60', UNDERSTUDY_EXPORT_INTERVAL: '600' };
    given.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike(variables) },
    });
  });

  it('may come from the command line', () => {
    stackWith('{"compileTimeLimit":10}').hasResourceProperties('AWS::Lambda::Function', { Timeout: 20 });
  });

  it('pass cdk-nag, whatever they are', () => {
    const upstream = { url: 'https://ca:8140', certificate: 'cdk.json', trusted: 'cdk.json', keySecret: 'tls' };
    const settings = { upstream, eyamlKeys: { KEY: 'eyaml' }, authConf: 'cdk.json', trustedOidMapping: 'cdk.json' };
    expect(violationsOf({ 'understudy:settings': settings })).toEqual([]);
  });

  it.each<[unknown, string]>([
    [[], 'it must be an object'],
    [{ compileTimeLimits: 1 }, "'compileTimeLimits' is not a setting"],
    [{ compileTimeLimit: 451 }, "'compileTimeLimit' must be a whole number from 1 to 450"],
    [{ strict: 'warn' }, "'strict' must be one of off, warning, error"],
    [{ strictVariables: 'false' }, "'strictVariables' must be true or false"],
    [{ waitingConcurrency: 1 }, "'waitingConcurrency' must be a whole number from 2 to 1000"],
    [{ containers: { min: 3, max: 2 } }, "'containers.max' must be a whole number from 3 to 1000"],
    [{ autosign: 'true' }, "'autosign' must be true, false or a list of certnames and patterns"],
    [{ authConf: 'no/such/file' }, "'authConf' is not a file: "],
    [{ eyamlKeys: { 'A B': 'x' } }, "'eyamlKeys.A B' is not a valid variable name"],
    [{ eyamlKeys: { UNDERSTUDY_BUCKET: 'x' } }, "'eyamlKeys.UNDERSTUDY_BUCKET' is not a valid variable name"],
    [{ alertUrl: 'hooks.example.com' }, "'alertUrl' must be https://HOST/PATH"],
    [
      { alertUrl: 'https://hooks.example.com/x', alertUrlSecret: 'puppet/alerts' },
      "'alertUrlSecret' must not be given together with 'alertUrl'",
    ],
    [{ keepBucket: 30 }, "'keepBucket' must be a whole number from 60 to 3650"],
    [{ exportDelay: 301 }, "'exportDelay' must be a whole number from 0 to 300"],
    [{ exportInterval: '60' }, "'exportInterval' must be a whole number from 0 to 21600"],
    [{ renewalHours: 9000 }, "'renewalHours' must be a whole number from 0 to 8760"],
    [{ maxPendingRequests: 0 }, "'maxPendingRequests' must be a whole number from 1 to 1000000"],
    [{ upstream: { url: 'http://ca' } }, "'upstream.url' must be https://HOST:PORT"],
    [
      { upstream: { url: 'https://ca:8140', certificate: 'cdk.json', trusted: 'cdk.json' } },
      "'upstream.keySecret' must be",
    ],
  ])('%j are refused', (settings, message) => {
    expect(() => stackWith(settings)).toThrow(`Context understudy:settings: ${message}`);
  });
});

describe('alarms', () => {
  const EXPECTED = [
    'ApiErrors',
    'AuthorityGone',
    'AuthorityKey',
    'AuthorityUnhealthy',
    'BackgroundAge',
    'BackgroundDeadLetters',
    'BackgroundDepth',
    'BrokerGone',
    'BrokerLoad',
    'BrokerMail',
    'BrokerUnhealthy',
    'CompileErrors',
    'CompileThrottles',
    'DisconnectStorm',
    'EdgeGone',
    'EdgeLoad',
    'EdgeUnhealthy',
    'ExportsAge',
    'ExportsDeadLetters',
    'ExportsErrors',
    'ExpressAge',
    'ExpressDeadLetters',
    'ExpressDepth',
    'FanOutAge',
    'FanOutDeadLetters',
    'FanOutDepth',
    'FanOutErrors',
    'FeedErrors',
    'JobFaults',
    'JobsStuck',
    'MissingPacks',
    'NotifyAge',
    'NotifyBacklog',
    'NotifyDeadLetters',
    'NotifyGivenUp',
    'NotifyPaused',
    'PruneErrors',
    'RevocationListAge',
    'RingLag',
    'WaitingAge',
    'WaitingDeadLetters',
    'WaitingDepth',
  ];

  it('watch age, depth, dead letters, errors and the ring', () => {
    const found = resources('AWS::CloudWatch::Alarm').map(([id]) => /^Alarms(.*)[0-9A-F]{8}$/.exec(id)?.[1]);
    expect(found.sort()).toEqual(EXPECTED);
    // The bill has them all.
    expect(FIXED.alarms + ORCHESTRATOR_FIXED.alarms).toBe(EXPECTED.length);
    expect(resources('AWS::CloudWatch::CompositeAlarm')).toHaveLength(FIXED.compositeAlarms);
  });

  it('watch each queue: those with jobs by age and depth, dead letters by their number', () => {
    const watched = resources('AWS::CloudWatch::Alarm').map(([, { Properties }]) => JSON.stringify(Properties));
    const metricsOf = (queue: string) =>
      ['ApproximateAgeOfOldestMessage', 'ApproximateNumberOfMessagesVisible'].filter((metric) =>
        watched.some((text) => text.includes(`"${queue}","QueueName"`) && text.includes(metric)),
      );
    const queues = resources('AWS::SQS::Queue');
    expect(queues).toHaveLength(10);
    for (const [queue, { Properties }] of queues) {
      expect([queue, metricsOf(queue).length]).toEqual([queue, 'RedrivePolicy' in Properties ? 2 : 1]);
    }
  });

  it('take silence for a fault where something is told all the time', () => {
    const silent = resources('AWS::CloudWatch::Alarm').filter(
      ([, { Properties }]) => Properties.TreatMissingData === 'breaching',
    );
    expect(silent.map(([, { Properties }]) => Properties.MetricName).sort()).toEqual([
      'HealthyHostCount',
      'HealthyHostCount',
      'HealthyHostCount',
      'RingLagSeconds',
    ]);
  });

  it('tell at once when the key of the certificate authority is disabled or to be deleted', () => {
    const [key] = Object.keys(template.findResources('AWS::KMS::Key'));
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: Match.objectLike({
        source: ['aws.kms'],
        detail: {
          eventName: ['DisableKey', 'ScheduleKeyDeletion'],
          resources: { ARN: [{ 'Fn::GetAtt': [key, 'Arn'] }] },
        },
      }),
      Targets: [Match.objectLike({ Arn: { Ref: Match.stringLikeRegexp('^AlarmsTopic') } })],
    });
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'AuthorityKeyFailures',
      Namespace: 'Understudy',
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
    });
  });

  const nameOf = (id: string) => id.replace(/^Alarms|[0-9A-F]{8}$/g, '');
  /** The alarms in the rule of a composite alarm. */
  const membersOf = ({ AlarmRule }: Resource['Properties']) =>
    [...JSON.stringify(AlarmRule).matchAll(/"Alarms(\w+?)[0-9A-F]{8}"/g)].map(([, name]) => name ?? '');

  it('all notify a topic, alone or for their cause, and name their place in the runbook', () => {
    const causes = resources('AWS::CloudWatch::CompositeAlarm');
    const joined = causes.flatMap(([, { Properties }]) => membersOf(Properties));
    for (const [id, { Properties }] of [...resources('AWS::CloudWatch::Alarm'), ...causes]) {
      const topics = joined.includes(nameOf(id))
        ? undefined
        : [{ Ref: expect.stringMatching(/^Alarms(Topic|Warnings)/) }];
      expect([id, Properties.AlarmActions, Properties.OKActions]).toEqual([id, topics, topics]);
      expect(Properties.AlarmDescription).toMatch(/Runbook: infra\/README\.md, "\w+"\.$/);
    }
  });

  it('are of two severities: what needs somebody now, once for a cause, and warnings', () => {
    const isCritical = (one: Resource) => JSON.stringify(one.Properties.AlarmActions ?? []).includes('AlarmsTopic');
    const alone = resources('AWS::CloudWatch::Alarm').filter(([, alarm]) => isCritical(alarm));
    expect(alone.map(([id]) => nameOf(id)).sort()).toEqual(['ApiErrors', 'BrokerGone', 'EdgeGone']);
    const causes = resources('AWS::CloudWatch::CompositeAlarm').filter(([, alarm]) => isCritical(alarm));
    const members = causes.map(([id, { Properties }]) => [nameOf(id), membersOf(Properties).sort()]);
    expect(Object.fromEntries(members)).toEqual({
      AuthorityFails: ['AuthorityGone', 'AuthorityKey'],
      ChangesLost: ['ExportsDeadLetters', 'FanOutDeadLetters', 'RingLag'],
      CompilesFail: [
        'CompileErrors',
        'CompileThrottles',
        'ExpressDeadLetters',
        'JobFaults',
        'WaitingAge',
        'WaitingDeadLetters',
      ],
    });
  });

  it('turn back a deploy of containers that do not answer', () => {
    const names = resources('AWS::ECS::Service').map(([, { Properties }]) => {
      const { Alarms } = Object(Properties.DeploymentConfiguration);
      expect(Alarms).toMatchObject({ Enable: true, Rollback: true, AlarmNames: [{ Ref: expect.any(String) }] });
      return Alarms.AlarmNames[0].Ref.replace(/[0-9A-F]{8}$/, '');
    });
    expect(names.sort()).toEqual(['AlarmsAuthorityUnhealthy', 'AlarmsBrokerUnhealthy', 'AlarmsEdgeUnhealthy']);
  });
});

interface TopicStatement {
  readonly Effect: string;
  readonly Action: string;
  readonly Principal: string | { readonly Service?: string };
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

describe('a topic of the alarms', () => {
  const [FROM_HERE, FROM_ANYWHERE] = [{ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }, undefined];
  /**
   * What has a topic as its target: the service that publishes, and the condition that holds for
   * it.
   */
  const PUBLISHERS: Readonly<Record<string, readonly [service: string, condition: unknown]>> = {
    'AWS::CloudWatch::Alarm': ['cloudwatch.amazonaws.com', FROM_HERE],
    'AWS::CloudWatch::CompositeAlarm': ['cloudwatch.amazonaws.com', FROM_HERE],
    'AWS::Budgets::Budget': ['budgets.amazonaws.com', FROM_HERE],
    // The target of a rule brings its own permission.
    'AWS::Events::Rule': ['events.amazonaws.com', FROM_ANYWHERE],
  };
  const topics = () => Object.keys(template.findResources('AWS::SNS::Topic'));
  const statementsOf = (topic: string) =>
    resources('AWS::SNS::TopicPolicy')
      .filter(([, { Properties }]) => JSON.stringify(Properties.Topics).includes(topic))
      .flatMap(([, { Properties }]) => (Properties.PolicyDocument as { Statement: TopicStatement[] }).Statement);

  it.each([
    ['AlarmsTopic', ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm', 'AWS::Events::Rule']],
    ['AlarmsWarnings', ['AWS::CloudWatch::Alarm']],
  ])('%s is published to by each service that has it as its target, and by no other', (id, expected) => {
    const topic = topics().find((one) => one.startsWith(id)) ?? expect.fail(`no topic ${id}`);
    const all: Record<string, Resource> = template.toJSON().Resources;
    const types = Object.values(all)
      .filter(({ Properties }) => JSON.stringify(Properties ?? {}).includes(`{"Ref":"${topic}"}`))
      .map(({ Type }) => Type);
    const publishers = [...new Set(types)].filter((type) => type !== 'AWS::SNS::TopicPolicy');
    expect(publishers.sort()).toEqual(expected);
    const allowed = statementsOf(topic).filter(({ Effect }) => Effect === 'Allow');
    const granted = allowed.map(({ Principal, Condition, Action, Resource: on }) => {
      expect([Action, on]).toEqual(['sns:Publish', { Ref: topic }]);
      return [Object(Principal).Service, Condition];
    });
    const wanted = new Map(publishers.map((type) => [PUBLISHERS[type]?.[0], PUBLISHERS[type]]));
    expect(granted.sort()).toEqual([...wanted.values()]);
  });

  it('refuses plain HTTP, once', () => {
    expect(topics()).toHaveLength(2);
    for (const topic of topics()) {
      const refused = statementsOf(topic).filter(({ Effect }) => Effect === 'Deny');
      expect(refused).toEqual([
        expect.objectContaining({
          Action: 'sns:Publish',
          Principal: '*',
          Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        }),
      ]);
    }
  });
});

/** Rules that a finding is not acknowledged of: those of cdk-nag, and the CDK's own. */
function violationsOf(context: Readonly<Record<string, unknown>> = {}): readonly string[] {
  const app = newApp(context, true);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new UnderstudyStack(app, 'Test');
  const report = JSON.parse(readFileSync(join(app.synth().directory, 'validation-report.json'), 'utf8'));
  const reports: { violations: { ruleName: string }[] }[] = report.pluginReports;
  expect(reports).toHaveLength(1);
  return reports.flatMap(({ violations }) => violations.map(({ ruleName }) => ruleName));
}

describe('cdk-nag', () => {
  it('has no finding that is not acknowledged with a reason', () => {
    expect(violationsOf()).toEqual([]);
  });

  it('has none with everything turned on', () => {
    const everything = {
      'understudy:operations': {
        probe: { certname: 'c', secret: 's' },
        budget: 1,
        backups: { copyTo: 'arn:aws:backup:eu-west-1:111111111111:backup-vault:elsewhere' },
        tracing: true,
        gradualDeploy: true,
        tags: { a: 'b' },
      },
      'understudy:network': { endpoints: true, endpointService: { principals: ['arn:aws:iam::222222222222:root'] } },
      'understudy:api': {
        certificateRequests: { challengeSecret: 's' },
        deploys: true,
        agents: { domain: 'a.b', certificate: 'arn:aws:acm:us-east-1:1:certificate/a', trustStore: 'cdk.json' },
      },
    };
    expect(violationsOf(everything)).toEqual([]);
  });
});
