/**
 * Answers the queries of manifests and of jobs from the inventory, and those that the console's
 * door passes on, for compile workers and the authority service, which do not reach its database.
 * The event is an `InventoryCall`.
 */
import { randomUUID } from 'node:crypto';
import { PREFIXES } from '../shared/config/deployment.ts';
import { LARGEST_LAMBDA_ANSWER } from '../shared/config/front-doors.ts';
import { answerPassedRequest } from '../shared/http/routes/inventory/passed-requests.ts';
import { QueryAnswers } from '../shared/inventory/answers/query-answers.ts';
import type { InventoryDatabase } from '../shared/inventory/database/inventory-database.ts';
import { InventoryReader } from '../shared/inventory/query/inventory-reader.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { answerInventoryCall, type InventoryCall, type InventoryCallResult } from '../shared/store/inventory-call.ts';
import type { InventoryApi } from '../shared/store/ports/inventory-answers.ts';
import { readQueryLimits, withInventory } from './inventory-database.ts';

const { blobs, clock } = openAwsStores(process.env);
const large = { blobs, makeKey: () => `${PREFIXES.requests}inventory-${randomUUID()}` };
const limits = readQueryLimits();
const reportFault = (error: unknown) => console.error('a request failed', error);

export async function handler(call: InventoryCall): Promise<InventoryCallResult> {
  try {
    return await withInventory((database) =>
      answerInventoryCall(call, { answers: new QueryAnswers(database), api: openApi(database) }, large),
    );
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function openApi(database: InventoryDatabase): InventoryApi {
  const services = { reader: new InventoryReader(database, limits), clock, reportFault };
  return { pass: (request) => answerPassedRequest(request, services, LARGEST_LAMBDA_ANSWER) };
}
