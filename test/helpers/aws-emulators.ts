import { once } from 'node:events';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { CreateQueueCommand, GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import dynalite from 'dynalite';
import { startFauxqs } from 'fauxqs';
import { ENVIRONMENT_VARIABLES, TABLES, type TableShape } from '../../shared/config/deployment.ts';
import type { AwsClients } from '../../shared/store/aws/stores.ts';
import { createInProcessHandler } from './in-process-handler.ts';

/**
 * Emulators of DynamoDB, S3 and SQS on the loopback interface. `UNDERSTUDY_TEST_DYNAMODB` names
 * another DynamoDB endpoint to use.
 */
export interface Emulators {
  readonly clients: AwsClients;
  /** Environment variables that make the SDK's default clients use the emulators. */
  readonly variables: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export interface QueueSettings {
  readonly visibilityMs: number;
  readonly maxReceives: number;
}

export async function startEmulators(): Promise<Emulators> {
  const endpoint = process.env.UNDERSTUDY_TEST_DYNAMODB;
  const database = dynalite({ createTableMs: 0, deleteTableMs: 0 });
  database.listen(0, '127.0.0.1');
  await once(database, 'listening');
  const address = database.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const fauxqs = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  const dynamodb = endpoint ?? `http://127.0.0.1:${port}`;
  const others = `http://127.0.0.1:${fauxqs.port}`;
  const common = {
    region: 'us-east-1',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    maxAttempts: 1,
  };
  const clients = {
    dynamodb: new DynamoDBClient({
      ...common,
      endpoint: dynamodb,
      ...(endpoint === undefined ? { requestHandler: createInProcessHandler(database) } : {}),
    }),
    s3: new S3Client({ ...common, endpoint: others, forcePathStyle: true }),
    sqs: new SQSClient({ ...common, endpoint: others }),
  };
  if (endpoint === undefined) leaveOutExtras(clients.dynamodb);
  const close = async () => {
    for (const client of Object.values(clients)) client.destroy();
    await fauxqs.stop();
    database.close();
  };
  const variables = {
    AWS_REGION: common.region,
    AWS_ACCESS_KEY_ID: common.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: common.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
    AWS_ENDPOINT_URL_S3: others,
    AWS_ENDPOINT_URL_SQS: others,
  };
  return { clients, variables, close };
}

/** What the SDK does around a request that says nothing to the emulator. */
const EXTRAS = ['loggerMiddleware', 'getUserAgentMiddleware', 'recursionDetectionMiddleware'];

/**
 * Leaves out what the emulator does not look at, and gives requests the form of signed ones: real
 * signatures take a tenth of the CPU of tests over DynamoDB, the other extras a little less.
 */
function leaveOutExtras({ config, middlewareStack }: DynamoDBClient): void {
  for (const name of EXTRAS) middlewareStack.remove(name);
  const scope = 'Credential=test/20260101/us-east-1/dynamodb/aws4_request';
  config.signer = async () => ({
    sign: async (request) => {
      request.headers['x-amz-date'] = '20260101T000000Z';
      request.headers.authorization = `AWS4-HMAC-SHA256 ${scope}, SignedHeaders=host, Signature=none`;
      return request;
    },
  });
}

/** Clients of the emulators beside theirs: as those of another process. */
export function openEmulatorClients(variables: Emulators['variables']): AwsClients {
  const common = {
    region: variables.AWS_REGION ?? '',
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // The emulator closes connections that are idle.
    maxAttempts: 3,
  };
  const others = { ...common, endpoint: variables.AWS_ENDPOINT_URL_S3 ?? '' };
  const dynamodb = new DynamoDBClient({ ...common, endpoint: variables.AWS_ENDPOINT_URL_DYNAMODB ?? '' });
  return { dynamodb, s3: new S3Client({ ...others, forcePathStyle: true }), sqs: new SQSClient(others) };
}

let deployments = 0;

/**
 * Creates the tables, the bucket and the queues of one deployment; returns their names by
 * environment variable.
 */
export async function deployNames(clients: AwsClients, queues: QueueSettings): Promise<Record<string, string>> {
  deployments += 1;
  const prefix = `test-${process.pid}-${deployments}`;
  const names: Record<string, string> = {};
  for (const [name, shape] of Object.entries(TABLES)) {
    const TableName = `${prefix}-${name}`;
    await createTable(clients.dynamodb, TableName, shape);
    names[ENVIRONMENT_VARIABLES[`${name}Table` as keyof typeof ENVIRONMENT_VARIABLES]] = TableName;
  }
  await clients.s3.send(new CreateBucketCommand({ Bucket: prefix }));
  names[ENVIRONMENT_VARIABLES.bucket] = prefix;
  const waiting = await createQueue(clients.sqs, `${prefix}-waiting`, queues);
  const express = await createQueue(clients.sqs, `${prefix}-express`, queues);
  const background = await createQueue(clients.sqs, `${prefix}-background`, queues);
  const fanOut = await createQueue(clients.sqs, `${prefix}-fan-out`, queues);
  names[ENVIRONMENT_VARIABLES.fanOutQueueUrl] = fanOut.url;
  names[ENVIRONMENT_VARIABLES.fanOutDeadLetterQueueUrl] = fanOut.dead;
  names[ENVIRONMENT_VARIABLES.waitingQueueUrl] = waiting.url;
  names[ENVIRONMENT_VARIABLES.expressQueueUrl] = express.url;
  names[ENVIRONMENT_VARIABLES.backgroundQueueUrl] = background.url;
  names[ENVIRONMENT_VARIABLES.deadLetterQueueUrls] = `${waiting.dead} ${express.dead} ${background.dead}`;
  return names;
}

async function createTable(client: DynamoDBClient, TableName: string, shape: TableShape): Promise<void> {
  const keySchema = (partition: string, sort: string | undefined) => [
    { AttributeName: partition, KeyType: 'HASH' as const },
    ...(sort === undefined ? [] : [{ AttributeName: sort, KeyType: 'RANGE' as const }]),
  ];
  const attributes = new Map<string, 'S' | 'N'>([[shape.partitionKey, 'S']]);
  if (shape.sortKey) attributes.set(shape.sortKey, 'S');
  for (const { partitionKey, sortKey } of shape.indexes ?? []) {
    attributes.set(partitionKey, 'S').set(sortKey.name, sortKey.type);
  }
  const GlobalSecondaryIndexes = shape.indexes?.map((index) => ({
    IndexName: index.name,
    KeySchema: keySchema(index.partitionKey, index.sortKey.name),
    Projection: { ProjectionType: 'KEYS_ONLY' as const },
  }));
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: keySchema(shape.partitionKey, shape.sortKey),
      AttributeDefinitions: [...attributes].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
      ...(GlobalSecondaryIndexes ? { GlobalSecondaryIndexes } : {}),
    }),
  );
}

async function createQueue(client: SQSClient, QueueName: string, { visibilityMs, maxReceives }: QueueSettings) {
  const dead = await client.send(new CreateQueueCommand({ QueueName: `${QueueName}-dead` }));
  const attributes = new GetQueueAttributesCommand({ QueueUrl: dead.QueueUrl, AttributeNames: ['QueueArn'] });
  const deadLetterTargetArn = (await client.send(attributes)).Attributes?.QueueArn;
  const { QueueUrl = '' } = await client.send(
    new CreateQueueCommand({
      QueueName,
      Attributes: {
        VisibilityTimeout: `${visibilityMs / 1000}`,
        RedrivePolicy: JSON.stringify({ deadLetterTargetArn, maxReceiveCount: maxReceives }),
      },
    }),
  );
  // The emulator returns `http://sqs.us-east-1.127.0.0.1:…`, which is not a valid URL.
  const onLoopback = (url: string) => url.replace(/^http:\/\/sqs\.[^.]+\./, 'http://');
  return { url: onLoopback(QueueUrl), dead: onLoopback(dead.QueueUrl ?? '') };
}
