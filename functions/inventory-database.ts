import { Signer } from '@aws-sdk/rds-signer';
import { INVENTORY_VARIABLES } from '../shared/config/inventory.ts';
import { readSettings } from '../shared/config/read-setting.ts';
import { exportTiming } from '../shared/fleet/compiles/export-interval.ts';
import { invalidateQueryWatchers, type WatchPorts } from '../shared/inventory/answers/invalidate-watchers.ts';
import { QueryAnswers } from '../shared/inventory/answers/query-answers.ts';
import type { InventoryRetention } from '../shared/inventory/commands/maintenance.ts';
import type { InventoryDatabase, ReadLimits } from '../shared/inventory/database/inventory-database.ts';
import { PostgresDatabase } from '../shared/inventory/database/postgres-database.ts';
import { prepareRole } from '../shared/inventory/database/prepare-role.ts';
import { prepareSchema } from '../shared/inventory/database/schema.ts';
import { inventoryRetentionOf, queryLimitsOf } from '../shared/inventory/inventory-settings.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';
import { systemClock } from '../shared/store/system-clock.ts';

const TIMING = exportTiming(readSettings(['exportDelay', 'exportInterval'], process.env));
const secrets = new SecretVariables(process.env, [INVENTORY_VARIABLES.ownerPassword], systemClock);
let identity: string | null = null;

/**
 * Runs `work` with the inventory's database, whose schema is in place, and its identity. Closes all
 * connections then: the database cannot pause while a frozen function holds one.
 */
export async function withInventory<T>(work: (database: PostgresDatabase, identity: string) => Promise<T>): Promise<T> {
  const database = openByIam(process.env[INVENTORY_VARIABLES.url] ?? '');
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

/** The function's own credentials give a password that is valid for 15 minutes. */
function openByIam(url: string): PostgresDatabase {
  if (!url.includes('sslmode=')) return new PostgresDatabase(url, 2);
  const { hostname, port, username } = new URL(url);
  const signer = new Signer({ hostname, port: Number(port), username });
  return new PostgresDatabase(url, 2, () => signer.getAuthToken());
}

/** False for a function that does not have the owner's password, and for another kind of error. */
async function prepareRoleAsOwner(error: unknown): Promise<boolean> {
  const url = process.env[INVENTORY_VARIABLES.owner] ?? '';
  if (url === '' || !/authentication failed|does not exist/.test(String(error))) return false;
  const { [INVENTORY_VARIABLES.ownerPassword]: password = '' } = await secrets.read();
  const owner = new PostgresDatabase(url, 1, async () => password);
  try {
    await prepareRole(owner);
    return true;
  } finally {
    await owner.close();
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

/** Reads the retention of the inventory. */
export function readInventoryRetention(): InventoryRetention {
  return inventoryRetentionOf(
    readSettings(['puppetdbNodeTtl', 'puppetdbNodePurgeTtl', 'puppetdbReportTtl'], process.env),
  );
}
