/**
 * Follows the stream of the exports table: queues an express job for each node that collects a
 * changed export.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { readSettings } from '../shared/config/read-setting.ts';
import { exportTiming } from '../shared/fleet/compiles/export-interval.ts';
import { invalidateCollectors } from '../shared/fleet/compiles/invalidate-collectors.ts';
import { exportChanges } from '../shared/store/aws/change-streams.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);
const timing = exportTiming(readSettings(['exportDelay', 'exportInterval'], process.env));

/** A fault fails the whole batch, which is retried: a node queued twice costs one verification. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes = exportChanges(event.Records);
  const nodes = await invalidateCollectors(changes, stores, timing);
  if (changes.length > 0) console.info('exports changed', { changes: changes.length, nodes });
  return { batchItemFailures: [] };
}
