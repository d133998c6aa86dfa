import { type AttributeValue, type DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import type { DynamoDBRecord } from 'aws-lambda';
import type { TableShape } from '../../shared/config/deployment.ts';

type Item = Readonly<Record<string, AttributeValue>>;

/**
 * The stream of a table that an emulator has none for: compares the table with what it was at the
 * last call. Changes between two calls are merged into one record a row.
 */
export class TableStream {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #keys: readonly string[];
  #before: ReadonlyMap<string, Item> = new Map();

  constructor(client: DynamoDBClient, table: string, { partitionKey, sortKey }: TableShape) {
    this.#client = client;
    this.#table = table;
    this.#keys = sortKey === undefined ? [partitionKey] : [partitionKey, sortKey];
  }

  async takeRecords(): Promise<readonly DynamoDBRecord[]> {
    const before = this.#before;
    const after = await this.#read();
    this.#before = after;
    const keys = new Set([...before.keys(), ...after.keys()]);
    return [...keys].flatMap((key): readonly DynamoDBRecord[] => {
      const [old, now] = [before.get(key), after.get(key)];
      if (JSON.stringify(old) === JSON.stringify(now)) return [];
      const eventName = old === undefined ? 'INSERT' : now === undefined ? 'REMOVE' : 'MODIFY';
      // Lambda gets the same JSON as DynamoDB's API returns.
      const dynamodb = {
        Keys: this.#keysOf(old ?? now ?? {}),
        OldImage: old,
        NewImage: now,
      } as DynamoDBRecord['dynamodb'];
      return [{ eventID: key, eventName, eventSource: 'aws:dynamodb', dynamodb }];
    });
  }

  async #read(): Promise<ReadonlyMap<string, Item>> {
    const items = new Map<string, Item>();
    let ExclusiveStartKey: Item | undefined;
    do {
      const { Items = [], LastEvaluatedKey } = await this.#client.send(
        new ScanCommand({ TableName: this.#table, ExclusiveStartKey }),
      );
      for (const item of Items) items.set(JSON.stringify(this.#keysOf(item)), item);
      ExclusiveStartKey = LastEvaluatedKey;
    } while (ExclusiveStartKey !== undefined);
    return items;
  }

  #keysOf(item: Item): Item {
    return Object.fromEntries(this.#keys.flatMap((key) => (item[key] === undefined ? [] : [[key, item[key]]])));
  }
}
