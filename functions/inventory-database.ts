import { readSettings } from '../shared/config/read-setting.ts';
import { exportTiming } from '../shared/fleet/compiles/export-interval.ts';
import { invalidateQueryWatchers, type WatchPorts } from '../shared/inventory/answers/invalidate-watchers.ts';
import { QueryAnswers } from '../shared/inventory/answers/query-answers.ts';
import type { InventoryRetention } from '../shared/inventory/commands/maintenance.ts';
import type { InventoryDatabase, ReadLimits } from '../shared/inventory/database/inventory-database.ts';
import type { PostgresDatabase } from '../shared/inventory/database/postgres-database.ts';
import { prepareSchema } from '../shared/inventory/database/schema.ts';
import { inventoryRetentionOf, queryLimitsOf } from '../shared/inventory/inventory-settings.ts';
import { DAY_MS } from '../shared/util/day.ts';
import { openByIam, prepareRoleAsOwner } from './inventory-login.ts';

const TIMING = exportTiming(readSettings(['exportDelay', 'exportInterval'], process.env));
let identity: string | null = null;

/**
 * Runs `work` with the inventory's database, whose schema is in place, and its identity. Closes all
 * connections then: the database cannot pause while a frozen function holds one.
 */
export async function withInventory<T>(work: (database: PostgresDatabase, identity: string) => Promise<T>): Promise<T> {
  const database = openByIam();
  try {
    identity ??= await prepareSchema(database).catch(async (error: unknown) => {
      // The database is new, and nobody has made its role.
      if (!(await prepareRoleAsOwner(error))) throw error;
      return prepareSchema(database);
    });
    return await work(database, identity);
  } finally {
    await database.close();
  }
}

/**
 * Invalidates the nodes of a query that has another answer. A fault is logged: the changes stay
 * noted for the next call.
 */
export async function invalidateForAnswers(database: InventoryDatabase, stores: WatchPorts['stores']): Promise<void> {
  const answers = new QueryAnswers(database);
  try {
    while ((await invalidateQueryWatchers({ stores, database, answers, timing: TIMING })) > 0);
  } catch (error) {
    console.error('nodes were not invalidated for changed answers', error);
  }
}

/** Reads the limits of one query. */
export function readQueryLimits(): ReadLimits {
  return queryLimitsOf(readSettings(['puppetdbQueryTime', 'puppetdbQueryRows', 'puppetdbQueryMemory'], process.env));
}

/**
 * The time after which a node counts as away, in milliseconds. A record may say up to a day late
 * that its node was seen: reports say it meanwhile.
 */
export function readIdleMs(): number | null {
  const { nodeMs } = readInventoryRetention();
  return nodeMs === null ? null : nodeMs + DAY_MS;
}

/** Reads the retention of the inventory. */
export function readInventoryRetention(): InventoryRetention {
  return inventoryRetentionOf(
    readSettings(['puppetdbNodeTtl', 'puppetdbNodePurgeTtl', 'puppetdbReportTtl'], process.env),
  );
}
