import { DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { S3Client } from '@aws-sdk/client-s3';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { ENVIRONMENT_VARIABLES } from '../../config/deployment.ts';
import type { Clock } from '../ports/clock.ts';
import type { TextSeal } from '../ports/secrets.ts';
import { StoreRefused } from '../ports/store-errors.ts';
import type { Stores } from '../ports/stores.ts';
import { systemClock } from '../system-clock.ts';
import { AwsBlobStore } from './blob-store.ts';
import { AwsCompileQueue } from './compile-queue.ts';
import { AwsDependencyIndex } from './dependency-index.ts';
import { AwsDocumentStore } from './document-store.ts';
import { AwsEnvironmentStore } from './environment-store.ts';
import { callSdk } from './errors.ts';
import { AwsExportStore } from './export-store.ts';
import { AwsFanOutQueue } from './fan-out-queue.ts';
import { AwsGroupStore } from './group-store.ts';
import { AwsJobStore } from './job-store.ts';
import { AwsNodeStore } from './node-store.ts';
import { Table } from './table.ts';

const CONNECT_MS = 3000;
/** Time-out for the first bytes of an answer; the largest objects begin earlier. */
const ANSWER_MS = 20_000;

/** The SDK clients. */
export interface AwsClients {
  readonly dynamodb: DynamoDBClient;
  readonly s3: S3Client;
  readonly sqs: SQSClient;
}

/** Names of tables and the bucket, and URLs of queues, by environment variable. */
export type AwsNames = Readonly<Record<string, string | undefined>>;

/**
 * Opens the stores that a deployment's environment variables name. A store whose variable is not
 * set throws StoreRefused when it is used.
 */
export function openAwsStores(names: AwsNames, clients: AwsClients = awsClients(), clock: Clock = systemClock): Stores {
  const documents = DynamoDBDocumentClient.from(clients.dynamodb, { marshallOptions: { removeUndefinedValues: true } });
  const name = (variable: keyof typeof ENVIRONMENT_VARIABLES) =>
    names[ENVIRONMENT_VARIABLES[variable]] ?? `(${ENVIRONMENT_VARIABLES[variable]} is not set)`;
  const table = (variable: keyof typeof ENVIRONMENT_VARIABLES) => new Table(documents, name(variable));
  const nodes = table('nodesTable');
  const urls = (variable: keyof typeof ENVIRONMENT_VARIABLES) =>
    names[ENVIRONMENT_VARIABLES[variable]]?.split(' ') ?? [];
  return {
    clock,
    seal: TABLE_SEAL,
    nodes: new AwsNodeStore(nodes, () => countItems(clients.dynamodb, nodes.name)),
    dependencies: new AwsDependencyIndex(table('dependenciesTable'), nodes),
    exports: new AwsExportStore(table('exportsTable'), table('collectorsTable'), clock),
    blobs: new AwsBlobStore(clients.s3, name('bucket')),
    environments: new AwsEnvironmentStore(table('environmentsTable')),
    documents: new AwsDocumentStore(table('documentsTable')),
    groups: new AwsGroupStore(table('documentsTable'), nodes),
    fanOut: new AwsFanOutQueue(clients.sqs, name('fanOutQueueUrl'), urls('fanOutDeadLetterQueueUrl')),
    jobs: new AwsJobStore(table('jobsTable')),
    queue: new AwsCompileQueue(
      clients.sqs,
      {
        waiting: name('waitingQueueUrl'),
        express: name('expressQueueUrl'),
        background: name('backgroundQueueUrl'),
        dead: urls('deadLetterQueueUrls'),
      },
      clock,
    ),
  };
}

/** Creates clients with a time-out; by default the SDK waits for ever on a silent endpoint. */
export function awsClients(answerMs: number = ANSWER_MS): AwsClients {
  const requestHandler = {
    connectionTimeout: Math.min(CONNECT_MS, answerMs),
    requestTimeout: answerMs,
    throwOnRequestTimeout: true,
  };
  return {
    dynamodb: new DynamoDBClient({ requestHandler }),
    s3: new S3Client({ requestHandler }),
    sqs: new SQSClient({ requestHandler }),
  };
}

async function countItems(client: DynamoDBClient, name: string): Promise<number> {
  const { Table: table } = await callSdk(`table ${name}`, () =>
    client.send(new DescribeTableCommand({ TableName: name })),
  );
  if (!table) throw new StoreRefused(`table ${name} is not described`);
  return table.ItemCount ?? 0;
}

/** The tables are encrypted at rest with a key of KMS: texts are stored in them as they are. */
export const TABLE_SEAL: TextSeal = { seal: (text) => text, open: (text) => text };
