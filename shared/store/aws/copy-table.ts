import {
  type AttributeValue,
  BatchWriteItemCommand,
  DescribeTableCommand,
  type DynamoDBClient,
  ScanCommand,
  type WriteRequest,
} from '@aws-sdk/client-dynamodb';
import type { TableShape } from '../../config/deployment.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { Clock } from '../ports/clock.ts';
import { StoreRefused, StoreUnavailable } from '../ports/store-errors.ts';
import { callSdk } from './errors.ts';

/** A table to copy; both must exist, with the keys of `shape`. */
interface TableCopy {
  readonly from: string;
  readonly to: string;
  readonly shape: TableShape;
}

interface CopyOptions {
  /** Whether items may be in the table already: those of a copy that was cut short. */
  readonly resume: boolean;
  readonly clock: Pick<Clock, 'sleep' | 'random'>;
  /** Is called with the number of items of each page. */
  readonly onCopied?: (items: number) => void;
}

type StoredItem = Record<string, AttributeValue>;

/** Parts of a table that are read side by side. */
const SEGMENTS = 8;
const MOST_WRITES = 25;
/** Pauses of 0.1, 0.2, … 12.8 seconds, for a table that was idle and grows. */
const MOST_ROUNDS = 8;
const FIRST_PAUSE_MS = 100;

/**
 * Copies all items of a table as they are; returns their number. An item that is there already is
 * replaced, so that a copy can be repeated. Nothing else may write to either table meanwhile.
 * Throws StoreRefused when the keys differ or the target has items, and StoreUnavailable when
 * DynamoDB takes no more.
 */
export async function copyTable(client: DynamoDBClient, copy: TableCopy, options: CopyOptions): Promise<number> {
  const { from, to, shape } = copy;
  if (from === to) throw new StoreRefused(`table ${to} cannot be copied to itself`);
  for (const name of [from, to]) await checkKeys(client, name, shape);
  if (!options.resume && !(await isEmpty(client, to))) {
    throw new StoreRefused(`table ${to} is not empty; --resume goes on with a copy that was cut short`);
  }
  const segments = Array.from({ length: SEGMENTS }, (_, segment) => segment);
  const counts = await inParallel(SEGMENTS, segments, (segment) => copySegment(client, copy, segment, options));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function copySegment(
  client: DynamoDBClient,
  { from, to }: TableCopy,
  segment: number,
  options: CopyOptions,
): Promise<number> {
  let count = 0;
  let after: StoredItem | undefined;
  do {
    const scan = new ScanCommand({
      TableName: from,
      ConsistentRead: true,
      Segment: segment,
      TotalSegments: SEGMENTS,
      ...(after ? { ExclusiveStartKey: after } : {}),
    });
    const { Items: items = [], LastEvaluatedKey } = await callSdk(`table ${from}`, () => client.send(scan));
    await putItems(client, to, items, options.clock);
    count += items.length;
    options.onCopied?.(items.length);
    after = LastEvaluatedKey;
  } while (after);
  return count;
}

async function putItems(
  client: DynamoDBClient,
  name: string,
  items: readonly StoredItem[],
  clock: CopyOptions['clock'],
): Promise<void> {
  for (let first = 0; first < items.length; first += MOST_WRITES) {
    let rest: readonly WriteRequest[] = items
      .slice(first, first + MOST_WRITES)
      .map((Item) => ({ PutRequest: { Item } }));
    for (let round = 0; rest.length > 0; round += 1) {
      if (round === MOST_ROUNDS) throw new StoreUnavailable(`table ${name} leaves batch items unprocessed`);
      if (round > 0) await clock.sleep(FIRST_PAUSE_MS * 2 ** (round - 1) * (0.5 + clock.random() / 2));
      const write = new BatchWriteItemCommand({ RequestItems: { [name]: [...rest] } });
      const { UnprocessedItems } = await callSdk(`table ${name}`, () => client.send(write));
      rest = UnprocessedItems?.[name] ?? [];
    }
  }
}

async function checkKeys(client: DynamoDBClient, name: string, shape: TableShape): Promise<void> {
  const describe = new DescribeTableCommand({ TableName: name });
  const { Table: table } = await callSdk(`table ${name}`, () => client.send(describe));
  const found = (table?.KeySchema ?? []).map(({ AttributeName }) => AttributeName);
  const wanted = [shape.partitionKey, ...(shape.sortKey === undefined ? [] : [shape.sortKey])];
  if (found.join() === wanted.join()) return;
  throw new StoreRefused(`table ${name} has the keys ${found.join(', ')}, not ${wanted.join(', ')}`);
}

async function isEmpty(client: DynamoDBClient, name: string): Promise<boolean> {
  const scan = new ScanCommand({ TableName: name, Limit: 1, ConsistentRead: true });
  const { Items: items = [] } = await callSdk(`table ${name}`, () => client.send(scan));
  return items.length === 0;
}
