import type { RowQueries } from '../orchestrator/jobs/inventory-queries.ts';
import { OrchestratorError } from '../orchestrator/jobs/orchestrator-error.ts';
import { badRequestError, notFoundError, unavailableError } from './exchange/answers.ts';

const RETRY_SECONDS = 10;

/**
 * The rows of a query of the inventory, a syntax tree as JSON. Refuses one that cannot be answered:
 * 404 without an inventory (`what` begins the sentence that says so), 503 while it is away.
 */
export async function askInventory(rows: RowQueries | null, query: string, what: string): Promise<readonly unknown[]> {
  if (rows === null) throw notFoundError(`${what} only with an inventory, which this server lacks`);
  return rows.ask(query).catch((error: unknown) => {
    if (!(error instanceof OrchestratorError)) throw error;
    if (error.kind.endsWith('/query-error')) throw badRequestError(error.message);
    throw unavailableError(error.message, RETRY_SECONDS);
  });
}
