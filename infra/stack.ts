import { CfnOutput, Fn, RemovalPolicy, Stack, type StackProps, Tags } from 'aws-cdk-lib';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct, Node } from 'constructs';
import { visibilitySeconds } from '../shared/config/compile-limit.ts';
import { AUTHORITY, EDGE } from '../shared/config/front-doors.ts';
import { metricNamespace } from '../shared/config/metrics.ts';
import { ORCHESTRATOR } from '../shared/config/orchestrator.ts';
import { SETTINGS } from '../shared/config/settings.ts';
import { acknowledgeFindings } from './acknowledgements.ts';
import { Alarms } from './alarms.ts';
import { Backups } from './backups.ts';
import { Budget } from './budget.ts';
import { containerImage } from './container-image.ts';
import { apiContext } from './context/api-context.ts';
import { assertTogether } from './context/context-checks.ts';
import { edgeContext } from './context/edge-context.ts';
import { inventoryContext } from './context/inventory-context.ts';
import { networkContext } from './context/network-context.ts';
import { type OperationsContext, operationsContext } from './context/operations-context.ts';
import { operatorContext } from './context/operator-context.ts';
import { orchestratorContext } from './context/orchestrator-context.ts';
import { Overview } from './dashboard.ts';
import { Edge } from './edge.ts';
import { FrontDoor } from './front-door.ts';
import { frontDoorVariables } from './front-door-variables.ts';
import { deployGradually } from './gradual-deploy.ts';
import { type AppResources, type WorkerEnvironment, workerEnvironment } from './grants.ts';
import { factVariables, Inventory } from './inventory.ts';
import { compileVariables, exportVariables, Workers } from './job-functions.ts';
import { Notify } from './notify.ts';
import { announceDifferences, assertPartition, listUntagged } from './partition.ts';
import { Probe } from './probe.ts';
import { Queues } from './queues.ts';
import { stageOf } from './stage.ts';
import { Storage } from './storage.ts';
import { Tables } from './tables.ts';

/** Thresholds of the alarms: ages and the ring's lag in seconds, and numbers of jobs. */
const BOUNDS = {
  waitingAgeSeconds: 60,
  expressAgeSeconds: 900,
  backgroundAgeSeconds: 3600,
  waitingDepth: 1000,
  expressDepth: 20_000,
  backgroundDepth: 20_000,
} as const;

/** Everything that the context of the app decides (`cdk.json`, `-c`). */
type StackContext = ReturnType<typeof readContext>;

function readContext(node: Node) {
  const [operator, api, inventory] = [operatorContext(node), apiContext(node), inventoryContext(node)];
  const context = {
    operator,
    api,
    inventory,
    edge: edgeContext(node),
    network: networkContext(node),
    operations: operationsContext(node),
    orchestrator: orchestratorContext(node, operator.waitingConcurrency),
    variables: frontDoorVariables(operator, inventory ? factVariables(inventory) : {}),
  };
  assertTogether(context);
  return context;
}

/** Stores, queues and keys, which all services share. */
interface Resources extends AppResources {
  readonly queues: Queues;
  readonly environment: WorkerEnvironment;
}

interface Services {
  readonly edge: Edge;
  readonly workers: Workers;
  readonly notify: Notify | null;
  readonly frontDoor: FrontDoor;
  readonly inventory: Inventory | null;
}

interface Operated extends Resources, Services {
  readonly alarms: Alarms;
  readonly namespace: string;
}

/** All resources of one Understudy installation. README.md in this folder has the map. */
export class UnderstudyStack extends Stack {
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, { description: 'Understudy: Puppet catalogs as build artifacts', ...props });
    const context = readContext(this.node);
    assertPartition(this, context.operations);
    announceDifferences(this);
    const namespace = metricNamespace(stageOf(this));
    const resources = this.#createResources(context);
    const services = this.#createServices(context, resources, namespace);
    const alarms = new Alarms(this, 'Alarms', {
      ...resources,
      ...services,
      namespace,
      hasProbe: context.operations.probe !== undefined,
      ...context.operations,
      ...BOUNDS,
      ringLagSeconds: 1.5 * 3600 * context.operator.ringTurn,
    });
    this.#addOperations(context.operations, { ...resources, ...services, alarms, namespace });
    acknowledgeFindings({ ...resources, ...services });
    this.#printOutputs(context.edge.names, { ...resources, ...services, alarms });
  }

  #createResources({ operator, inventory, operations, orchestrator }: StackContext): Resources {
    const tables = new Tables(this, 'Tables', { ...operations, followsDocuments: inventory !== null });
    const keepJobs = orchestrator?.keepJobs ?? SETTINGS.keepJobs.usual;
    const storage = new Storage(this, 'Storage', { ...operator, keepJobs });
    const queues = new Queues(this, 'Queues', { visibilitySeconds: visibilitySeconds(operator.compileTimeLimit) });
    const authorityKey = new Key(this, 'AuthorityKey', {
      description: "Seals the private key of Understudy's certificate authority",
      enableKeyRotation: true,
      removalPolicy: RemovalPolicy.RETAIN,
    });
    const edgeKey = new Key(this, 'EdgeKey', {
      description: "Seals the private key of the certificate of Understudy's edge",
      enableKeyRotation: true,
      // The authority service issues another certificate when this key is lost.
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const environment = workerEnvironment(tables, storage, queues);
    return { tables, storage, queues, authorityKey, edgeKey, environment };
  }

  #createServices(context: StackContext, resources: Resources, namespace: string): Services {
    const { operator, api, operations, orchestrator, variables } = context;
    const { deletionProtection, tracing, gradualDeploy } = operations;
    const serverName = operator.serverName ?? context.edge.names[0] ?? 'puppet';
    const edge = new Edge(this, 'Edge', {
      ...resources,
      ...context.edge,
      operator: variables,
      image: containerImage(this, variables.files, context.edge.baseImage),
      containers: operator.containers,
      accessAllowList: operator.accessAllowList,
      orchestrator,
      plans: {
        variables: { ...compileVariables({ ...operator, serverName }), ...exportVariables(operator) },
        secrets: operator.eyamlKeys,
      },
      callsFunctions: context.inventory !== null,
      network: context.network,
      deletionProtection,
      containerInsights: operations.containerInsights,
      namespace,
    });
    const workers = new Workers(this, 'Workers', {
      ...resources,
      ...operator,
      serverName,
      // The agents' name resolves to the load balancer, but our functions may be unable to resolve
      // it.
      serverAddress: context.edge.address ?? edge.loadBalancer.loadBalancerDnsName,
      tracing,
      gradualDeploy,
    });
    const notify = edge.broker && new Notify(this, 'Notify', { ...resources, tracing });
    const edgeUrl = `https://${context.edge.names[0]}:${EDGE.port}`;
    const frontDoor = new FrontDoor(this, 'FrontDoor', { ...resources, ...api, operator: variables, edgeUrl, tracing });
    const inventory =
      context.inventory &&
      new Inventory(this, 'Inventory', {
        ...resources,
        ...context.inventory,
        network: edge.network,
        operator,
        serverName,
        deletionProtection,
        tracing,
      });
    if (inventory) {
      frontDoor.addInventory(inventory.query);
      inventory.allowQueriesOfFunction(workers.compile, resources);
      inventory.allowQueriesOfTask(edge.authority.task, resources);
    }
    return { edge, workers, notify, frontDoor, inventory };
  }

  /** Adds what the operator turns on, around the service itself. */
  #addOperations(
    { tags, budget, backups, dashboard, probe, tracing }: OperationsContext,
    { alarms, edge, queues, workers, tables, storage, namespace, inventory }: Operated,
  ): void {
    const excludeResourceTypes = listUntagged(this);
    for (const [name, value] of Object.entries(tags)) Tags.of(this).add(name, value, { excludeResourceTypes });
    if (budget !== undefined) {
      alarms.letPublish('budgets.amazonaws.com');
      const [tag] = Object.entries(tags);
      new Budget(this, 'Budget', { dollars: budget, topic: alarms.topic, ...(tag ? { tag } : {}) });
    }
    if (backups) new Backups(this, 'Backups', { ...backups, tables, storage });
    if (probe) new Probe(this, 'Probe', { ...probe, edge, tracing });
    if (dashboard) new Overview(this, 'Overview', { queues, workers, edge, namespace, inventory });
    const { compileAlias } = workers;
    const watched = ['CompileErrors', 'JobFaults'].flatMap((name) => alarms.byName.get(name) ?? []);
    if (compileAlias) deployGradually(this, compileAlias, watched);
  }

  /** In a stack without a region, CDK knows of two zones only. */
  override get availabilityZones(): string[] {
    return [0, 1, 2].map((index) => Fn.select(index, Fn.getAzs()));
  }

  /** Prints the addresses and names of the stack on each deploy. */
  #printOutputs(
    [name]: readonly string[],
    { edge, workers, frontDoor, storage, authorityKey, alarms }: Resources & Services & { readonly alarms: Alarms },
  ): void {
    const outputs = {
      ApiUrl: frontDoor.api.apiEndpoint,
      EdgeAddress: edge.loadBalancer.loadBalancerDnsName,
      // The commands of `understudy` use this function's variables; none of them is secret.
      FeedFunction: workers.feed.functionName,
      AccessUrl: `https://${name}:${ORCHESTRATOR.accessPort}/rbac-api`,
      ConsoleUrl: `https://${name}:${ORCHESTRATOR.consolePort}/console/`,
      ...(edge.broker ? { OrchestratorUrl: `https://${name}:${ORCHESTRATOR.port}` } : {}),
      OperatorAddress: `${edge.loadBalancer.loadBalancerDnsName}:${AUTHORITY.port}`,
      AuthorityKeyArn: authorityKey.keyArn,
      BucketName: storage.bucket.bucketName,
      AlarmTopicArn: alarms.topic.topicArn,
      WarningTopicArn: alarms.warnings.topicArn,
    };
    for (const [output, value] of Object.entries(outputs)) new CfnOutput(this, output, { value });
  }
}
