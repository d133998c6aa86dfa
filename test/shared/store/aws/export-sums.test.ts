import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES, SUMS_DAYS, SUMS_EXPIRY } from '../../../../shared/config/deployment.ts';
import { openAwsStores } from '../../../../shared/store/aws/stores.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../../../helpers/aws-emulators.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const NODE = 'web01.example.com';
const RESOURCE = { certname: NODE, type: 'File', title: '/a', tags: ['file'], parameters: {} };
const NOW = Date.UTC(2026, 10, 23);
let emulators: Emulators;
let stores: Stores;
let table: string;
let database: DynamoDBDocumentClient;

beforeAll(async () => {
  emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
  table = names[ENVIRONMENT_VARIABLES.exportsTable] ?? '';
  stores = openAwsStores(names, emulators.clients, new ManualClock(NOW));
  database = DynamoDBDocumentClient.from(emulators.clients.dynamodb);
});
afterAll(() => emulators.close());

it('stored sums of queries expire', async () => {
  await stores.exports.digestCollected([{ type: 'Sum', query: null }], '');
  await stores.exports.noteChanges([{ before: null, after: { ...RESOURCE, type: 'Sum' } }]);
  await stores.exports.digestCollected([{ type: 'Sum', query: null }], '');
  const query = new QueryCommand({
    TableName: table,
    KeyConditionExpression: '#type = :type',
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: { ':type': '@Sum' },
  });
  const items = (await database.send(query)).Items ?? [];
  expect(items.map((item) => [String(item.id).split('#')[0], item[SUMS_EXPIRY]])).toEqual([
    ['sums', NOW / 1000 + SUMS_DAYS * 86_400],
    ['versions', undefined],
  ]);
  await stores.exports.replaceExports(NODE, 1, [RESOURCE]);
  const head = new GetCommand({ TableName: table, Key: { type: `#${NODE}`, id: 'head' } });
  const { Item } = await database.send(head);
  expect([Item?.id, Item?.[SUMS_EXPIRY]]).toEqual(['head', undefined]);
});
