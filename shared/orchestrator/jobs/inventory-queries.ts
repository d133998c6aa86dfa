import { writeJson } from '../../inventory/ast/ast.ts';
import { readJsonBody } from '../../inventory/ast/json-reader.ts';
import { QueryFailed, QueryRefused } from '../../inventory/ast/query-error.ts';
import { TooManyRows, TooMuchMemory } from '../../inventory/database/inventory-database.ts';
import { parsePql } from '../../inventory/pql/parse-pql.ts';
import type { InventoryReader } from '../../inventory/query/inventory-reader.ts';
import { NO_PARAMETERS } from '../../inventory/query/query-parameters.ts';
import { reduceToCertnames, restrictRootQuery } from '../../inventory/query/restrict-query.ts';
import type { InventoryAnswers, InventoryApi } from '../../store/ports/inventory-answers.ts';
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

/** Answers queries with rows. */
export interface RowQueries {
  /** The rows of an answer to PQL, or to a syntax tree as JSON. Rejects with OrchestratorError. */
  ask(query: string): Promise<readonly unknown[]>;
}

/** Answers what jobs and plans ask the inventory. */
export type JobQueries = TargetQueries & RowQueries;

/** Errors that come again however often the query is asked. */
const OF_QUERIES = [QueryRefused, QueryFailed, TooManyRows, TooMuchMemory];

/** Queries of the inventory. */
export class InventoryQueries implements TargetQueries, RowQueries {
  readonly #reader: Pick<InventoryReader, 'readAll'>;

  constructor(reader: Pick<InventoryReader, 'readAll'>) {
    this.#reader = reader;
  }

  async find(query: string | readonly unknown[]): Promise<readonly string[]> {
    const rows = await this.#read(query);
    return certnamesOf(
      rows.map((row): unknown => JSON.parse(row)),
      query,
    );
  }

  async ask(query: string): Promise<readonly unknown[]> {
    const read = () => restrictRootQuery(/^\s*\[/.test(query) ? readJsonBody(query) : parsePql(query));
    const rows = await this.#readRows(read, query);
    return rows.map((row): unknown => JSON.parse(row));
  }

  #read(query: string | readonly unknown[]): Promise<readonly string[]> {
    const read = () => {
      const ast = typeof query === 'string' ? parsePql(query) : readJsonBody(JSON.stringify(rootOf(query)));
      return restrictRootQuery(reduceToCertnames(ast));
    };
    return this.#readRows(read, query);
  }

  async #readRows(
    read: () => ReturnType<typeof restrictRootQuery>,
    query: string | readonly unknown[],
  ): Promise<readonly string[]> {
    try {
      return await this.#reader.readAll(read(), NO_PARAMETERS);
    } catch (error) {
      if (OF_QUERIES.some((kind) => error instanceof kind) && error instanceof Error)
        throw new OrchestratorError('query-error', error.message, { query });
      throw awayError(error, query);
    }
  }
}

/**
 * The same, where another process reaches the inventory's database. It finds nodes as it answers
 * manifests, and gives rows as it answers clients.
 */
export class AnsweredQueries implements TargetQueries, RowQueries {
  readonly #inventory: Pick<InventoryAnswers, 'ask'> & InventoryApi;

  constructor(inventory: Pick<InventoryAnswers, 'ask'> & InventoryApi) {
    this.#inventory = inventory;
  }

  async find(query: string | readonly unknown[]): Promise<readonly string[]> {
    const text = typeof query === 'string' ? reducePql(query) : JSON.stringify(rootOf(query));
    const replies = await this.#inventory.ask([text], null).catch((error: unknown) => {
      throw awayError(error, query);
    });
    const { rows = null, error = null } = replies.get(text) ?? {};
    if (rows === null) throw new OrchestratorError('query-error', error ?? 'there is no answer', { query });
    return certnamesOf(JSON.parse(rows), query);
  }

  async ask(query: string): Promise<readonly unknown[]> {
    const request = { method: 'GET', path: '/pdb/query/v4', parameters: [['query', query]], headers: {} } as const;
    const { status, body } = await this.#inventory
      .pass({ ...request, origin: '', body: '' })
      .catch((error: unknown) => {
        throw awayError(error, query);
      });
    if (status === 200) {
      const rows: unknown = JSON.parse(body);
      if (Array.isArray(rows)) return rows;
    }
    const kind = status === 400 ? 'query-error' : 'puppetdb-error';
    throw new OrchestratorError(kind, `The inventory answered with status ${status}: ${body.slice(0, 300)}`, { query });
  }
}

/** The query for certnames alone. One that cannot be read stays: its answer says why. */
function reducePql(query: string): string {
  try {
    const ast = parsePql(query);
    const reduced = reduceToCertnames(ast);
    return reduced === ast ? query : writeJson(reduced);
  } catch (error) {
    if (error instanceof QueryRefused) return query;
    throw error;
  }
}

/** A syntax tree without `from` is about nodes. */
function rootOf(query: readonly unknown[]): readonly unknown[] {
  return query[0] === 'from' ? query : ['from', 'nodes', query];
}

function certnamesOf(rows: readonly unknown[], query: unknown): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) {
    if (!isJsonObject(row) || typeof row.certname !== 'string') {
      throw new OrchestratorError('query-error', 'A query for targets must give certnames', { query });
    }
    names.add(row.certname);
  }
  return [...names];
}

function awayError(error: unknown, query: unknown): OrchestratorError {
  const reason = error instanceof Error ? error.message : String(error);
  return new OrchestratorError('puppetdb-error', `The inventory could not be asked: ${reason}`, { query });
}
