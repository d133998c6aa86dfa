import type { Ast } from '../ast/ast.ts';
import type { DatabaseRow, InventoryDatabase, ReadLimits } from '../database/inventory-database.ts';
import { bind, constantSql, type Sql, sql } from '../database/sql.ts';
import { type PlannedQuery, planInventoryQuery, type QueryOptions } from './inventory-query.ts';

/** The rows of an answer, each JSON text, and their number without limit if it was asked for. */
interface InventoryRows {
  readonly rows: AsyncIterable<readonly string[]>;
  readonly total: string | null;
}

/** Kinds of parents in paths, named before the last part. */
type ParentKind = 'node' | 'catalog' | 'factset' | 'report' | 'environment' | 'producer';

const TABLES: Readonly<Record<ParentKind, string>> = {
  node: 'certnames where certname',
  catalog: 'catalogs where certname',
  factset: 'factsets where certname',
  report: 'reports where hash',
  environment: 'environments where environment',
  producer: 'producers where name',
};

/** Bytes of an answer that are read before it starts: mistakes until then get their status. */
const READ_AHEAD = 1024 * 1024;

/** Reads the inventory: plans queries and runs them within limits. */
export class InventoryReader {
  readonly #database: InventoryDatabase;
  readonly #limits: ReadLimits;

  constructor(database: InventoryDatabase, limits: ReadLimits) {
    this.#database = database;
    this.#limits = limits;
  }

  /** Plans a query without running it. Throws QueryRefused and QueryFailed. */
  plan(query: Ast, options: QueryOptions): Promise<PlannedQuery> {
    return planInventoryQuery(query, options, (pattern) => this.#findPaths(pattern));
  }

  /** Runs a query; its first rows are read when this returns. */
  async read(query: Ast, options: QueryOptions): Promise<InventoryRows> {
    const planned = await this.plan(query, options);
    const total = options.includesTotal ? await this.#readValue(planned.total) : null;
    const read = (statement: Sql) => this.#database.read(statement.render(), this.#limits);
    const batches = options.isExplained ? showPlans(read(explainSql(planned.rows))) : read(planned.rows);
    return { rows: await startReading(batches), total };
  }

  /** Runs a query and gives all its rows. */
  async readAll(query: Ast, options: QueryOptions): Promise<readonly string[]> {
    const found: string[] = [];
    const { rows } = await this.read(query, options);
    for await (const batch of rows) found.push(...batch);
    return found;
  }

  /** Whether there is a thing of a name. */
  async exists(kind: ParentKind, name: string): Promise<boolean> {
    if (name.includes('\u0000')) return false;
    const table = constantSql(TABLES[kind]);
    return (await this.#readValue(sql`select 1 from ${table} = ${bind(name)}`)) !== null;
  }

  /** Returns the number of commands that wait; null while the database is away. */
  async countQueued(): Promise<number | null> {
    try {
      return Number(await this.#readValue(sql`select count(*) from queued_commands`));
    } catch {
      return null;
    }
  }

  async #findPaths(pattern: string): Promise<readonly (readonly string[])[]> {
    const statement = sql`select distinct path_array from fact_paths where path ~ ${bind(pattern)}`;
    const rows = await this.#readRows(statement);
    return rows.map(([path]) => (JSON.parse(path ?? '[]') as unknown[]).map(String));
  }

  async #readValue(statement: Sql): Promise<string | null> {
    const [row] = await this.#readRows(statement);
    return row?.[0] ?? null;
  }

  async #readRows(statement: Sql): Promise<readonly DatabaseRow[]> {
    const rows: DatabaseRow[] = [];
    for await (const batch of this.#database.read(statement.render(), this.#limits)) rows.push(...batch);
    return rows;
  }
}

function explainSql(rows: Sql): Sql {
  return sql`explain (verbose, analyze, buffers, format json) ${rows}`;
}

async function* showPlans(batches: AsyncIterable<readonly DatabaseRow[]>): AsyncGenerator<readonly DatabaseRow[]> {
  for await (const batch of batches) yield batch.map(([plan]) => [`{"query plan":${plan}}`]);
}

/** Reads the first batches, then gives them and the others as they come. */
async function startReading(batches: AsyncIterable<readonly DatabaseRow[]>): Promise<AsyncIterable<readonly string[]>> {
  const iterator = batches[Symbol.asyncIterator]();
  const first: (readonly string[])[] = [];
  let [size, isDone] = [0, false];
  while (!isDone && size < READ_AHEAD) {
    const { value, done } = await iterator.next();
    isDone = done === true;
    if (isDone) break;
    const texts = (value as readonly DatabaseRow[]).map(([text]) => text ?? 'null');
    size += texts.reduce((sum, text) => sum + text.length, 0);
    first.push(texts);
  }
  return continueReading(first, isDone ? null : iterator);
}

async function* continueReading(
  first: readonly (readonly string[])[],
  others: AsyncIterator<readonly DatabaseRow[]> | null,
): AsyncGenerator<readonly string[]> {
  try {
    yield* first;
    while (others !== null) {
      const { value, done } = await others.next();
      if (done === true) return;
      yield (value as readonly DatabaseRow[]).map(([text]) => text ?? 'null');
    }
  } finally {
    await others?.return?.();
  }
}
