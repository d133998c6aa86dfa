import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Port, SecurityGroup, VpcEndpointService } from 'aws-cdk-lib/aws-ec2';
import {
  Cluster,
  type ContainerImage,
  ContainerInsights,
  FargateService,
  type FargateTaskDefinition,
} from 'aws-cdk-lib/aws-ecs';
import {
  CfnLoadBalancer,
  NetworkLoadBalancer,
  type NetworkTargetGroup,
  Protocol,
} from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { ArnPrincipal } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { AUTHORITY, EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { EDGE_SIZES } from '../shared/config/sizes.ts';
import { Authority, authorityHost, type PlanSettings } from './authority.ts';
import { Broker } from './broker.ts';
import { containerTask } from './container-task.ts';
import type { EndpointServiceContext, NetworkContext } from './context/network-context.ts';
import type { OrchestratorContext } from './context/orchestrator-context.ts';
import { Doorway } from './doorway.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import {
  type AppResources,
  grantCommon,
  grantComparisons,
  grantEdgeKey,
  grantNodes,
  grantUpstreamLists,
  type WorkerEnvironment,
} from './grants.ts';
import { Network } from './network.ts';
import { type Balancer, passPort } from './passed-port.ts';

interface EdgeSettings extends AppResources {
  readonly plans: PlanSettings;
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
  /** The smallest and the largest number of the edge's containers. */
  readonly containers: { readonly min: number; readonly max: number };
  /** The networks that operators and pipelines connect from, in CIDR notation. */
  readonly operatorNetworks: readonly string[];
  /** Certnames whose certificates may do everything in the access API. */
  readonly accessAllowList: readonly string[];
  /** Null: there is no orchestrator. */
  readonly orchestrator: OrchestratorContext | null;
  /** Whether containers call functions: those of the inventory. */
  readonly callsFunctions: boolean;
  readonly image: ContainerImage;
  readonly network: NetworkContext;
  readonly deletionProtection: boolean;
  readonly containerInsights: boolean;
  /** The namespace of our own metrics. */
  readonly namespace: string;
}

/** Values of one container above which there are to be more. It holds 4,000 requests at most. */
const TARGETS = {
  HeldRequests: { metricName: MEASURES.requestsWaiting.cloudWatch, targetValue: 1500 },
  Connections: { metricName: MEASURES.openConnections.cloudWatch, targetValue: 2500 },
} as const;

/**
 * The agents' front door: containers behind a network load balancer. It passes TLS on unopened, so
 * that the app sees the client's certificate. Point the agents' `server` (a CNAME) at the load
 * balancer. The authority service does what needs the CA's key, and what operators want.
 */
export class Edge extends Construct implements Balancer {
  readonly loadBalancer: NetworkLoadBalancer;
  readonly cluster: Cluster;
  readonly service: FargateService;
  readonly task: FargateTaskDefinition;
  /** The group by which the load balancer reaches the containers. */
  readonly doorway: SecurityGroup;
  readonly network: Network;
  readonly isInternetFacing: boolean;
  readonly agents: NetworkTargetGroup;
  readonly authority: Authority;
  /** Null without an orchestrator. */
  readonly broker: Broker | null;

  constructor(scope: Construct, id: string, settings: EdgeSettings) {
    super(scope, id);
    const { internetFacing, network } = settings;
    this.isInternetFacing = internetFacing;
    this.network = new Network(this, 'Network', {
      ...network,
      internetFacing,
      callsFunctions: settings.callsFunctions,
      logs: settings.storage.accessLogs,
    });
    const { vpc } = this.network;
    const { orchestrator, names: edgeNames, agentNetworks, operatorNetworks } = settings;
    const hasOrchestrator = orchestrator !== null;
    const doorway = new Doorway(this, 'Doorway', { vpc, agentNetworks, operatorNetworks, hasOrchestrator });
    this.doorway = doorway.group;
    this.loadBalancer = new NetworkLoadBalancer(this, 'LoadBalancer', {
      vpc,
      vpcSubnets: this.network.loadBalancer,
      internetFacing,
      deletionProtection: settings.deletionProtection,
      crossZoneEnabled: true,
      securityGroups: [...doorway.all],
      // The endpoint service decides who connects through it.
      ...(network.endpointService ? { enforceSecurityGroupInboundRulesOnPrivateLinkTraffic: false } : {}),
    });
    this.#fixAddresses(network.addresses);
    if (network.endpointService) this.#createEndpointService(network.endpointService);
    this.task = this.#createTask(settings);
    const inside = new SecurityGroup(this, 'Inside', { vpc, description: 'Load balancer to the containers' });
    const containerInsightsV2 = settings.containerInsights ? ContainerInsights.ENABLED : ContainerInsights.DISABLED;
    const cluster = new Cluster(this, 'Cluster', { vpc, containerInsightsV2 });
    this.cluster = cluster;
    this.service = this.#createService(cluster, inside, settings);
    this.agents = this.#createAgentsTarget();
    const common = { ...settings, network: this.network, cluster, balancer: this, doorway: doorway.group, edgeNames };
    this.authority = new Authority(this, 'Authority', { ...common, edges: inside });
    this.broker = orchestrator && new Broker(this, 'Broker', { ...common, orchestrator });
    // It issues the certificate that the containers serve with.
    this.service.node.addDependency(this.authority.service);
    this.broker?.service.node.addDependency(this.authority.service);
  }

  #createTask(settings: EdgeSettings): FargateTaskDefinition {
    const { operator } = settings;
    const task = containerTask(this, {
      image: settings.image,
      entry: 'edge',
      port: EDGE.port,
      ...EDGE_SIZES,
      secrets: operator.secrets,
      environment: {
        ...settings.environment.withQueues,
        ...operator.variables,
        ...operator.ofEdge,
        [FRONT_DOOR_VARIABLES.edgeNames]: [...settings.names, this.loadBalancer.loadBalancerDnsName].join(','),
        [FRONT_DOOR_VARIABLES.keyHolder]: `https://${authorityHost(this)}:${AUTHORITY.port}`,
        [FRONT_DOOR_VARIABLES.edgeKey]: settings.edgeKey.keyArn,
      },
    });
    const grantee = { grantPrincipal: task.taskRole.grantPrincipal, role: task.taskRole };
    grantCommon(grantee, settings);
    grantNodes(grantee, settings);
    if (operator.variables[FRONT_DOOR_VARIABLES.upstream] !== undefined) grantUpstreamLists(grantee, settings);
    if (operator.ofEdge[FRONT_DOOR_VARIABLES.compilerUpstream] !== undefined) grantComparisons(grantee, settings);
    grantEdgeKey(grantee, settings, 'serve');
    return task;
  }

  #createService(cluster: Cluster, inside: SecurityGroup, settings: EdgeSettings): FargateService {
    inside.addIngressRule(this.doorway, Port.tcp(EDGE.port), 'Load balancer');
    this.doorway.addEgressRule(inside, Port.tcp(EDGE.port), 'Containers');
    const service = new FargateService(this, 'Service', {
      cluster,
      taskDefinition: this.task,
      // The number of tasks is that of the scaling target: a deploy would set it back.
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
      securityGroups: [inside],
      vpcSubnets: this.network.containers,
    });
    service.node.addDependency(...this.network.ways);
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
    this.network.assertAddresses(addresses);
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
    return passPort(this, {
      ids: ['Agents', 'Containers'],
      port: EDGE.port,
      target: this.service,
      drainSeconds: EDGE.stopSeconds,
      // The check ignores the stores: replacing a container does not help when they do not answer.
      healthCheck: { protocol: Protocol.HTTPS, path: '/status/v1/simple/status-service' },
    });
  }
}
