import type { ExportTiming } from '../../fleet/compiles/export-interval.ts';
import { invalidateNodesPaced } from '../../fleet/compiles/invalidate-collectors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { DatabaseRow, InventoryDatabase } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { bindTexts } from '../query/plan-values.ts';
import type { QueryAnswers } from './query-answers.ts';

export interface WatchPorts {
  readonly stores: Pick<Stores, 'nodes' | 'queue' | 'clock'>;
  readonly database: InventoryDatabase;
  readonly answers: QueryAnswers;
  /** Minimum interval between compiles of a node for changed answers alone. */
  readonly timing: ExportTiming;
}

/** Changes that one pass takes, and nodes that are invalidated at a time. */
const CHANGES_A_PASS = 5000;
const NODES_A_PAGE = 200;

/**
 * Invalidates the nodes whose catalogs depend on a query that has another answer than they got. A
 * pass takes noted changes, asks each query that one of them concerns once, and forgets the changes
 * when all nodes were invalidated; a death in between repeats it. Returns the number of nodes
 * invalidated.
 */
export async function invalidateQueryWatchers(ports: WatchPorts): Promise<number> {
  const { database } = ports;
  const changes = await database.transaction((connection) =>
    connection.run(
      sql`select id from changed_topics order by id limit ${bind(String(CHANGES_A_PASS), 'int')}`.render(),
    ),
  );
  if (changes.length === 0) return 0;
  const ids = sql`${bindTexts(changes.map(([id]) => String(id)))}::bigint[]`;
  const queries = await database.transaction((connection) =>
    connection.run(
      sql`select q.id, q.query from watched_queries q where exists (select from query_topics t join changed_topics c
          on t.kind = 'any' or (t.kind = c.kind and (t.name is null or t.name = any(c.names)))
        where t.query_id = q.id and c.id = any(${ids}) and (t.certname is null or t.certname = c.certname))`.render(),
    ),
  );
  let invalidated = 0;
  for (const row of queries) invalidated += await invalidateWatchersOf(row, ports);
  await database.transaction(async (connection) => {
    await connection.run(sql`delete from changed_topics where id = any(${ids})`.render());
    await connection.run({ text: FORGET_UNWATCHED, values: [] });
  });
  return invalidated;
}

const FORGET_UNWATCHED =
  'delete from watched_queries q where not exists (select from query_watchers w where w.query_id = q.id)';

async function invalidateWatchersOf([id = null, query]: DatabaseRow, ports: WatchPorts): Promise<number> {
  const { database, answers } = ports;
  const digest = (await answers.digest([query ?? ''], null)).get(query ?? '') ?? '';
  const isOutdated = sql`query_id = ${bind(id, 'int')} and answer is distinct from ${bind(digest)}`;
  let invalidated = 0;
  for (;;) {
    const rows = await database.transaction((connection) =>
      connection.run(
        sql`select certname from query_watchers where ${isOutdated}
          limit ${bind(String(NODES_A_PAGE), 'int')}`.render(),
      ),
    );
    if (rows.length === 0) return invalidated;
    const certnames = rows.map(([certname]) => certname ?? '');
    await invalidateForQuery(certnames, query ?? '', ports);
    invalidated += certnames.length;
    await database.transaction((connection) =>
      connection.run(
        sql`update query_watchers set answer = ${bind(digest)} where query_id = ${bind(id, 'int')}
          and certname = any(${bindTexts(certnames)})`.render(),
      ),
    );
  }
}

const SHOWN = 80;

async function invalidateForQuery(
  certnames: readonly string[],
  query: string,
  { stores, database, timing }: WatchPorts,
): Promise<void> {
  const shown = query.length > SHOWN ? `${query.slice(0, SHOWN)}...` : query;
  const reason = `the answer changed to the query ${shown}`;
  await invalidateNodesPaced(
    certnames.map((certname) => ({ certname, reason })),
    stores,
    timing,
  );
  const gone: string[] = [];
  for (const certname of certnames) if ((await stores.nodes.get(certname)) === null) gone.push(certname);
  if (gone.length === 0) return;
  await database.transaction(async (connection) => {
    await connection.run(sql`delete from query_watchers where certname = any(${bindTexts(gone)})`.render());
  });
}
