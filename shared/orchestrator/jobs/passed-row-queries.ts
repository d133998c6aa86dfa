import type { InventoryApi } from '../../store/ports/inventory-answers.ts';
import type { RowQueries } from './inventory-queries.ts';
import { OrchestratorError } from './orchestrator-error.ts';

/** Answers queries by passing them on to the process that reaches the inventory's database. */
export class PassedRowQueries implements RowQueries {
  readonly #api: InventoryApi;

  constructor(api: InventoryApi) {
    this.#api = api;
  }

  async ask(query: string): Promise<readonly unknown[]> {
    const { status, body } = await this.#api
      .pass({ method: 'GET', path: '/pdb/query/v4', parameters: [['query', query]], headers: {}, origin: '', body: '' })
      .catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : String(error);
        throw new OrchestratorError('puppetdb-error', `The inventory could not be asked: ${reason}`, { query });
      });
    if (status === 200) {
      const rows: unknown = JSON.parse(body);
      if (Array.isArray(rows)) return rows;
    }
    const kind = status === 400 ? 'query-error' : 'puppetdb-error';
    throw new OrchestratorError(kind, `The inventory answered with status ${status}: ${body.slice(0, 300)}`, { query });
  }
}
