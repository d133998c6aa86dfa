import { readJsonBody } from '../../inventory/ast/json-reader.ts';
import { QueryFailed, QueryRefused } from '../../inventory/ast/query-error.ts';
import { parsePql } from '../../inventory/pql/parse-pql.ts';
import type { InventoryReader } from '../../inventory/query/inventory-reader.ts';
import { NO_PARAMETERS } from '../../inventory/query/query-parameters.ts';
import { restrictRootQuery } from '../../inventory/query/restrict-query.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { OrchestratorError } from './orchestrator-error.ts';

/** Finds nodes by queries. */
export interface TargetQueries {
  /**
   * The certnames that a query gives, each once: PQL, or a syntax tree, of which one without `from`
   * is about nodes. A query that says nothing of it is about active nodes. Rejects with
   * OrchestratorError.
   */
  find(query: string | readonly unknown[]): Promise<readonly string[]>;
}

/** Queries of the inventory. */
export class InventoryQueries implements TargetQueries {
  readonly #reader: Pick<InventoryReader, 'readAll'>;

  constructor(reader: Pick<InventoryReader, 'readAll'>) {
    this.#reader = reader;
  }

  async find(query: string | readonly unknown[]): Promise<readonly string[]> {
    const names = new Set<string>();
    for (const row of await this.#read(query)) {
      const found: unknown = JSON.parse(row);
      if (!isJsonObject(found) || typeof found.certname !== 'string') {
        throw new OrchestratorError('query-error', 'A query for targets must give certnames', { query });
      }
      names.add(found.certname);
    }
    return [...names];
  }

  async #read(query: string | readonly unknown[]): Promise<readonly string[]> {
    try {
      const tree = query[0] === 'from' ? query : ['from', 'nodes', query];
      const ast = typeof query === 'string' ? parsePql(query) : readJsonBody(JSON.stringify(tree));
      return await this.#reader.readAll(restrictRootQuery(ast), NO_PARAMETERS);
    } catch (error) {
      const isQuery = error instanceof QueryRefused || error instanceof QueryFailed;
      if (isQuery) throw new OrchestratorError('query-error', error.message, { query });
      const reason = error instanceof Error ? error.message : String(error);
      throw new OrchestratorError('puppetdb-error', `The inventory could not be asked: ${reason}`, { query });
    }
  }
}
