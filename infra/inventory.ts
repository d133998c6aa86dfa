import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Port, SecurityGroup } from 'aws-cdk-lib/aws-ec2';
import type { FargateTaskDefinition } from 'aws-cdk-lib/aws-ecs';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { FilterCriteria, FilterRule, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, type DynamoEventSourceProps, SqsDlq } from 'aws-cdk-lib/aws-lambda-event-sources';
import {
  AuroraPostgresEngineVersion,
  ClusterInstance,
  Credentials,
  DatabaseCluster,
  DatabaseClusterEngine,
} from 'aws-cdk-lib/aws-rds';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { PREFIXES, SECRET_VALUE } from '../shared/config/deployment.ts';
import { IAM_ROLE, INVENTORY_FUNCTIONS, INVENTORY_VARIABLES } from '../shared/config/inventory.ts';
import { namesInAws, settingVariables } from '../shared/config/read-setting.ts';
import { REPORT_COLLECTIONS } from '../shared/config/report-collections.ts';
import type { InventoryContext } from './context/inventory-context.ts';
import type { OperatorContext } from './context/operator-context.ts';
import { type UnderstudyFunction, understudyFunction } from './function.ts';
import {
  grantAnswers,
  grantDocuments,
  grantObjects,
  grantSending,
  grantTable,
  type WorkerEnvironment,
} from './grants.ts';
import { exportVariables } from './job-functions.ts';
import type { Network } from './network.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './tables.ts';

interface InventorySettings extends InventoryContext {
  readonly tables: Tables;
  readonly storage: Storage;
  readonly queues: Queues;
  /** `exportDelay` and `exportInterval` apply to changed query answers, too. */
  readonly operator: OperatorContext;
  readonly network: Network;
  readonly environment: WorkerEnvironment;
  /** The server's name: `producer` of the facts, catalogs and reports that the feed stores. */
  readonly serverName: string;
  readonly deletionProtection: boolean;
  /** Whether X-Ray gets traces. */
  readonly tracing: boolean;
}

const NAME = 'understudy';
/** DynamoDB keeps stream records for a day; until then a failed batch is retried. */
const LONGEST_AWAY = Duration.hours(24);
/** A paused database needs half a minute to resume. */
const FEED_TIMEOUT = Duration.minutes(5);

/** Environment variables by which front doors select the facts to store for the inventory. */
export function factVariables(context: InventoryContext): Readonly<Record<string, string>> {
  return settingVariables(context, ['puppetdbFactInterval', 'puppetdbBlockedFacts']);
}

/**
 * The inventory: PuppetDB's API on Aurora PostgreSQL, which pauses when idle. Streams of the nodes
 * and documents tables feed it. Compiles read exported resources and facts from DynamoDB and S3;
 * they use the inventory only for queries in manifests.
 */
export class Inventory extends Construct {
  readonly database: DatabaseCluster;
  readonly feed: UnderstudyFunction;
  readonly maintenance: UnderstudyFunction;
  readonly query: UnderstudyFunction;
  /** Answers queries from manifests and orchestrator jobs. */
  readonly answers: UnderstudyFunction;
  /** Batches of the streams that the database did not take within a day. */
  readonly deadLetters: Queue;
  readonly #functions: SecurityGroup;

  constructor(scope: Construct, id: string, settings: InventorySettings) {
    super(scope, id);
    const { vpc } = settings.network;
    this.#functions = new SecurityGroup(this, 'Functions', { vpc, description: 'Functions of the inventory' });
    this.database = this.#createDatabase(settings);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
    });
    this.feed = this.#createFeed(settings);
    this.maintenance = this.#createMaintenance(settings);
    this.query = this.#createFunction('Query', settings, {
      entry: 'inventory',
      description: "Answers PuppetDB's query and command API",
      memoryMegabytes: 1024,
      timeout: Duration.seconds(29),
    });
    this.answers = this.#createAnswers(settings);
    this.#acknowledge();
  }

  /** Lets a function query the inventory. */
  allowQueriesOfFunction(asking: UnderstudyFunction, resources: Pick<InventorySettings, 'storage'>): void {
    asking.addEnvironment(INVENTORY_VARIABLES.answers, this.answers.functionName);
    grantAnswers(asking, this.answers, resources);
  }

  /** Lets a task's container query the inventory. */
  allowQueriesOfTask(task: FargateTaskDefinition, resources: Pick<InventorySettings, 'storage'>): void {
    task.defaultContainer?.addEnvironment(INVENTORY_VARIABLES.answers, this.answers.functionName);
    grantAnswers({ grantPrincipal: task.taskRole.grantPrincipal, role: task.taskRole }, this.answers, resources);
  }

  #createAnswers(settings: InventorySettings): UnderstudyFunction {
    const answers = this.#createFunction('Answers', settings, {
      entry: 'inventory-answers',
      description: 'Answers the queries of manifests and of jobs',
      memoryMegabytes: 1024,
      timeout: Duration.seconds(INVENTORY_FUNCTIONS.answerSeconds),
    });
    grantObjects(answers, settings.storage.bucket, 'write', [PREFIXES.requests]);
    return answers;
  }

  #createDatabase({ network, capacity, pauseMinutes, deletionProtection }: InventorySettings): DatabaseCluster {
    const group = new SecurityGroup(this, 'Inside', {
      vpc: network.vpc,
      description: 'The database of the inventory',
      allowAllOutbound: false,
    });
    group.addIngressRule(this.#functions, Port.tcp(5432), 'Functions of the inventory');
    return new DatabaseCluster(this, 'Database', {
      engine: DatabaseClusterEngine.auroraPostgres({ version: AuroraPostgresEngineVersion.VER_16_6 }),
      writer: ClusterInstance.serverlessV2('Writer', { publiclyAccessible: false }),
      serverlessV2MinCapacity: capacity.min,
      serverlessV2MaxCapacity: capacity.max,
      ...(capacity.min === 0 ? { serverlessV2AutoPauseDuration: Duration.minutes(pauseMinutes) } : {}),
      vpc: network.vpc,
      vpcSubnets: network.containers,
      securityGroups: [group],
      credentials: Credentials.fromGeneratedSecret(NAME),
      defaultDatabaseName: NAME,
      iamAuthentication: true,
      storageEncrypted: true,
      deletionProtection,
      backup: { retention: Duration.days(7) },
      // The stores can feed it again, except commands that other servers sent.
      removalPolicy: RemovalPolicy.SNAPSHOT,
    });
  }

  #createFeed(settings: InventorySettings): UnderstudyFunction {
    const { tables } = settings;
    const feed = this.#createFunction('Feed', settings, {
      entry: 'inventory-feed',
      description: 'Brings what changed of nodes into the inventory',
      memoryMegabytes: 1024,
      timeout: FEED_TIMEOUT,
    });
    const common: DynamoEventSourceProps = {
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: INVENTORY_FUNCTIONS.batchSize,
      maxBatchingWindow: Duration.seconds(INVENTORY_FUNCTIONS.batchSeconds),
      bisectBatchOnError: true,
      reportBatchItemFailures: true,
      maxRecordAge: LONGEST_AWAY,
      onFailure: new SqsDlq(this.deadLetters),
    };
    feed.addEventSource(new DynamoEventSource(tables.byName.nodes, common));
    const filters = Object.values(REPORT_COLLECTIONS).map((prefix) =>
      FilterCriteria.filter({ dynamodb: { Keys: { collection: { S: FilterRule.beginsWith(prefix) } } } }),
    );
    feed.addEventSource(new DynamoEventSource(tables.byName.documents, { ...common, filters }));
    this.#letOwn(feed);
    this.#grantReading(feed, settings);
    grantInvalidation(feed, settings);
    return feed;
  }

  #createMaintenance(settings: InventorySettings): UnderstudyFunction {
    const maintenance = this.#createFunction('Maintenance', settings, {
      entry: 'inventory-maintenance',
      description: 'Deletes what the inventory keeps no longer, and passes over all nodes when that is due',
      memoryMegabytes: 1024,
      timeout: Duration.minutes(15),
      isScheduled: true,
    });
    new Rule(this, 'MaintenanceSchedule', {
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [
        new LambdaFunction(maintenance, {
          retryAttempts: 0,
          maxEventAge: Duration.minutes(30),
          event: RuleTargetInput.fromObject({}),
        }),
      ],
    });
    this.#grantReading(maintenance, settings);
    grantInvalidation(maintenance, settings);
    grantTable(maintenance, settings.tables, 'nodes', ['Scan']);
    return maintenance;
  }

  /** Grants the reads of the feed, and writing the position of its pass over all nodes. */
  #grantReading(grantee: UnderstudyFunction, { tables, storage }: InventorySettings): void {
    grantTable(grantee, tables, 'nodes', ['GetItem']);
    grantDocuments(grantee, tables, {
      read: ['reports/*', 'report-index/*', 'unchanged-runs/*', 'inventory-passes', 'changes'],
      write: ['inventory-passes', 'changes'],
      delete: ['changes'],
    });
    grantTable(grantee, tables, 'exports', ['GetItem', 'BatchGetItem', 'Query']);
    grantObjects(grantee, storage.bucket, 'read', [PREFIXES.facts, PREFIXES.catalogs, PREFIXES.reports]);
  }

  #createFunction(
    id: string,
    settings: InventorySettings,
    own: Pick<
      Parameters<typeof understudyFunction>[2],
      'entry' | 'description' | 'memoryMegabytes' | 'timeout' | 'isScheduled'
    >,
  ): UnderstudyFunction {
    const { network, environment, serverName, tracing } = settings;
    const { vpc, containers } = network;
    const created = understudyFunction(this, id, {
      ...own,
      tracing,
      network: { vpc, vpcSubnets: containers, securityGroups: [this.#functions] },
      environment: {
        ...environment.withQueues,
        ...exportVariables(settings.operator),
        // Lambda's own file has the certificate authorities of RDS.
        NODE_EXTRA_CA_CERTS: '/var/runtime/ca-cert.pem',
        [INVENTORY_VARIABLES.url]: this.#url(IAM_ROLE),
        [INVENTORY_VARIABLES.producer]: serverName,
        ...settingVariables(settings, namesInAws('inventory')),
      },
    });
    this.database.grantConnect(created, IAM_ROLE);
    return created;
  }

  #url(user: string): string {
    return `postgresql://${user}@${this.database.clusterEndpoint.socketAddress}/${NAME}?sslmode=verify-full`;
  }

  /** The first feed of a new database makes the role as which all functions log in. */
  #letOwn(feed: UnderstudyFunction): void {
    const { secret } = this.database;
    if (!secret) throw new Error('the database has no generated password');
    feed.addEnvironment(INVENTORY_VARIABLES.owner, this.#url(NAME));
    feed.addEnvironment(INVENTORY_VARIABLES.ownerPassword, `${SECRET_VALUE}${secret.secretArn}#password`);
    secret.grantRead(feed);
  }

  #acknowledge(): void {
    const accept = (construct: IConstruct, rule: string, reason: string) => {
      Validations.of(construct).acknowledge({ id: `AwsSolutions::AwsSolutions-${rule}`, reason });
    };
    accept(this.database, 'RDS11', 'Only the functions of the inventory reach the port, whatever its number.');
    accept(
      this.deadLetters,
      'SQS3',
      'This queue receives failed batches of streams: it is a dead-letter queue itself.',
    );
    accept(
      this.database.node.findChild('Secret'),
      'SMG4',
      'The password makes the role for IAM in a new database, and has no other use.',
    );
  }
}

/** Grants the invalidation of nodes whose query answers changed. */
function grantInvalidation(grantee: UnderstudyFunction, { tables, queues }: InventorySettings): void {
  grantTable(grantee, tables, 'nodes', ['UpdateItem']);
  grantSending(grantee, queues.express);
}
