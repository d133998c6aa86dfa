import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  FlowLogDestination,
  GatewayVpcEndpointAwsService,
  IpAddresses,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
  Vpc,
} from 'aws-cdk-lib/aws-ec2';
import {
  Cluster,
  ContainerInsights,
  Secret as ContainerSecret,
  CpuArchitecture,
  FargateService,
  FargateTaskDefinition,
  LogDrivers,
  OperatingSystemFamily,
} from 'aws-cdk-lib/aws-ecs';
import { NetworkLoadBalancer, type NetworkTargetGroup, Protocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { edgeImage } from './edge-image.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import { type AppResources, grantApp, type WorkerEnvironment } from './grants.ts';

export interface EdgeSettings extends AppResources {
  readonly environment: WorkerEnvironment;
  readonly operator: FrontDoorVariables;
  /**
   * The server's names for agents: `puppet.example.com`, `puppet`. The first is the subject of its
   * certificate.
   */
  readonly names: readonly string[];
  /** Whether the load balancer has public addresses. */
  readonly internetFacing: boolean;
  /** The networks that agents connect from, in CIDR notation. */
  readonly agentNetworks: readonly string[];
  /** The smallest and the largest number of containers. */
  readonly containers: { readonly min: number; readonly max: number };
}

const SCRATCH = { name: 'scratch', path: '/tmp' } as const;

/**
 * The agents' front door: containers behind a network load balancer. It passes TLS on unopened, so
 * that the app sees the client's certificate. Point the agents' `server` (a CNAME) at the load
 * balancer.
 */
export class Edge extends Construct {
  readonly loadBalancer: NetworkLoadBalancer;
  readonly service: FargateService;
  readonly task: FargateTaskDefinition;
  readonly vpc: Vpc;
  readonly agents: NetworkTargetGroup;

  constructor(scope: Construct, id: string, settings: EdgeSettings) {
    super(scope, id);
    this.vpc = this.#createNetwork();
    const doorway = new SecurityGroup(this, 'Doorway', {
      vpc: this.vpc,
      description: 'Agents to the load balancer',
      allowAllOutbound: false,
    });
    for (const network of settings.agentNetworks) {
      doorway.addIngressRule(Peer.ipv4(network), Port.tcp(EDGE.port), 'Agents');
    }
    this.loadBalancer = new NetworkLoadBalancer(this, 'LoadBalancer', {
      vpc: this.vpc,
      internetFacing: settings.internetFacing,
      crossZoneEnabled: true,
      securityGroups: [doorway],
    });
    this.task = this.#createTask(settings);
    this.service = this.#createService(doorway, settings);
    this.agents = this.#createAgentsTarget();
  }

  /**
   * Containers reach the stores through gateway endpoints, and the queues and an upstream CA
   * through NAT.
   */
  #createNetwork(): Vpc {
    const vpc = new Vpc(this, 'Network', {
      ipAddresses: IpAddresses.cidr('10.140.0.0/20'),
      maxAzs: 2,
      restrictDefaultSecurityGroup: false,
      gatewayEndpoints: {
        S3: { service: GatewayVpcEndpointAwsService.S3 },
        DynamoDb: { service: GatewayVpcEndpointAwsService.DYNAMODB },
      },
    });
    const log = new LogGroup(this, 'FlowLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    vpc.addFlowLog('Flows', { destination: FlowLogDestination.toCloudWatchLogs(log) });
    return vpc;
  }

  #createTask(settings: EdgeSettings): FargateTaskDefinition {
    const task = new FargateTaskDefinition(this, 'Task', {
      cpu: 1024,
      memoryLimitMiB: 2048,
      runtimePlatform: { cpuArchitecture: CpuArchitecture.ARM64, operatingSystemFamily: OperatingSystemFamily.LINUX },
    });
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    task.addVolume({ name: SCRATCH.name });
    const container = task.addContainer('Edge', {
      image: edgeImage(this, settings.operator.files),
      readonlyRootFilesystem: true,
      stopTimeout: Duration.seconds(EDGE.stopSeconds),
      portMappings: [{ containerPort: EDGE.port }],
      logging: LogDrivers.awsLogs({ logGroup, streamPrefix: 'edge' }),
      secrets: this.#createSecrets(settings),
      environment: {
        ...settings.environment.withQueues,
        ...settings.operator.variables,
        [FRONT_DOOR_VARIABLES.edgeNames]: [...settings.names, this.loadBalancer.loadBalancerDnsName].join(','),
        [FRONT_DOOR_VARIABLES.edgeHost]: '0.0.0.0',
        [FRONT_DOOR_VARIABLES.edgePort]: String(EDGE.port),
        [FRONT_DOOR_VARIABLES.authorityKey]: settings.authorityKey.keyArn,
        AWS_REGION: Stack.of(this).region,
      },
    });
    // Uploaded archives are unpacked there.
    container.addMountPoints({ sourceVolume: SCRATCH.name, containerPath: SCRATCH.path, readOnly: false });
    const { tables, storage, queues, authorityKey } = settings;
    grantApp(
      { grantPrincipal: task.taskRole.grantPrincipal, role: task.taskRole },
      { tables, storage, queues, authorityKey },
    );
    return task;
  }

  /** Secrets are read when a container starts, and are not part of the template. */
  #createSecrets({ operator }: EdgeSettings): Record<string, ContainerSecret> {
    return Object.fromEntries(
      Object.entries(operator.secrets).map(([variable, name]) => {
        const secret = name.startsWith('arn:')
          ? Secret.fromSecretCompleteArn(this, variable, name)
          : Secret.fromSecretNameV2(this, variable, name);
        return [variable, ContainerSecret.fromSecretsManager(secret)];
      }),
    );
  }

  #createService(doorway: SecurityGroup, { containers }: EdgeSettings): FargateService {
    const inside = new SecurityGroup(this, 'Inside', { vpc: this.vpc, description: 'Load balancer to the containers' });
    inside.addIngressRule(doorway, Port.tcp(EDGE.port), 'Load balancer');
    doorway.addEgressRule(inside, Port.tcp(EDGE.port), 'Containers');
    const service = new FargateService(this, 'Service', {
      cluster: new Cluster(this, 'Cluster', { vpc: this.vpc, containerInsightsV2: ContainerInsights.ENABLED }),
      taskDefinition: this.task,
      desiredCount: containers.min,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
      securityGroups: [inside],
      vpcSubnets: { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    });
    service
      .autoScaleTaskCount({ minCapacity: containers.min, maxCapacity: containers.max })
      .scaleOnCpuUtilization('Load', {
        targetUtilizationPercent: 50,
        scaleOutCooldown: Duration.seconds(30),
        scaleInCooldown: Duration.minutes(5),
      });
    return service;
  }

  #createAgentsTarget(): NetworkTargetGroup {
    const listener = this.loadBalancer.addListener('Agents', { port: EDGE.port, protocol: Protocol.TCP });
    return listener.addTargets('Containers', {
      port: EDGE.port,
      protocol: Protocol.TCP,
      targets: [this.service],
      deregistrationDelay: Duration.seconds(EDGE.stopSeconds),
      preserveClientIp: true,
      // The check ignores the stores: replacing a container does not help when they do not answer.
      healthCheck: {
        protocol: Protocol.HTTPS,
        path: '/status/v1/simple/status-service',
        interval: Duration.seconds(10),
      },
    });
  }
}
