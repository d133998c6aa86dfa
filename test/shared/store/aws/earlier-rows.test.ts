import { DynamoDBDocumentClient, GetCommand, PutCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ENVIRONMENT_VARIABLES, SUMS_DAYS, SUMS_EXPIRY } from '../../../../shared/config/deployment.ts';
import { pack } from '../../../../shared/store/aws/attributes.ts';
import { openAwsStores } from '../../../../shared/store/aws/stores.ts';
import { digestExports } from '../../../../shared/store/exports-digest.ts';
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

async function rowsOf(type: string): Promise<number> {
  const query = new QueryCommand({
    TableName: table,
    KeyConditionExpression: '#type = :type',
    ExpressionAttributeNames: { '#type': 'type' },
    ExpressionAttributeValues: { ':type': type },
  });
  return (await database.send(query)).Items?.length ?? 0;
}

describe('exports that an earlier release wrote, in partitions of another kind', () => {
  beforeAll(async () => {
    const id = `${NODE}#/a`;
    const digest = await digestExports([RESOURCE]);
    const head = { generation: 3, revision: 1, pending: false, rows: [['File', id, digest]] };
    for (const item of [
      { type: 'File', id, digest, generation: 3, resource: JSON.stringify(RESOURCE) },
      { type: `#${NODE}`, id: 'head', revision: 1, head: pack(head) },
    ]) {
      await database.send(new PutCommand({ TableName: table, Item: item }));
    }
  });

  it('never count as those of the last compile, so that the node is compiled again', async () => {
    expect(await stores.exports.getDigest(NODE)).toBe('being written');
  });

  it('are replaced by its next compile, although nothing of them changed', async () => {
    expect(await stores.exports.replaceExports(NODE, 4, [RESOURCE])).toBe(true);
    expect(await rowsOf('File')).toBe(0);
    expect(await stores.exports.collect([{ type: 'File', query: null }], '')).toEqual([RESOURCE]);
    expect(await stores.exports.getDigest(NODE)).toBe(digestExports([RESOURCE]));
  });

  it('are deleted with their node', async () => {
    const digest = digestExports([RESOURCE]);
    const head = { generation: 1, revision: 1, pending: false, rows: [['Host', 'old#x', digest]] };
    const old = { type: 'Host', id: 'old#x', digest, generation: 1, resource: JSON.stringify(RESOURCE) };
    await database.send(new PutCommand({ TableName: table, Item: old }));
    const item = { type: '#old', id: 'head', revision: 1, head: pack(head) };
    await database.send(new PutCommand({ TableName: table, Item: item }));
    await stores.exports.delete('old');
    expect([await rowsOf('Host'), await rowsOf('#old')]).toEqual([0, 0]);
  });
});

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
  const head = new GetCommand({ TableName: table, Key: { type: `#${NODE}`, id: 'head' } });
  expect((await database.send(head)).Item?.[SUMS_EXPIRY]).toBeUndefined();
});
