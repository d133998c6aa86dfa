/**
 * Answers the queries of manifests and of jobs from the inventory, for compile workers and the
 * authority service, which do not reach its database. The event is an `InventoryCall`.
 */
import { randomUUID } from 'node:crypto';
import { PREFIXES } from '../shared/config/deployment.ts';
import { QueryAnswers } from '../shared/inventory/answers/query-answers.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { answerInventoryCall, type InventoryCall, type InventoryCallResult } from '../shared/store/inventory-call.ts';
import { withInventory } from './inventory-database.ts';

const { blobs } = openAwsStores(process.env);
const large = { blobs, makeKey: () => `${PREFIXES.requests}inventory-${randomUUID()}` };

export async function handler(call: InventoryCall): Promise<InventoryCallResult> {
  try {
    return await withInventory((database) => answerInventoryCall(call, new QueryAnswers(database), large));
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
