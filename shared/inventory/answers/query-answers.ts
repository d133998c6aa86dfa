import { SETTINGS } from '../../config/settings.ts';
import type { InventoryReply } from '../../puppet/compiler/inventory-questions.ts';
import type { InventoryAnswers, QueryWatcher } from '../../store/ports/inventory-answers.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { digestSha256 } from '../../util/digest.ts';
import { type Ast, isList } from '../ast/ast.ts';
import { QueryFailed, QueryRefused } from '../ast/query-error.ts';
import {
  DatabaseError,
  DatabaseUnavailable,
  type InventoryDatabase,
  StatementTimedOut,
  TooManyRows,
  TooMuchMemory,
} from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { InventoryReader } from '../query/inventory-reader.ts';
import { bindTexts } from '../query/plan-values.ts';
import { NO_PARAMETERS, readQueryText } from '../query/query-parameters.ts';
import { restrictRootQuery } from '../query/restrict-query.ts';
import { findQueryTopics } from './query-topics.ts';

/** Limits of one query of a manifest: a compile waits for it. */
const LIMITS = { timeMs: 20_000, rows: 100_000, megabytes: SETTINGS.puppetdbQueryMemory.usual };
/** The largest answer, in characters. */
const LARGEST_ANSWER = 32 * 1024 * 1024;

/** Answers the queries of manifests from the inventory's database, and keeps who watches which. */
export class QueryAnswers implements InventoryAnswers {
  readonly #database: InventoryDatabase;
  readonly #reader: InventoryReader;

  constructor(database: InventoryDatabase) {
    this.#database = database;
    this.#reader = new InventoryReader(database, LIMITS);
  }

  ask(queries: readonly string[], watcher: QueryWatcher | null): Promise<ReadonlyMap<string, InventoryReply>> {
    return whileAvailable(async () => {
      if (watcher !== null) for (const query of queries) await this.#watch(query, watcher);
      const replies = new Map<string, InventoryReply>();
      for (const query of queries) replies.set(query, await this.#answer(query));
      if (watcher !== null) await this.#noteAnswers(watcher, replies);
      return replies;
    });
  }

  async digest(queries: readonly string[], watcher: QueryWatcher | null): Promise<ReadonlyMap<string, string>> {
    const replies = await this.ask(queries, watcher);
    return new Map([...replies].map(([query, { digest }]) => [query, digest]));
  }

  keepOnly(queries: readonly string[], { certname, generation }: QueryWatcher): Promise<void> {
    return whileAvailable(() =>
      this.#database.transaction(async (connection) => {
        const kept = bindTexts(queries.map(digestSha256));
        await connection.run(
          sql`delete from query_watchers where certname = ${bind(certname)}
            and generation <= ${bind(String(generation), 'bigint')}
            and query_id not in (select id from watched_queries where digest = any(${kept}))`.render(),
        );
      }),
    );
  }

  /** A query that cannot be read is watched, too, but nothing changes its answer. */
  #watch(query: string, { certname, generation }: QueryWatcher): Promise<void> {
    return this.#database.transaction(async (connection) => {
      const digest = digestSha256(query);
      const find = sql`select id from watched_queries where digest = ${bind(digest)}`.render();
      let [row] = await connection.run(find);
      if (row === undefined) {
        await connection.run(
          sql`insert into watched_queries (digest, query) values (${bind(digest)}, ${bind(query)})
            on conflict (digest) do nothing`.render(),
        );
        [row] = await connection.run(find);
        const topics = readTopics(query);
        const column = (key: 'kind' | 'name' | 'certname') =>
          bind(JSON.stringify(topics.map((topic) => topic[key])), 'jsonb');
        await connection.run(
          sql`insert into query_topics (query_id, kind, name, certname)
            select ${bind(row?.[0] ?? null, 'int')}, kind, name, certname
            from rows from (jsonb_array_elements_text(${column('kind')}), jsonb_array_elements_text(${column('name')}),
              jsonb_array_elements_text(${column('certname')})) given (kind, name, certname)`.render(),
        );
      }
      await connection.run(
        sql`insert into query_watchers (query_id, certname, generation)
          values (${bind(row?.[0] ?? null, 'int')}, ${bind(certname)}, ${bind(String(generation), 'bigint')})
          on conflict (query_id, certname) do update set generation = greatest(query_watchers.generation,
            excluded.generation)`.render(),
      );
    });
  }

  /** Notes the answers that the node got: only other answers invalidate it. */
  #noteAnswers({ certname }: QueryWatcher, replies: ReadonlyMap<string, InventoryReply>): Promise<void> {
    const queries = bindTexts([...replies.keys()].map(digestSha256));
    const answers = bindTexts([...replies.values()].map(({ digest }) => digest));
    return this.#database.transaction(async (connection) => {
      await connection.run(
        sql`update query_watchers w set answer = given.answer
          from unnest(${queries}, ${answers}) given (digest, answer) join watched_queries q using (digest)
          where w.query_id = q.id and w.certname = ${bind(certname)}
            and w.answer is distinct from given.answer`.render(),
      );
    });
  }

  async #answer(query: string): Promise<InventoryReply> {
    try {
      const ast = readQueryText(query, true);
      const rows: string[] = [];
      let size = 0;
      for await (const batch of (await this.#reader.read(restrictRootQuery(ast), NO_PARAMETERS)).rows) {
        rows.push(...batch);
        size += batch.reduce((sum, row) => sum + row.length, 0);
        if (size > LARGEST_ANSWER) return refuse(`the answer has more than ${LARGEST_ANSWER} characters`);
      }
      const text = `[${(isOrdered(ast) ? rows : rows.sort()).join(',')}]`;
      return { digest: digestSha256(text), rows: text, error: null };
    } catch (error) {
      const isMistake = [QueryRefused, QueryFailed, DatabaseError, TooManyRows, TooMuchMemory, StatementTimedOut];
      if (error instanceof Error && isMistake.some((kind) => error instanceof kind)) return refuse(error.message);
      throw error;
    }
  }
}

function refuse(error: string): InventoryReply {
  return { digest: digestSha256(`error ${error}`), rows: null, error };
}

function isOrdered(query: Ast): boolean {
  return isList(query) && query.some((clause) => isList(clause) && clause[0] === 'order_by');
}

function readTopics(query: string): ReturnType<typeof findQueryTopics> {
  try {
    return findQueryTopics(readQueryText(query, true));
  } catch (error) {
    if (error instanceof QueryRefused || error instanceof QueryFailed) return [];
    throw error;
  }
}

async function whileAvailable<T>(body: () => Promise<T>): Promise<T> {
  try {
    return await body();
  } catch (error) {
    if (error instanceof DatabaseUnavailable) throw new StoreUnavailable(`the inventory: ${error.message}`, error);
    throw error;
  }
}
