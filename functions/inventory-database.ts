import { readExportSeconds } from '../shared/config/export-settings.ts';
import {
  INVENTORY_DAYS,
  INVENTORY_FUNCTIONS,
  INVENTORY_QUERIES,
  INVENTORY_VARIABLES,
} from '../shared/config/inventory.ts';
import { exportTiming } from '../shared/fleet/compiles/export-interval.ts';
import { QueryAnswers } from '../shared/inventory/answers/query-answers.ts';
import { tellQueryWatchers, type WatchPorts } from '../shared/inventory/answers/tell-watchers.ts';
import type { InventoryRetention } from '../shared/inventory/commands/maintenance.ts';
import type { InventoryDatabase, ReadLimits } from '../shared/inventory/database/inventory-database.ts';
import { PostgresDatabase } from '../shared/inventory/database/postgres-database.ts';
import { prepareSchema } from '../shared/inventory/database/schema.ts';

const TIMING = exportTiming(readExportSeconds(process.env));
const DAY_MS = 24 * 3600_000;
let identity: string | null = null;

/**
 * Runs `work` with the inventory's database, whose schema is in place, and its identity. Closes all
 * connections then: the database cannot pause while a frozen function holds one.
 */
export async function withInventory<T>(work: (database: PostgresDatabase, identity: string) => Promise<T>): Promise<T> {
  const database = new PostgresDatabase(process.env[INVENTORY_VARIABLES.url] ?? '', 2);
  try {
    identity ??= await prepareSchema(database);
    return await work(database, identity);
  } finally {
    await database.close();
  }
}

/**
 * Tells nodes of which a query has another answer. What fails is logged: the changes stay noted for
 * the next call.
 */
export async function tellOfAnswers(database: InventoryDatabase, stores: WatchPorts['stores']): Promise<void> {
  const answers = new QueryAnswers(database);
  try {
    while ((await tellQueryWatchers({ stores, database, answers, timing: TIMING })) > 0);
  } catch (error) {
    console.error('nodes were not told of changed answers', error);
  }
}

/** What one query may take. */
export function readQueryLimits(): ReadLimits {
  const read = (name: 'querySeconds' | 'queryRows' | 'queryMegabytes', usual: number) =>
    Number(process.env[INVENTORY_VARIABLES[name]] ?? usual);
  return {
    timeMs: 1000 * read('querySeconds', INVENTORY_FUNCTIONS.querySeconds),
    rows: read('queryRows', INVENTORY_FUNCTIONS.queryRows),
    megabytes: read('queryMegabytes', INVENTORY_QUERIES.megabytes.usual),
  };
}

/** How long the inventory keeps what. */
export function readInventoryRetention(): InventoryRetention {
  const span = (name: 'nodeTtl' | 'nodePurgeTtl' | 'reportTtl', usual: number) => {
    const days = Number(process.env[INVENTORY_VARIABLES[name]] ?? usual);
    return days === 0 ? null : days * DAY_MS;
  };
  return {
    nodeMs: span('nodeTtl', INVENTORY_DAYS.node),
    purgeMs: span('nodePurgeTtl', INVENTORY_DAYS.nodePurge),
    reportMs: span('reportTtl', INVENTORY_DAYS.report),
  };
}
