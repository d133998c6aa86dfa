/**
 * Follows the stream of the exports table: nodes that collect a changed export are told, each with
 * an express job.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { invalidateCollectors } from '../shared/fleet/compiles/invalidate.ts';
import { exportChanges } from '../shared/store/aws/export-stream.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const stores = openAwsStores(process.env);

/** A fault fails the whole batch, which comes again: to tell a node twice costs a verification. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const changes = exportChanges(event.Records);
  const nodes = await invalidateCollectors(changes, stores);
  if (changes.length > 0) console.info('exports changed', { changes: changes.length, nodes });
  return { batchItemFailures: [] };
}
