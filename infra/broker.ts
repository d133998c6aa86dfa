import { Duration } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { type Cluster, type ContainerImage, FargateService, type FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { type NetworkTargetGroup, Protocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { Construct } from 'constructs';
import { AUTHORITY, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { BROKER, countBrokerConnections, ORCHESTRATOR_VARIABLES } from '../shared/config/orchestrator.ts';
import { authorityHost } from './authority.ts';
import { containerTask } from './container-task.ts';
import type { OrchestratorContext } from './context/orchestrator-context.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import { type AppResources, grantBroker, grantEdgeKey, type WorkerEnvironment } from './grants.ts';
import type { Network } from './network.ts';
import { type Balancer, passPort } from './passed-port.ts';

interface BrokerSettings extends AppResources {
  readonly environment: WorkerEnvironment;
  readonly operator: FrontDoorVariables;
  readonly orchestrator: OrchestratorContext;
  readonly image: ContainerImage;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly balancer: Balancer;
  /** The group of the load balancer. */
  readonly doorway: SecurityGroup;
  /** The names of the server for agents: the broker serves with the edge's certificate. */
  readonly edgeNames: readonly string[];
  /** The namespace of our own metrics. */
  readonly namespace: string;
}

/**
 * Keeps the memory of connections small, as `functions/understudy` does for `broker` and explains:
 * about 10 kB of 55 for each.
 */
const CONNECTION_MEMORY = {
  MALLOC_MMAP_THRESHOLD_: '32768',
  MALLOC_TRIM_THRESHOLD_: '65536',
  MALLOC_TOP_PAD_: '4096',
} as const;

/**
 * The PCP broker: containers behind the load balancer to which PXP agents are connected all the
 * time. It faces all nodes and knows no users, jobs or code: those are the authority service's,
 * which reaches agents through presence and mailboxes in the documents table.
 */
export class Broker extends Construct {
  readonly service: FargateService;
  readonly task: FargateTaskDefinition;
  readonly agents: NetworkTargetGroup;

  constructor(scope: Construct, id: string, settings: BrokerSettings) {
    super(scope, id);
    this.task = this.#createTask(settings);
    this.service = this.#createService(settings);
    this.agents = this.#createTarget(settings);
  }

  #createTask(settings: BrokerSettings): FargateTaskDefinition {
    const { operator, orchestrator, edgeNames, balancer, edgeKey } = settings;
    const { cpu, memory } = orchestrator;
    const connections = countBrokerConnections(memory);
    const task = containerTask(this, {
      image: settings.image,
      entry: 'broker',
      port: BROKER.port,
      status: { port: BROKER.statusPort, path: '/status/v1/simple', isPlain: true },
      // Fargate allows 1,048,576. A connection takes one; stores and the process itself take some.
      openFiles: connections + 10_000,
      cpu,
      memory,
      nodeFlags: ['--max-semi-space-size=4'],
      secrets: operator.secrets,
      environment: {
        ...settings.environment.withQueues,
        ...operator.variables,
        ...CONNECTION_MEMORY,
        [FRONT_DOOR_VARIABLES.edgeNames]: [...edgeNames, balancer.loadBalancer.loadBalancerDnsName].join(','),
        [FRONT_DOOR_VARIABLES.keyHolder]: `https://${authorityHost(this)}:${AUTHORITY.port}`,
        [FRONT_DOOR_VARIABLES.edgeKey]: edgeKey.keyArn,
        [ORCHESTRATOR_VARIABLES.brokerStatusPort]: String(BROKER.statusPort),
        [ORCHESTRATOR_VARIABLES.brokerConnections]: String(connections),
        [ORCHESTRATOR_VARIABLES.brokerHandshakes]: String(Math.ceil((BROKER.handshakesPerCpu * cpu) / 1024)),
      },
    });
    const grantee = { grantPrincipal: task.taskRole.grantPrincipal, role: task.taskRole };
    grantBroker(grantee, settings);
    grantEdgeKey(grantee, settings, 'serve');
    return task;
  }

  #createService(settings: BrokerSettings): FargateService {
    const { network, cluster, doorway } = settings;
    const { vpc, containers } = network;
    const group = new SecurityGroup(this, 'Inside', { vpc, description: 'Load balancer to the broker' });
    for (const port of [BROKER.port, BROKER.statusPort]) {
      group.addIngressRule(doorway, Port.tcp(port), 'Load balancer');
      doorway.addEgressRule(group, Port.tcp(port), 'Broker');
    }
    const service = new FargateService(this, 'Service', {
      cluster,
      taskDefinition: this.task,
      // The number of tasks is that of the scaling target: a deploy would set it back.
      // New containers take the agents that old ones send away.
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(120),
      securityGroups: [group],
      vpcSubnets: containers,
    });
    service.node.addDependency(...network.ways);
    this.#scale(service, settings);
    return service;
  }

  /** An idle connection takes memory and next to no CPU; a storm of handshakes takes CPU. */
  #scale(service: FargateService, { orchestrator, namespace }: BrokerSettings): void {
    const { containers, memory } = orchestrator;
    // Scaling in sends agents away: that is done seldom.
    const cooldowns = { scaleOutCooldown: Duration.seconds(30), scaleInCooldown: Duration.minutes(30) };
    const scaling = service.autoScaleTaskCount({ minCapacity: containers.min, maxCapacity: containers.max });
    scaling.scaleOnCpuUtilization('Load', { targetUtilizationPercent: 60, ...cooldowns });
    const metricName = MEASURES.brokerConnections.cloudWatch;
    scaling.scaleToTrackCustomMetric('Connections', {
      metric: new Metric({ namespace, metricName, statistic: 'Average', period: Duration.minutes(1) }),
      targetValue: Math.floor(countBrokerConnections(memory) * BROKER.fullShare),
      ...cooldowns,
    });
  }

  #createTarget({ balancer }: BrokerSettings): NetworkTargetGroup {
    return passPort(balancer, {
      ids: ['Pxp', 'Broker'],
      port: BROKER.port,
      target: this.service,
      // Connections outlast it: the broker closes them at a pace after SIGTERM, which comes later.
      drainSeconds: 10,
      healthCheck: { protocol: Protocol.HTTP, port: String(BROKER.statusPort), path: '/status/v1/simple' },
    });
  }
}
