import {
  BatchGetCommand,
  type BatchGetCommandInput,
  type BatchGetCommandOutput,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { StoreUnavailable } from '../ports/store-errors.ts';
import { systemClock } from '../system-clock.ts';
import { callSdk, isError } from './errors.ts';
import {
  buildCondition,
  buildKeyCondition,
  buildProjection,
  buildUpdate,
  type Condition,
  type Update,
} from './expressions.ts';

export type Item = Record<string, unknown>;

interface TableQuery {
  /** A condition on the partition key and optionally the sort key. */
  readonly where: Condition;
  readonly index?: string;
  readonly limit?: number;
  /** Exclusive start key. */
  readonly after?: Item;
}

const MOST_GETS = 100;
const MOST_WRITES = 25;
const MOST_ROUNDS = 8;
const FIRST_PAUSE_MS = 25;

interface PageStart {
  readonly Limit?: number;
  readonly ExclusiveStartKey?: Item;
}

interface Page {
  readonly Items?: Item[] | undefined;
  readonly LastEvaluatedKey?: Item | undefined;
}

/** One write of a batch. */
interface BatchWrite {
  readonly PutRequest?: { Item: Item | undefined } | undefined;
  readonly DeleteRequest?: { Key: Item | undefined } | undefined;
}

/**
 * One DynamoDB table. Reads are strongly consistent, except those of an index and rough scans. A
 * failed condition is a return value, not an error.
 */
export class Table {
  readonly #client: DynamoDBDocumentClient;
  readonly name: string;

  constructor(client: DynamoDBDocumentClient, name: string) {
    this.#client = client;
    this.name = name;
  }

  async get(key: Item): Promise<Item | null> {
    const command = new GetCommand({ TableName: this.name, Key: key, ConsistentRead: true });
    const { Item: item } = await this.#guard(() => this.#client.send(command));
    return item ?? null;
  }

  /** False when the condition fails. */
  async put(item: Item, when?: Condition): Promise<boolean> {
    const command = new PutCommand({ TableName: this.name, Item: item, ...buildCondition(when) });
    return (await this.#callConditionally(() => this.#client.send(command))) !== null;
  }

  /** The item after the update, or before it; null when the condition fails. */
  async update(key: Item, update: Update, returns: 'ALL_NEW' | 'ALL_OLD' = 'ALL_NEW'): Promise<Item | null> {
    const command = new UpdateCommand({
      TableName: this.name,
      Key: key,
      ...buildUpdate(update),
      ReturnValues: returns,
    });
    const done = await this.#callConditionally(() => this.#client.send(command));
    return done && (done.Attributes ?? {});
  }

  /** False when the condition fails. */
  async delete(key: Item, when?: Condition): Promise<boolean> {
    const command = new DeleteCommand({ TableName: this.name, Key: key, ...buildCondition(when) });
    return (await this.#callConditionally(() => this.#client.send(command))) !== null;
  }

  /** The matching items in key order. */
  query({ where, index, limit, after }: TableQuery): Promise<readonly Item[]> {
    return this.#readPages(limit, after, (page) => {
      const command = new QueryCommand({
        TableName: this.name,
        ...buildKeyCondition(where),
        ...(index === undefined ? { ConsistentRead: true } : { IndexName: index }),
        ...page,
      });
      return this.#guard(() => this.#client.send(command));
    });
  }

  /** The number of matching items; a query with a limit stops counting there. */
  async count({ where, index, limit = Number.POSITIVE_INFINITY }: TableQuery): Promise<number> {
    let start: Item | undefined;
    let count = 0;
    do {
      const command = new QueryCommand({
        TableName: this.name,
        ...buildKeyCondition(where),
        ...(index === undefined ? {} : { IndexName: index }),
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
        Select: 'COUNT',
      });
      const page = await this.#guard(() => this.#client.send(command));
      count += page.Count ?? 0;
      start = page.LastEvaluatedKey;
    } while (start !== undefined && count < limit);
    return Math.min(count, limit);
  }

  /** Items in the table's order; with `attributes` only these of each. `isRough` costs half. */
  scan(
    limit: number | undefined,
    after: Item | undefined,
    attributes?: readonly string[],
    isRough = false,
  ): Promise<readonly Item[]> {
    const projection = buildProjection(attributes);
    return this.#readPages(limit, after, (page) => {
      const command = new ScanCommand({ TableName: this.name, ConsistentRead: !isRough, ...projection, ...page });
      return this.#guard(() => this.#client.send(command));
    });
  }

  /** Collects the items of all pages, up to `limit`; `read` fetches one page. */
  async #readPages(
    limit: number | undefined,
    after: Item | undefined,
    read: (page: PageStart) => Promise<Page>,
  ): Promise<readonly Item[]> {
    const items: Item[] = [];
    let start = after;
    do {
      const page = await read({
        ...(limit === undefined ? {} : { Limit: limit - items.length }),
        ...(start === undefined ? {} : { ExclusiveStartKey: start }),
      });
      items.push(...(page.Items ?? []));
      start = page.LastEvaluatedKey;
    } while (start !== undefined && (limit === undefined || items.length < limit));
    return items;
  }

  /** The existing items, or these attributes of them, in no particular order. */
  async batchGet(keys: readonly Item[], attributes?: readonly string[]): Promise<readonly Item[]> {
    const items: Item[] = [];
    for (let first = 0; first < keys.length; first += MOST_GETS) {
      let rest = keys.slice(first, first + MOST_GETS);
      for (let round = 0; rest.length > 0; round += 1) {
        await this.#backOff(round);
        const request = {
          RequestItems: { [this.name]: { Keys: rest, ConsistentRead: true, ...buildProjection(attributes) } },
        };
        const page = await this.#guard(() => this.#client.send(new BatchGetCommand(request)));
        items.push(...(page.Responses?.[this.name] ?? []));
        rest = page.UnprocessedKeys?.[this.name]?.Keys ?? [];
      }
    }
    return items;
  }

  /** An item of this table and one of another, in one request. */
  async getWith(key: Item, other: Table, otherKey: Item): Promise<readonly [Item | null, Item | null]> {
    const found = new Map<string, Item>();
    const request = (Key: Item) => ({ Keys: [Key], ConsistentRead: true });
    let rest: BatchGetCommandInput['RequestItems'] = {
      [this.name]: request(key),
      [other.name]: request(otherKey),
    };
    for (let round = 0; rest !== undefined && Object.keys(rest).length > 0; round += 1) {
      await this.#backOff(round);
      const command = new BatchGetCommand({ RequestItems: rest });
      const page: BatchGetCommandOutput = await this.#guard(() => this.#client.send(command));
      for (const [name, [item]] of Object.entries(page.Responses ?? {})) if (item !== undefined) found.set(name, item);
      rest = page.UnprocessedKeys;
    }
    return [found.get(this.name) ?? null, found.get(other.name) ?? null];
  }

  async batchPut(items: readonly Item[]): Promise<void> {
    await this.#writeBatches(items.map((Item) => ({ PutRequest: { Item } })));
  }

  /** The keys must differ. */
  async batchDelete(keys: readonly Item[]): Promise<void> {
    await this.#writeBatches(keys.map((Key) => ({ DeleteRequest: { Key } })));
  }

  async #writeBatches(writes: readonly BatchWrite[]): Promise<void> {
    for (let first = 0; first < writes.length; first += MOST_WRITES) {
      let rest: readonly BatchWrite[] = writes.slice(first, first + MOST_WRITES);
      for (let round = 0; rest.length > 0; round += 1) {
        await this.#backOff(round);
        const request = { RequestItems: { [this.name]: [...rest] } };
        const page = await this.#guard(() => this.#client.send(new BatchWriteCommand(request)));
        rest = page.UnprocessedItems?.[this.name] ?? [];
      }
    }
  }

  /**
   * Back-off for items that DynamoDB left unprocessed for lack of capacity: exponential, with
   * jitter.
   */
  async #backOff(round: number): Promise<void> {
    if (round >= MOST_ROUNDS) throw new StoreUnavailable(`table ${this.name} leaves batch items unprocessed`);
    if (round > 0) await systemClock.sleep(FIRST_PAUSE_MS * 2 ** round * (0.5 + systemClock.random() / 2));
  }

  async #callConditionally<T>(call: () => Promise<T>): Promise<T | null> {
    return this.#guard(async () => {
      try {
        return await call();
      } catch (error) {
        if (isError(error, 'ConditionalCheckFailedException')) return null;
        throw error;
      }
    });
  }

  #guard<T>(call: () => Promise<T>): Promise<T> {
    return callSdk(`table ${this.name}`, call);
  }
}
