import { CfnElement, Stack, Validations } from 'aws-cdk-lib';
import { Effect, type IGrantable, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { Key } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { ENVIRONMENT_VARIABLES, PREFIXES, TABLES, type TableShape } from '../shared/config/deployment.ts';
import { CONSOLE_PREFIX, HEALTH_KEY } from '../shared/config/front-doors.ts';
import type { Queues, QueueWithDeadLetters } from './queues.ts';
import type { Storage } from './storage.ts';
import type { TableName, Tables } from './tables.ts';

type TableAction =
  | 'GetItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'Query'
  | 'Scan'
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'DescribeTable';

/**
 * Allows the actions on the table. `Query` includes the indexes; it allows only them if the table
 * has no sort key.
 */
export function grantTable(
  grantee: IGrantable,
  tables: Tables,
  name: TableName,
  actions: readonly TableAction[],
): void {
  const { tableArn } = tables.byName[name];
  const shape: TableShape = TABLES[name];
  const ofTable = actions.filter((action) => action !== 'Query' || shape.sortKey !== undefined);
  allow(
    grantee,
    ofTable.map((action) => `dynamodb:${action}`),
    [tableArn],
  );
  const indexes = (shape.indexes ?? []).map((index) => `${tableArn}/index/${index.name}`);
  if (actions.includes('Query') && indexes.length > 0) allow(grantee, ['dynamodb:Query'], indexes);
}

/** A function, or a task definition with its task role. */
interface RoleHolder extends IGrantable {
  readonly role?: IRole;
}

const OBJECT_ACTIONS = { read: ['s3:GetObject'], write: ['s3:PutObject'], delete: ['s3:DeleteObject'] } as const;

/**
 * Allows one kind of access to the objects below the prefixes. Reading needs ListBucket, because
 * otherwise a missing object answers 403.
 */
export function grantObjects(
  grantee: RoleHolder,
  bucket: Bucket,
  access: keyof typeof OBJECT_ACTIONS,
  prefixes: readonly string[],
): void {
  allow(
    grantee,
    OBJECT_ACTIONS[access],
    prefixes.map((prefix) => bucket.arnForObjects(`${prefix}*`)),
  );
  if (access === 'read') allow(grantee, ['s3:ListBucket'], [bucket.bucketArn]);
  for (const prefix of prefixes) acknowledgeObjects(grantee, bucket, prefix);
}

function acknowledgeObjects(grantee: RoleHolder, bucket: Bucket, prefix: string): void {
  const { role } = grantee;
  const element = bucket.node.defaultChild;
  if (!role || !CfnElement.isCfnElement(element)) return;
  const logicalId = Stack.of(bucket).getLogicalId(element);
  Validations.of(role).acknowledge({
    id: `AwsSolutions::AwsSolutions-IAM5[Resource::<${logicalId}.Arn>/${prefix}*]`,
    reason: `Objects below ${prefix} are named by digest, certname or time: their keys are not known beforehand.`,
  });
}

type Conditions = Record<string, Record<string, readonly string[]>>;

function allow(
  grantee: IGrantable,
  actions: readonly string[],
  resources: readonly string[],
  conditions?: Conditions,
): void {
  const statement = new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...actions],
    resources: [...resources],
    ...(conditions ? { conditions } : {}),
  });
  grantee.grantPrincipal.addToPrincipalPolicy(statement);
}

const DOCUMENT_ACTIONS = {
  get: ['GetItem'],
  read: ['GetItem', 'Query'],
  batch: ['BatchGetItem'],
  write: ['PutItem'],
  count: ['UpdateItem'],
  delete: ['DeleteItem'],
} as const;

/** Collections of documents by what may be done with them; `*` stands for the rest of a name. */
export type DocumentAccess = Partial<Record<keyof typeof DOCUMENT_ACTIONS, readonly string[]>>;

/**
 * Allows access to these collections of documents alone. The table also holds the CA, users and
 * tokens.
 */
export function grantDocuments(grantee: IGrantable, { byName }: Tables, access: DocumentAccess): void {
  for (const [kind, actions] of Object.entries(DOCUMENT_ACTIONS)) {
    const collections = access[kind as keyof DocumentAccess];
    if (collections === undefined) continue;
    allow(
      grantee,
      actions.map((action) => `dynamodb:${action}`),
      [byName.documents.tableArn],
      { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': collections } },
    );
  }
}

/** Allows sending messages: the functions know the queues by their URLs. */
export function grantSending(grantee: IGrantable, ...pairs: readonly QueueWithDeadLetters[]): void {
  allow(
    grantee,
    ['sqs:SendMessage'],
    pairs.map(({ queue }) => queue.queueArn),
  );
}

/** The resources of a front door. */
export interface AppResources {
  readonly tables: Tables;
  readonly storage: Storage;
  readonly queues: Queues;
  /** Seals the certificate authority's key: for the authority service, and the API if it signs. */
  readonly authorityKey: Key;
  /** Seals the key of the certificate that the edge serves with. */
  readonly edgeKey: Key;
}

/** The environment variables of the functions, with and without the queues. */
export interface WorkerEnvironment {
  readonly withQueues: Readonly<Record<string, string>>;
  /** Includes the queues that jobs come from, for their consumers. */
  readonly withCompileQueue: Readonly<Record<string, string>>;
  readonly withoutQueues: Readonly<Record<string, string>>;
}

export function workerEnvironment(tables: Tables, storage: Storage, queues: Queues): WorkerEnvironment {
  const { nodes, exports, collectors, environments, dependencies, documents, jobs } = tables.byName;
  const withoutQueues = {
    [ENVIRONMENT_VARIABLES.nodesTable]: nodes.tableName,
    [ENVIRONMENT_VARIABLES.exportsTable]: exports.tableName,
    [ENVIRONMENT_VARIABLES.collectorsTable]: collectors.tableName,
    [ENVIRONMENT_VARIABLES.environmentsTable]: environments.tableName,
    [ENVIRONMENT_VARIABLES.dependenciesTable]: dependencies.tableName,
    [ENVIRONMENT_VARIABLES.documentsTable]: documents.tableName,
    [ENVIRONMENT_VARIABLES.jobsTable]: jobs.tableName,
    [ENVIRONMENT_VARIABLES.bucket]: storage.bucket.bucketName,
  };
  const withJobs = {
    ...withoutQueues,
    [ENVIRONMENT_VARIABLES.waitingQueueUrl]: queues.waiting.queue.queueUrl,
    [ENVIRONMENT_VARIABLES.expressQueueUrl]: queues.express.queue.queueUrl,
    [ENVIRONMENT_VARIABLES.backgroundQueueUrl]: queues.background.queue.queueUrl,
  };
  const withQueues = {
    ...withJobs,
    [ENVIRONMENT_VARIABLES.fanOutQueueUrl]: queues.fanOut.queue.queueUrl,
    [ENVIRONMENT_VARIABLES.deadLetterQueueUrls]: queues.all.map(({ deadLetters }) => deadLetters.queueUrl).join(' '),
    [ENVIRONMENT_VARIABLES.fanOutDeadLetterQueueUrl]: queues.fanOut.deadLetters.queueUrl,
  };
  return { withQueues, withCompileQueue: withJobs, withoutQueues };
}

/** Collections that a front door for nodes reads. The others hold users, tokens and kept values. */
const FRONT_COLLECTIONS = [
  ...[HEALTH_KEY, 'ca', 'certificates', 'certificate-*', 'packages', 'policies', 'node-groups', 'comparisons'],
  ...['reports/*', 'report-index/*', 'unchanged-runs/*', 'failing/*', 'fact-history'],
] as const;

/**
 * Grants what every front door needs: it answers status, packages, certificates and revocation
 * lists, and checks certificates. It may `count` dead letters, or `take` them, too.
 */
export function grantCommon(
  grantee: RoleHolder,
  { tables, queues }: AppResources,
  deadLetters: 'count' | 'take' = 'count',
): void {
  grantTable(grantee, tables, 'nodes', ['GetItem', 'BatchGetItem', 'Query', 'DescribeTable']);
  grantTable(grantee, tables, 'environments', ['GetItem', 'Scan']);
  // The groups are read together with a node.
  grantDocuments(grantee, tables, { read: FRONT_COLLECTIONS, batch: ['node-groups'] });
  const taking = deadLetters === 'take' ? ['sqs:ReceiveMessage', 'sqs:DeleteMessage'] : [];
  const ofQueues = queues.all.map(({ queue }) => queue.queueArn);
  const ofDeadLetters = [...queues.all, queues.fanOut].map((pair) => pair.deadLetters.queueArn);
  // One statement for each set of queues: the policy of the authority service is near the limit of
  // an inline policy.
  allow(grantee, ['sqs:GetQueueAttributes'], ofQueues);
  allow(grantee, ['sqs:GetQueueAttributes', ...taking], ofDeadLetters);
}

/**
 * Grants what the API needs that is open to the Internet, where it serves neither agents nor
 * deploys nor certificate requests: status, packages, the CA's certificate and its revocation list.
 */
export function grantOpen(grantee: RoleHolder, { tables, storage, queues }: AppResources): void {
  const { nodes, environments } = tables.byName;
  const ofHealth = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [HEALTH_KEY] } };
  allow(grantee, ['dynamodb:GetItem'], [nodes.tableArn, environments.tableArn], ofHealth);
  // The status has the numbers of nodes, and of those that are out of date; it says when there is
  // no environment.
  allow(grantee, ['dynamodb:Scan'], [environments.tableArn]);
  allow(grantee, ['dynamodb:DescribeTable'], [nodes.tableArn]);
  allow(grantee, ['dynamodb:Query'], [`${nodes.tableArn}/index/outstanding`]);
  grantDocuments(grantee, tables, { read: [HEALTH_KEY, 'ca', 'packages'] });
  grantObjects(grantee, storage.bucket, 'read', [PREFIXES.packages, `${PREFIXES.files}${HEALTH_KEY}`]);
  const all = queues.all.flatMap(({ queue, deadLetters }) => [queue.queueArn, deadLetters.queueArn]);
  allow(grantee, ['sqs:GetQueueAttributes'], all);
}

/**
 * Collections of documents that a front door for nodes deletes: reports. The others hold the CA,
 * deploy tokens, policies and code.
 */
const NODE_COLLECTIONS = ['reports/*', 'report-index/*', 'unchanged-runs/*', 'failing/run'] as const;

/** Grants what nodes need in addition: catalogs, facts, files and reports. */
export function grantNodes(grantee: RoleHolder, { tables, storage, queues }: AppResources): void {
  const { dependencies, readers, fanOuts, schedules, ...ofNodes } = PREFIXES;
  grantObjects(grantee, storage.bucket, 'read', Object.values(ofNodes));
  grantTable(grantee, tables, 'nodes', ['UpdateItem']);
  grantDocuments(grantee, tables, {
    write: ['reports/*', 'report-index/*', 'work-hours', 'failing/run', 'fact-history'],
    count: ['unchanged-runs/*'],
    delete: NODE_COLLECTIONS,
  });
  // The front door reads which nodes a job has asked: they get its files.
  allow(grantee, ['dynamodb:GetItem'], [tables.byName.jobs.tableArn], {
    'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': ['job *'] },
  });
  const { facts, reports, bucket, damaged, requests } = PREFIXES;
  grantObjects(grantee, storage.bucket, 'write', [facts, reports, bucket, damaged, requests]);
  grantObjects(grantee, storage.bucket, 'delete', [reports, facts, requests]);
  grantSending(grantee, queues.waiting, queues.express);
}

/** Grants storing certificate requests, and certificates that are signed at once. */
export function grantRequests(grantee: RoleHolder, { tables, storage }: AppResources): void {
  grantObjects(grantee, storage.bucket, 'read', [PREFIXES.packages, `${PREFIXES.files}${HEALTH_KEY}`]);
  const collections = ['ca', 'certificates', 'certificate-*'];
  grantDocuments(grantee, tables, { write: collections, delete: collections });
}

/** Grants storing the revocation lists of an upstream CA; there is no CA of our own then. */
export function grantUpstreamLists(grantee: RoleHolder, { tables }: AppResources): void {
  grantDocuments(grantee, tables, { write: ['ca'], delete: ['ca'] });
}

/** Grants keeping the comparisons of our catalogs with those of an upstream compiler. */
export function grantComparisons(grantee: RoleHolder, { tables }: AppResources): void {
  grantDocuments(grantee, tables, { write: ['comparisons'] });
}

/** Grants what operators and pipelines need in addition: certificates, nodes, policies and code. */
export function grantOperators(grantee: RoleHolder, { tables, storage, queues }: AppResources): void {
  // Changed node groups invalidate nodes, and jobs can be about all of an environment or group.
  grantTable(grantee, tables, 'nodes', ['UpdateItem', 'DeleteItem', 'Scan']);
  grantTable(grantee, tables, 'environments', ['PutItem']);
  grantTable(grantee, tables, 'dependencies', ['PutItem', 'Query']);
  // For purging a node.
  grantTable(grantee, tables, 'exports', ['GetItem', 'DeleteItem']);
  grantTable(grantee, tables, 'collectors', ['GetItem', 'DeleteItem']);
  grantTable(grantee, tables, 'documents', ['GetItem', 'Query', 'PutItem', 'DeleteItem']);
  // All prefixes: their names would fill a quarter of the role's policy.
  grantObjects(grantee, storage.bucket, 'read', ['']);
  const { facts, readers, reports, files, packs, damaged, snapshots, requests, fanOuts, bucket, groups } = PREFIXES;
  grantObjects(grantee, storage.bucket, 'write', [files, packs, damaged, snapshots, requests, facts, fanOuts, groups]);
  grantObjects(grantee, storage.bucket, 'delete', [
    reports,
    facts,
    readers,
    requests,
    bucket,
    damaged,
    fanOuts,
    groups,
  ]);
  grantSending(grantee, queues.waiting, queues.express);
  // A deploy through the app takes part in invalidating the nodes.
  grantSending(grantee, queues.fanOut);
  const taking = ['ReceiveMessage', 'ChangeMessageVisibility', 'DeleteMessage', 'GetQueueAttributes'];
  allow(
    grantee,
    taking.map((action) => `sqs:${action}`),
    [queues.fanOut.queue.queueArn],
  );
}

/** Grants what code of modules keeps between compiles. Reading it is granted by the collection. */
export function grantKeptValues(grantee: RoleHolder, tables: Tables): void {
  const collections = ['kept-values'];
  grantDocuments(grantee, tables, { get: collections, write: collections, delete: collections });
}

/** Grants noting why a compile job failed for the last time, and which nodes do not compile. */
export function grantCompileFaults(grantee: RoleHolder, tables: Tables): void {
  grantDocuments(grantee, tables, { write: ['compile-faults'] });
  const failing = ['failing/compile'];
  grantDocuments(grantee, tables, { get: failing, write: failing, delete: failing });
}

/** Collections of documents of the brokers: presence, leases and mailboxes. */
const BROKER_COLLECTIONS = ['pcp-*'] as const;

/**
 * Grants what a broker needs: the CA's certificates and revocation lists, and its own documents.
 */
export function grantBroker(grantee: RoleHolder, { tables }: Pick<AppResources, 'tables'>): void {
  grantDocuments(grantee, tables, {
    read: ['ca', ...BROKER_COLLECTIONS],
    write: BROKER_COLLECTIONS,
    delete: BROKER_COLLECTIONS,
  });
}

/** Collections of documents of nodes that are notified of changed catalogs. */
const NOTIFY_COLLECTIONS = ['notify-*'] as const;

/** Grants making nodes due for a run. */
export function grantNotify(grantee: RoleHolder, tables: Tables): void {
  grantTable(grantee, tables, 'nodes', ['GetItem']);
  grantDocuments(grantee, tables, {
    read: ['policies', ...NOTIFY_COLLECTIONS],
    write: NOTIFY_COLLECTIONS,
    delete: NOTIFY_COLLECTIONS,
  });
}

/** Grants keeping the files of the console, and reading those of other releases. */
export function grantConsoleFiles(grantee: RoleHolder, { storage }: Pick<AppResources, 'storage'>): void {
  grantObjects(grantee, storage.bucket, 'write', [CONSOLE_PREFIX]);
  grantObjects(grantee, storage.bucket, 'read', [CONSOLE_PREFIX]);
}

/** Grants reading the policies, and noting what changed exports touched. */
export function grantExports(grantee: RoleHolder, tables: Tables): void {
  const changes = ['changes'];
  grantDocuments(grantee, tables, { get: ['policies'], read: changes, write: changes, delete: changes });
}

/** Grants running jobs, to a service that already has what operators need. */
export function grantOrchestrator(grantee: RoleHolder, { tables, storage }: AppResources): void {
  grantTable(grantee, tables, 'jobs', ['GetItem', 'BatchGetItem', 'PutItem', 'UpdateItem', 'DeleteItem', 'Query']);
  // A job may be about all nodes of an environment.
  grantTable(grantee, tables, 'nodes', ['Scan']);
  grantObjects(grantee, storage.bucket, 'write', [PREFIXES.jobs, PREFIXES.schedules]);
}

/** Grants asking the inventory: calls of the function that answers, and its large answers. */
export function grantAnswers(
  grantee: RoleHolder,
  answers: IFunction,
  { storage }: Pick<AppResources, 'storage'>,
): void {
  allow(grantee, ['lambda:InvokeFunction'], [answers.functionArn]);
  grantObjects(grantee, storage.bucket, 'read', [PREFIXES.requests]);
}

/** Grants using the CA's key: it seals the private key that signs certificates. */
export function grantAuthorityKey(grantee: RoleHolder, { authorityKey }: AppResources): void {
  allow(grantee, ['kms:Encrypt', 'kms:Decrypt'], [authorityKey.keyArn]);
}

/** Grants issuing the certificate that the edge serves with, or serving with it. */
export function grantEdgeKey(grantee: RoleHolder, { edgeKey }: AppResources, use: 'issue' | 'serve'): void {
  allow(grantee, use === 'issue' ? ['kms:Encrypt', 'kms:Decrypt'] : ['kms:Decrypt'], [edgeKey.keyArn]);
}
