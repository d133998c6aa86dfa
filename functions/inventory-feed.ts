/**
 * Follows the streams of the nodes table and the documents table: brings what changed into the
 * inventory's database. While that is away, the records come again, for a day at most.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { INVENTORY_VARIABLES } from '../shared/config/inventory.ts';
import { readFactKeeping } from '../shared/config/read-setting.ts';
import { feedRecords } from '../shared/inventory/feed/feed-records.ts';
import { InventoryFeed } from '../shared/inventory/feed/inventory-feed.ts';
import { requestPass } from '../shared/inventory/feed/scheduled-pass.ts';
import { readNodeChanges } from '../shared/store/aws/change-streams.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { invalidateForAnswers, readIdleMs, withInventory } from './inventory-database.ts';

const stores = openAwsStores(process.env);

export async function handler({ Records }: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const records = Records.map((record) => ({
    number: record.dynamodb?.SequenceNumber ?? '',
    readChanges: () => readNodeChanges(record),
  }));
  // Most records are leases and marks, for which no connection is made.
  if (records.every(isWithoutChanges)) return { batchItemFailures: [] };
  const first = await withInventory(async (database, identity) => {
    const feed = new InventoryFeed({
      stores,
      database,
      identity,
      producer: process.env[INVENTORY_VARIABLES.producer] ?? 'puppet',
      idleMs: readIdleMs(),
      blockedFacts: readFactKeeping(process.env)?.blocked ?? [],
      onTrouble: (message) => console.warn(message),
    });
    // A pass over all nodes makes up for a record that cannot be handled.
    const first = await feedRecords(records, feed, async (error) => {
      console.error('a change could not be fed', error);
      await requestPass(stores.documents, feed);
    });
    await invalidateForAnswers(database, stores);
    return first;
  }).catch((error: unknown) => {
    console.error('the inventory is away', error);
    return records[0]?.number ?? null;
  });
  return { batchItemFailures: first === null ? [] : [{ itemIdentifier: first }] };
}

function isWithoutChanges({ readChanges }: { readChanges(): readonly unknown[] }): boolean {
  try {
    return readChanges().length === 0;
  } catch {
    return false;
  }
}
