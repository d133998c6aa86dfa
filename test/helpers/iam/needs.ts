/** What a request to an endpoint of AWS needs permission for, in the names of the template. */
import type { IncomingHttpHeaders } from 'node:http';
import type { TableShape } from '../../../shared/config/deployment.ts';
import { arnOf, type Need } from './policies.ts';

export interface AwsRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** How the names of the emulators' resources stand in the template. */
export interface ResourceNames {
  /** Logical ids by the name of a table, a bucket, a key or a function, or the URL of a queue. */
  readonly ids: ReadonlyMap<string, string>;
  /** The keys of tables, by their names. */
  readonly shapes: ReadonlyMap<string, TableShape>;
}

/** Operations whose permission has another name. */
const PERMISSIONS: Readonly<Record<string, string>> = {
  SendMessageBatch: 'SendMessage',
  DeleteMessageBatch: 'DeleteMessage',
  ChangeMessageVisibilityBatch: 'ChangeMessageVisibility',
};
const OBJECT_PERMISSIONS: Readonly<Record<string, string>> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};
/** All requests come over TLS, as the policies of buckets and queues demand. */
const ALWAYS = { 'aws:SecureTransport': ['true'] } as const;

/** Lists what the request needs. Throws for an operation that it does not know. */
export function listNeeds(request: AwsRequest, names: ResourceNames): readonly Need[] {
  const target = String(request.headers['x-amz-target'] ?? '');
  const [service, operation = ''] = target.split('.');
  if (service?.startsWith('DynamoDB')) return needsOfTables(operation, readJson(request), names);
  if (service === 'AmazonSQS') {
    const queue = idOf(names, readJson(request).QueueUrl);
    return [need(`sqs:${PERMISSIONS[operation] ?? operation}`, arnOf(queue))];
  }
  if (service === 'secretsmanager') return [need(`secretsmanager:${operation}`, secretArn(readJson(request).SecretId))];
  if (service === 'TrentService') {
    const { KeyId, EncryptionContext = {} } = readJson(request);
    const context = Object.entries(Object(EncryptionContext)).map(
      ([key, value]) => [`kms:EncryptionContext:${key}`, [String(value)]] as const,
    );
    return [need(`kms:${operation}`, arnOf(idOf(names, KeyId)), Object.fromEntries(context))];
  }
  const { pathname, searchParams } = new URL(request.url, 'http://localhost');
  const [, called] = /^\/2015-03-31\/functions\/([^/]+)\/invocations$/.exec(pathname) ?? [];
  if (called !== undefined) {
    return [need('lambda:InvokeFunction', arnOf(idOf(names, decodeURIComponent(called))))];
  }
  return needsOfObjects(request.method, pathname, searchParams, names);
}

function needsOfObjects(method: string, path: string, query: URLSearchParams, names: ResourceNames): readonly Need[] {
  const [, bucket = '', ...rest] = path.split('/');
  const arn = arnOf(idOf(names, bucket));
  const key = decodeURIComponent(rest.join('/'));
  if (key === '') {
    if (method !== 'GET' || !query.has('list-type')) throw new Error(`${method} of a bucket is not known here`);
    return [need('s3:ListBucket', arn)];
  }
  const action = OBJECT_PERMISSIONS[method] ?? fail(`${method} of an object is not known here`);
  return [need(action, `${arn}/${key}`)];
}

type Json = Readonly<Record<string, unknown>>;

function needsOfTables(operation: string, body: Json, names: ResourceNames): readonly Need[] {
  const ofTable = (table: unknown, keys: readonly unknown[] | null, index = '') => {
    const context: Need['context'] = keys === null ? {} : { 'dynamodb:LeadingKeys': keys.map(readAttribute) };
    return need(`dynamodb:${operation}`, arnOf(idOf(names, table)) + index, context);
  };
  const { RequestItems, TableName, IndexName } = body;
  if (RequestItems !== undefined) {
    return Object.entries(Object(RequestItems)).map(([table, asked]) => {
      const key = partitionKey(names, table);
      return ofTable(
        table,
        itemsOf(asked).map((item) => Object(item)[key]),
      );
    });
  }
  const index = IndexName === undefined ? '' : `/index/${IndexName}`;
  switch (operation) {
    case 'Query':
      return [ofTable(TableName, [readPartition(body)], index)];
    case 'Scan':
    case 'DescribeTable':
      return [ofTable(TableName, null, index)];
    case 'GetItem':
    case 'PutItem':
    case 'UpdateItem':
    case 'DeleteItem':
      return [ofTable(TableName, [Object(body.Item ?? body.Key)[partitionKey(names, TableName)]])];
    default:
      return fail(`the operation ${operation} of DynamoDB is not known here`);
  }
}

/** The keys or items of one table in a batch. */
function itemsOf(asked: unknown): readonly unknown[] {
  const { Keys } = Object(asked);
  if (Array.isArray(Keys)) return Keys;
  const writes: readonly unknown[] = Array.isArray(asked) ? asked : [];
  return writes.map((write) => Object(write).PutRequest?.Item ?? Object(write).DeleteRequest?.Key);
}

/** The value of the partition that a query asks for. */
function readPartition({ KeyConditionExpression, ExpressionAttributeValues }: Json): unknown {
  const [, value = ''] = /^\(?\s*#?\w+\s*=\s*(:\w+)/.exec(String(KeyConditionExpression)) ?? [];
  return Object(ExpressionAttributeValues)[value] ?? fail(`no partition in ${KeyConditionExpression}`);
}

function readAttribute(value: unknown): string {
  const { S, N, B } = Object(value);
  return String(S ?? N ?? B ?? value);
}

/** As a policy names a secret that it knows by its name: six characters of AWS follow. */
function secretArn(name: unknown): string {
  return `arn:<AWS::Partition>:secretsmanager:<AWS::Region>:<AWS::AccountId>:secret:${name}-abcdef`;
}

function partitionKey({ shapes }: ResourceNames, table: unknown): string {
  return shapes.get(String(table))?.partitionKey ?? fail(`no table ${table}`);
}

function need(action: string, resource: string, context: Need['context'] = {}): Need {
  return { action, resource, context: { ...ALWAYS, ...context } };
}

function idOf({ ids }: ResourceNames, name: unknown): string {
  return ids.get(String(name)) ?? fail(`the template has nothing called ${name}`);
}

function readJson({ body }: AwsRequest): Json {
  return JSON.parse(body.toString());
}

function fail(message: string): never {
  throw new Error(message);
}
