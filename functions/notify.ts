/**
 * Follows the stream of the nodes table: makes nodes due for a run whose catalogs changed. The
 * orchestrator has them run.
 */
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { createDueRecorder, recordChanges } from '../shared/orchestrator/notify/due-recorder.ts';
import { readNodeChanges } from '../shared/store/aws/change-streams.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

const recorder = createDueRecorder(openAwsStores(process.env));

/** A fault fails the whole batch, which is retried: a node that is due twice is due once. */
export async function handler(event: DynamoDBStreamEvent): Promise<DynamoDBBatchResponse> {
  const due = await recordChanges(event.Records.flatMap(readNodeChanges), recorder);
  if (due > 0) console.info('nodes are due for a run', { nodes: due });
  return { batchItemFailures: [] };
}
