import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openPostgresStores, type PostgresStores } from '../../shared/store/postgres/stores.ts';
import { numberOfColumn, textOfColumn } from '../../shared/store/sql/connection.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { Installation, PassingClock } from '../cost/installation.ts';
import { createTestDatabase } from '../helpers/shared-postgres.ts';

/** A table after the week. */
export interface TableSize {
  readonly name: string;
  readonly rows: number;
  /** Bytes with indexes and long values, as the week left it, and written anew. */
  readonly bytes: number;
  readonly compactBytes: number;
}

const CONNECTIONS = 8;
const RUNS_A_DAY = 48;
const MINUTES_A_RUN = 30;
/** PostgreSQL's own rule, which the script follows in simulated time: a look each minute. */
const [VACUUM_ROWS, VACUUM_SHARE] = [50, 0.2];
const LOOKS_A_RUN = 30;
const DEPLOY_DAY = 2;
/** Tables that are not worth a line. */
const SMALL_BYTES = 256 * 1024;

/**
 * Lets days pass for nodes that run each half hour: a run changes nothing, the ring verifies each
 * node once a day, code is deployed to all of them once, and old data is pruned each night. The
 * clock passes as the script says; the statements are those of servers.
 */
export async function simulateDays(nodes: number, days: number): Promise<readonly TableSize[]> {
  const directory = mkdtempSync(join(tmpdir(), 'understudy-week-'));
  const keyFile = join(directory, 'values-key');
  writeFileSync(keyFile, randomBytes(32).toString('hex'), { mode: 0o600 });
  const stores = await openPostgresStores(await createTestDatabase(), { directory, keyFile, connections: CONNECTIONS });
  const clock = new PassingClock(Date.now());
  const installation = await Installation.over({ ...stores, clock }, clock, { holdMs: 0 });
  const certnames = Array.from({ length: nodes }, (_, index) => `web${index}.example.com`);
  try {
    await installation.deploy('first');
    await inParallel(CONNECTIONS, certnames, (certname) => installation.askCatalog(certname, 'silver'));
    await installation.work(CONNECTIONS);
    const quiet = await readQuietRun(installation, stores, certnames[0] ?? '');
    for (let day = 0; day < days; day += 1) {
      await passRuns(quiet, certnames, stores, clock);
      if (day === DEPLOY_DAY) await installation.deploy('second', '', CONNECTIONS);
      await installation.turnRing(undefined, CONNECTIONS);
      await installation.prune();
      await stores.database.run('VACUUM (ANALYZE)');
    }
    return await measureTables(stores);
  } finally {
    installation.close();
    await stores.close();
    rmSync(directory, { recursive: true });
  }
}

interface QuietRun {
  readonly collection: string;
  readonly document: Readonly<Record<string, unknown>>;
}

/** The document that a run writes which changed nothing. */
async function readQuietRun(installation: Installation, stores: PostgresStores, certname: string): Promise<QuietRun> {
  await installation.report(certname, 'unchanged');
  const rows = await stores.database.selectAll(
    'SELECT collection, document FROM documents WHERE key = ? AND count > 0',
    certname,
  );
  const [row] = rows;
  if (row === undefined) throw new Error('invariant: a quiet run is counted');
  return { collection: textOfColumn(row, 'collection'), document: JSON.parse(textOfColumn(row, 'document')) };
}

/** The quiet runs of a day, and the vacuums that they lead to. */
async function passRuns(
  { collection, document }: QuietRun,
  certnames: readonly string[],
  { documents, nodes, database }: PostgresStores,
  clock: PassingClock,
): Promise<void> {
  const part = Math.ceil(certnames.length / LOOKS_A_RUN);
  let dead = 0;
  for (let run = 0; run < RUNS_A_DAY; run += 1) {
    for (let look = 0; look < LOOKS_A_RUN; look += 1) {
      clock.passed += (MINUTES_A_RUN / LOOKS_A_RUN) * 60_000;
      const some = certnames.slice(look * part, (look + 1) * part);
      await inParallel(CONNECTIONS, some, async (certname) => {
        await documents.count(collection, certname, { ...document, certname, receivedAt: clock.now() });
        // The front door notes a node once a day.
        if (run === 0) await nodes.markSeen(certname, 'production', clock.now());
      });
      dead += some.length;
      if (dead < VACUUM_ROWS + VACUUM_SHARE * certnames.length) continue;
      await database.run('VACUUM (ANALYZE) documents');
      dead = 0;
    }
  }
}

async function measureTables({ database }: PostgresStores): Promise<readonly TableSize[]> {
  const found = await database.selectAll("SELECT relname FROM pg_stat_user_tables WHERE schemaname = 'public'");
  const sizes: TableSize[] = [];
  for (const row of found) {
    const name = textOfColumn(row, 'relname');
    const sizeOf = async () =>
      numberOfColumn((await database.get(`SELECT pg_total_relation_size('${name}') AS bytes`)) ?? {}, 'bytes');
    const bytes = await sizeOf();
    if (bytes < SMALL_BYTES) continue;
    const rows = numberOfColumn((await database.get(`SELECT count(*) AS rows FROM ${name}`)) ?? {}, 'rows');
    await database.run(`VACUUM FULL ${name}`);
    sizes.push({ name, rows, bytes, compactBytes: await sizeOf() });
  }
  return sizes.sort((a, b) => b.bytes - a.bytes);
}
