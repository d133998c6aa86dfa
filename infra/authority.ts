import { Duration, Stack } from 'aws-cdk-lib';
import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import { type Cluster, type ContainerImage, FargateService, type FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { type NetworkTargetGroup, Protocol } from 'aws-cdk-lib/aws-elasticloadbalancingv2';
import { DnsRecordType, PrivateDnsNamespace } from 'aws-cdk-lib/aws-servicediscovery';
import { Construct } from 'constructs';
import { AUTHORITY, EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { ORCHESTRATOR, ORCHESTRATOR_VARIABLES } from '../shared/config/orchestrator.ts';
import { variableOf } from '../shared/config/read-setting.ts';
import { SETTINGS } from '../shared/config/settings.ts';
import { containerTask } from './container-task.ts';
import type { OrchestratorContext } from './context/orchestrator-context.ts';
import type { FrontDoorVariables } from './front-door-variables.ts';
import {
  type AppResources,
  grantAuthorityKey,
  grantCommon,
  grantConsoleFiles,
  grantEdgeKey,
  grantOperators,
  grantOrchestrator,
  type WorkerEnvironment,
} from './grants.ts';
import type { Network } from './network.ts';
import { type Balancer, passPort } from './passed-port.ts';

interface AuthoritySettings extends AppResources {
  readonly environment: WorkerEnvironment;
  readonly operator: FrontDoorVariables;
  readonly image: ContainerImage;
  readonly network: Network;
  readonly cluster: Cluster;
  readonly balancer: Balancer;
  /** The group of the load balancer. */
  readonly doorway: SecurityGroup;
  /** The group of the edge's containers, which forward to this service. */
  readonly edges: SecurityGroup;
  /** The edge's names for agents: the service issues its certificate. */
  readonly edgeNames: readonly string[];
  /** Certnames whose certificates may do everything in the access API. */
  readonly accessAllowList: readonly string[];
  /** Null: there is no orchestrator. */
  readonly orchestrator: OrchestratorContext | null;
  readonly plans: PlanSettings;
}

/** Settings of what evaluates plans, if there is an orchestrator. */
export interface PlanSettings {
  readonly variables: Readonly<Record<string, string>>;
  /** Secrets that Hiera reads, by variable. */
  readonly secrets: Readonly<Record<string, string>>;
}

const SERVICE = 'authority';

/** The ports beside the front door's, with the ids of their listeners. */
function listBesides({ orchestrator }: Pick<AuthoritySettings, 'orchestrator'>): ReadonlyMap<number, string> {
  const people = [
    [ORCHESTRATOR.accessPort, 'Access'],
    [ORCHESTRATOR.consolePort, 'Console'],
  ] as const;
  return new Map(orchestrator ? [...people, [ORCHESTRATOR.port, 'Orchestrator']] : people);
}

function orchestratorVariables(orchestrator: OrchestratorContext | null): Readonly<Record<string, string>> {
  return {
    [ORCHESTRATOR_VARIABLES.accessPort]: String(ORCHESTRATOR.accessPort),
    [ORCHESTRATOR_VARIABLES.consolePort]: String(ORCHESTRATOR.consolePort),
    [ORCHESTRATOR_VARIABLES.isOn]: String(orchestrator !== null),
    [ORCHESTRATOR_VARIABLES.orchestratorPort]: String(ORCHESTRATOR.port),
    [ORCHESTRATOR_VARIABLES.puppetRuns]: String(orchestrator?.puppetRuns ?? 0),
    [ORCHESTRATOR_VARIABLES.taskNodes]: String(orchestrator?.taskNodes ?? 0),
    [variableOf('keepJobs')]: String(orchestrator?.keepJobs ?? SETTINGS.keepJobs.usual),
  };
}

/** The private domain of a stack, in which the edge finds the authority service. */
function domainOf(scope: Construct): string {
  return `${Stack.of(scope).stackName.toLowerCase()}.internal`;
}

/** The name of the authority service inside the VPC. */
export function authorityHost(scope: Construct): string {
  return `${SERVICE}.${domainOf(scope)}`;
}

/**
 * The authority service: the only container that may use the key of the certificate authority, and
 * the front door of operators and pipelines. The edge reaches it inside the VPC, operators on their
 * own port of the load balancer.
 */
export class Authority extends Construct {
  readonly service: FargateService;
  readonly task: FargateTaskDefinition;
  readonly operators: NetworkTargetGroup;
  /** Targets of the access API, the console, and the orchestrator if there is one, by port. */
  readonly besides: ReadonlyMap<number, NetworkTargetGroup>;

  constructor(scope: Construct, id: string, settings: AuthoritySettings) {
    super(scope, id);
    this.task = this.#createTask(settings);
    this.service = this.#createService(settings);
    this.operators = this.#createTarget(settings, 'Operators', 'Authority', AUTHORITY.port);
    this.besides = new Map(
      [...listBesides(settings)].map(([port, id]) => [port, this.#createTarget(settings, id, id, port)]),
    );
  }

  #createTask(settings: AuthoritySettings): FargateTaskDefinition {
    const { operator, edgeNames, balancer, authorityKey, edgeKey } = settings;
    const { loadBalancer } = balancer;
    const ours = [authorityHost(this), ...edgeNames, loadBalancer.loadBalancerDnsName];
    const plans = settings.orchestrator ? settings.plans : null;
    const task = containerTask(this, {
      image: settings.image,
      entry: 'authority',
      port: AUTHORITY.port,
      morePorts: [...listBesides(settings).keys()],
      cpu: 512,
      // A deploy over HTTPS unpacks, compares and stores a whole environment. A plan has its own
      // thread with Ruby.
      memory: plans ? 4096 : 2048,
      secrets: { ...operator.secrets, ...plans?.secrets },
      environment: {
        ...settings.environment.withQueues,
        ...plans?.variables,
        ...operator.variables,
        [FRONT_DOOR_VARIABLES.edgeNames]: [...edgeNames, loadBalancer.loadBalancerDnsName].join(','),
        [FRONT_DOOR_VARIABLES.authorityNames]: ours.join(','),
        [FRONT_DOOR_VARIABLES.authorityKey]: authorityKey.keyArn,
        [FRONT_DOOR_VARIABLES.edgeKey]: edgeKey.keyArn,
        [ORCHESTRATOR_VARIABLES.accessAllowList]: settings.accessAllowList.join(','),
        ...orchestratorVariables(settings.orchestrator),
      },
    });
    const grantee = { grantPrincipal: task.taskRole.grantPrincipal, role: task.taskRole };
    grantCommon(grantee, settings, 'take');
    grantOperators(grantee, settings);
    grantConsoleFiles(grantee, settings);
    if (settings.orchestrator) grantOrchestrator(grantee, settings);
    grantAuthorityKey(grantee, settings);
    grantEdgeKey(grantee, settings, 'issue');
    return task;
  }

  #createService(settings: AuthoritySettings): FargateService {
    const { vpc, containers } = settings.network;
    const group = new SecurityGroup(this, 'Inside', { vpc, description: 'To the authority service' });
    group.addIngressRule(settings.edges, Port.tcp(AUTHORITY.port), 'Edge');
    for (const port of [AUTHORITY.port, ...listBesides(settings).keys()]) {
      group.addIngressRule(settings.doorway, Port.tcp(port), 'Load balancer');
      settings.doorway.addEgressRule(group, Port.tcp(port), 'Authority service');
    }
    const service = new FargateService(this, 'Service', {
      cluster: settings.cluster,
      taskDefinition: this.task,
      // While it is replaced, nodes wait for signatures, and nothing else.
      desiredCount: 1,
      minHealthyPercent: 100,
      maxHealthyPercent: 200,
      circuitBreaker: { rollback: true },
      healthCheckGracePeriod: Duration.seconds(60),
      securityGroups: [group],
      vpcSubnets: containers,
      cloudMapOptions: {
        name: SERVICE,
        cloudMapNamespace: new PrivateDnsNamespace(this, 'Domain', { name: domainOf(this), vpc }),
        dnsRecordType: DnsRecordType.A,
        dnsTtl: Duration.seconds(10),
      },
    });
    service.node.addDependency(...settings.network.ways);
    return service;
  }

  /** All ports have the health check of the front door: one process serves them. */
  #createTarget({ balancer }: AuthoritySettings, name: string, id: string, port: number): NetworkTargetGroup {
    const containerName = this.task.defaultContainer?.containerName ?? '';
    return passPort(balancer, {
      ids: [name, id],
      port,
      target: this.service.loadBalancerTarget({ containerName, containerPort: port }),
      drainSeconds: EDGE.stopSeconds,
      healthCheck: {
        protocol: Protocol.HTTPS,
        port: String(AUTHORITY.port),
        path: '/status/v1/simple/status-service',
      },
    });
  }
}
