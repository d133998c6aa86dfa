import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Peer, Port, SecurityGroup, VpcEndpointService } from 'aws-cdk-lib/aws-ec2';
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
import {
  CfnLoadBalancer,
  NetworkLoadBalancer,
  type NetworkTargetGroup,
  Protocol,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Construct } from 'constructs';
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { edgeImage } from './edge-image.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import { type AppResources, grantApp, type WorkerEnvironment } from './grants.ts';
import { Network } from './network.ts';
import type { EndpointServiceContext, NetworkContext } from './network-context.ts';

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
  readonly baseImage: string | undefined;
  readonly network: NetworkContext;
  readonly deletionProtection: boolean;
  /** The namespace of our own metrics. */
  readonly namespace: string;
}

/** Values of one container above which there are to be more. It holds 4,000 requests at most. */
const TARGETS = {
  HeldRequests: { metricName: MEASURES.requestsWaiting.cloudWatch, targetValue: 1500 },
  Connections: { metricName: MEASURES.openConnections.cloudWatch, targetValue: 2500 },
} as const;

/** Asks the container itself; its certificate has no name of this host. */
const HEALTH_CHECK = `require('node:https').get({port:${EDGE.port},path:'/status/v1/simple/status-service',rejectUnauthorized:false},(answer)=>process.exit(answer.statusCode===200?0:1)).on('error',()=>process.exit(1))`;

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
  /** The group of the load balancer. */
  readonly doorway: SecurityGroup;
  readonly network: Network;
  readonly agents: NetworkTargetGroup;

  constructor(scope: Construct, id: string, settings: EdgeSettings) {
    super(scope, id);
    const { internetFacing, network } = settings;
    this.network = new Network(this, 'Network', { ...network, internetFacing });
    const { vpc } = this.network;
    const doorway = new SecurityGroup(this, 'Doorway', {
      vpc,
      description: 'Agents to the load balancer',
      allowAllOutbound: false,
    });
    for (const network of settings.agentNetworks) {
      doorway.addIngressRule(Peer.ipv4(network), Port.tcp(EDGE.port), 'Agents');
    }
    this.doorway = doorway;
    this.loadBalancer = new NetworkLoadBalancer(this, 'LoadBalancer', {
      vpc,
      vpcSubnets: this.network.loadBalancer,
      internetFacing,
      deletionProtection: settings.deletionProtection,
      crossZoneEnabled: true,
      securityGroups: [doorway],
      // The endpoint service decides who connects through it.
      ...(network.endpointService ? { enforceSecurityGroupInboundRulesOnPrivateLinkTraffic: false } : {}),
    });
    this.#fixAddresses(network.addresses);
    if (network.endpointService) this.#createEndpointService(network.endpointService);
    this.task = this.#createTask(settings);
    this.service = this.#createService(doorway, settings);
    this.agents = this.#createAgentsTarget();
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
      image: edgeImage(this, settings.operator.files, settings.baseImage),
      readonlyRootFilesystem: true,
      stopTimeout: Duration.seconds(EDGE.stopSeconds),
      healthCheck: {
        command: ['CMD', 'node', '--eval', HEALTH_CHECK],
        interval: Duration.seconds(30),
        startPeriod: Duration.seconds(60),
      },
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

  #createService(doorway: SecurityGroup, settings: EdgeSettings): FargateService {
    const { vpc } = this.network;
    const { containers } = settings;
    const inside = new SecurityGroup(this, 'Inside', { vpc, description: 'Load balancer to the containers' });
    inside.addIngressRule(doorway, Port.tcp(EDGE.port), 'Load balancer');
    doorway.addEgressRule(inside, Port.tcp(EDGE.port), 'Containers');
    const service = new FargateService(this, 'Service', {
      cluster: new Cluster(this, 'Cluster', { vpc, containerInsightsV2: ContainerInsights.ENABLED }),
      taskDefinition: this.task,
      desiredCount: containers.min,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
      securityGroups: [inside],
      vpcSubnets: this.network.containers,
    });
    this.#scale(service, settings);
    return service;
  }

  /** Held requests and connections use memory, and no CPU while they wait. */
  #scale(service: FargateService, { containers, namespace }: EdgeSettings): void {
    const cooldowns = { scaleOutCooldown: Duration.seconds(30), scaleInCooldown: Duration.minutes(5) };
    const scaling = service.autoScaleTaskCount({ minCapacity: containers.min, maxCapacity: containers.max });
    scaling.scaleOnCpuUtilization('Load', { targetUtilizationPercent: 50, ...cooldowns });
    for (const [id, { metricName, targetValue }] of Object.entries(TARGETS)) {
      // Each container writes its own value once a minute.
      const metric = new Metric({ namespace, metricName, statistic: 'Average', period: Duration.minutes(1) });
      scaling.scaleToTrackCustomMetric(id, { metric, targetValue, ...cooldowns });
    }
  }

  #fixAddresses(addresses: readonly string[]): void {
    const { loadBalancer } = this.network;
    const element = this.loadBalancer.node.defaultChild;
    if (addresses.length === 0 || !(element instanceof CfnLoadBalancer)) return;
    const { subnetIds } = this.network.vpc.selectSubnets(loadBalancer);
    element.subnets = undefined;
    element.subnetMappings = addresses.map((address, index) => ({
      subnetId: subnetIds[index] ?? '',
      ...(address.startsWith('eipalloc-') ? { allocationId: address } : { privateIPv4Address: address }),
    }));
  }

  #createEndpointService({ principals, acceptance }: EndpointServiceContext): void {
    new VpcEndpointService(this, 'EndpointService', {
      vpcEndpointServiceLoadBalancers: [this.loadBalancer],
      acceptanceRequired: acceptance,
      allowedPrincipals: principals.map((arn) => new ArnPrincipal(arn)),
    });
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
