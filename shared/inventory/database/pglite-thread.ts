import { setFlagsFromString } from 'node:v8';
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite } from '@electric-sql/pglite';
import { workMemory } from './cursor.ts';
import { answerRequest, type ThreadRequest } from './database-thread.ts';
import { inTransaction } from './in-transaction.ts';
import { DatabaseError, type DatabaseRow } from './inventory-database.ts';
import { describePostgresError } from './postgres-error.ts';
import type { Statement } from './sql.ts';
import { type PgliteSettings, type PgliteWork, runPostedTask } from './task-messages.ts';

/**
 * The worker thread that holds PGlite: PostgreSQL in WebAssembly, with one connection. It runs one
 * statement after another; the caller must not interleave transactions.
 */

/** PostgreSQL's default of 128 MB of shared buffers is for servers with many connections. */
const SETTINGS = ['shared_buffers=32MB', 'timezone=UTC'];
/** Maximum disk space of a query's sorts, as a multiple of its memory. */
const DISK_FACTOR = 16;
/** OIDs of types that PGlite would convert to JavaScript values: they stay PostgreSQL's text. */
const CONVERTED = [
  16, 17, 20, 21, 23, 26, 114, 199, 700, 701, 1000, 1005, 1007, 1009, 1015, 1016, 1082, 1114, 1115, 1184, 1185, 1231,
  1700, 2950, 2951, 3802, 3807,
];
const AS_TEXT = Object.fromEntries(CONVERTED.map((type) => [type, (text: string) => text]));

/**
 * Work after which V8 recompiles a WebAssembly function with its optimizing compiler. V8's usual
 * budget recompiles all code that a start runs; this one only code of long queries. It saves 50 MB
 * and a third of the CPU of the first queries. A scan of 60,000 rows takes 250 ms, and 150 ms once
 * optimized (Node 24, 2026-11-23). V8 reads the budget when it loads a module.
 */
const [BUDGET, USUAL_BUDGET] = [2_000_000_000, 13_000_000];

async function open({ folder, queryMegabytes: megabytes }: PgliteSettings): Promise<PGlite> {
  const bounds = [`work_mem=${workMemory({ megabytes })}`, `temp_file_limit=${megabytes * DISK_FACTOR}MB`];
  const startParams = [...defaultParameters(), ...[...SETTINGS, ...bounds].flatMap((setting) => ['-c', setting])];
  setFlagsFromString(`--wasm-tiering-budget=${BUDGET}`);
  try {
    return await PGlite.create({ ...(folder === null ? {} : { dataDir: folder }), startParams });
  } finally {
    setFlagsFromString(`--wasm-tiering-budget=${USUAL_BUDGET}`);
  }
}

function defaultParameters(): readonly string[] {
  const given = (PGlite as { defaultStartParams?: unknown }).defaultStartParams;
  if (!Array.isArray(given)) throw new Error('this version of PGlite has no default start parameters');
  return given.map(String);
}

async function runStatement(database: PGlite, { text, values }: Statement): Promise<readonly DatabaseRow[]> {
  try {
    const { rows } = await database.query(text, [...values], { rowMode: 'array', parsers: AS_TEXT });
    return rows as readonly DatabaseRow[];
  } catch (error) {
    const { message, code } = describePostgresError(error);
    throw new DatabaseError(message, code);
  }
}

async function doWork(database: PGlite, work: PgliteWork): Promise<unknown> {
  if (work === 'open') return undefined;
  if (work === 'close') return database.close();
  if ('statement' in work) return runStatement(database, work.statement);
  const connection = { run: (statement: Statement) => runStatement(database, statement) };
  return inTransaction(connection, 'begin', () => runPostedTask(connection, work.task));
}

const port = parentPort;
if (port === null) throw new Error('pglite-thread.ts runs in a worker thread only');
const opened = open(workerData as PgliteSettings);
port.on('message', async (request: ThreadRequest<PgliteWork>) => {
  port.postMessage(await answerRequest(request, async (work) => doWork(await opened, work)));
  if (request.work === 'close') port.close();
});
