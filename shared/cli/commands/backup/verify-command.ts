import type { StoreFindings } from '../../../fleet/code/verify-stores.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import { forgetDamage } from '../../../store/embedded/damage/damage-log.ts';
import type { DatabaseDamage } from '../../../store/embedded/damage/database-check.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { countUnits } from '../../../util/count-units.ts';
import { NamedError } from '../../../util/named-error.ts';
import type { WorkObserver } from '../../../util/work-observer.ts';
import { Progress } from '../../client/progress.ts';
import { dataDirectory, type StateLocation, withStores } from '../command-stores.ts';
import { verifyDataDirectory, verifyPostgres } from './verify-inventory.ts';

type Print = (text: string) => Promise<void>;

export interface VerifyOptions extends StateLocation {
  readonly repair?: boolean;
  /** The address of the PostgreSQL that has the inventory. */
  readonly puppetdbDatabase?: string;
}

/** `verify` found damage that it did not repair; the message counts it. */
export class DamageFound extends NamedError {}

/**
 * Prints a line for each thing that is damaged or lost, with what heals it. Throws DamageFound when
 * damage is left, and StoreRefused for a database that cannot be read.
 */
export async function verify(options: VerifyOptions, variables: AwsNames, write: Print): Promise<void> {
  const directory = dataDirectory(options, variables);
  const progress = new Progress();
  const observe: WorkObserver = (what, done, of) => progress.show(what, done, of);
  const print: Print = (text) => {
    progress.end();
    return write(text);
  };
  // SQLite's check is one call: node:sqlite has no progress handler, and a check of one table after
  // the other leaves out the pages that no table owns.
  observe('checking the database');
  const repair = options.repair ?? false;
  const database = directory === null ? SOUND : await verifyDatabase(directory, repair, print);
  const inventory = directory === null ? 0 : await verifyDataDirectory(directory, print);
  const pages = options.puppetdbDatabase === undefined ? 0 : await verifyPostgres(options.puppetdbDatabase, print);
  if (database.lost > 0) throw new DamageFound(describeRows(database.lost, repair));
  await withStores(options, variables, async (stores) => {
    const { verifyStores } = await import('../../../fleet/code/verify-stores.ts');
    const found = await verifyStores(stores, repair, observe);
    progress.end();
    for (const { key, namedBy, remedy } of found.findings) {
      await print(`${key} of ${namedBy} is missing or damaged: ${remedy}\n`);
    }
    const named = new Set(found.findings.map(({ key }) => key));
    const others = directory === null ? 0 : await verifyBlobs({ directory, repair, named, observe }, print);
    progress.end();
    if (database.compiles) await compileAll(stores);
    await printCounts(found, print);
    const lost = found.findings.length + others;
    if (lost > 0 && !repair) {
      throw new DamageFound(`${lost} blobs are missing or damaged; --repair heals what can be healed`);
    }
  });
  if (directory !== null && repair) forgetDamage(directory);
  if (inventory > 0) throw new DamageFound('the inventory is damaged: move its folder away');
  if (pages > 0) throw new DamageFound("the inventory's PostgreSQL has damaged pages");
}

interface VerifiedRows {
  /** Damaged rows that are left. */
  readonly lost: number;
  /** Whether all nodes have to compile. */
  readonly compiles: boolean;
}

const SOUND: VerifiedRows = { lost: 0, compiles: false };

async function verifyDatabase(directory: string, repair: boolean, print: Print): Promise<VerifiedRows> {
  const { checkDatabase } = await import('../../../store/embedded/damage/database-check.ts');
  const { repairDatabase, ROW_REMEDIES } = await import('../../../store/embedded/damage/repair-database.ts');
  const found = checkDatabase(directory);
  if (found.faults.length > 0 && !repair) throw damagedDatabase(directory, found);
  let compiles = found.faults.length > 0 && repairDatabase(directory);
  // Rows are looked at when the indexes are sound.
  const { faults, rows } = found.faults.length > 0 ? checkDatabase(directory) : found;
  if (faults.length > 0) throw damagedDatabase(directory, { faults, rows });
  for (const { table, key } of rows) {
    await print(`The row ${key} of table ${table} is damaged: ${ROW_REMEDIES[table]?.text}\n`);
  }
  if (!repair || rows.length === 0) return { lost: rows.length, compiles };
  compiles = repairDatabase(directory) || compiles;
  return { lost: checkDatabase(directory).rows.length, compiles };
}

function damagedDatabase(directory: string, { faults }: DatabaseDamage): StoreRefused {
  return new StoreRefused(
    `the database in '${directory}' is damaged (${faults[0]}): 'understudy verify --repair' builds its indexes anew; where that does not help, restore a backup`,
  );
}

function describeRows(count: number, repair: boolean): string {
  const rows = `${count} rows of the database are damaged`;
  return repair
    ? `${rows} and cannot be made anew: restore a backup`
    : `${rows}; --repair heals what can be healed. Blobs were not looked at`;
}

interface VerifiedBlobs {
  readonly directory: string;
  readonly repair: boolean;
  /** Keys that a record names, which are reported already. */
  readonly named: ReadonlySet<string>;
  readonly observe: WorkObserver;
}

async function verifyBlobs({ directory, repair, named, observe }: VerifiedBlobs, print: Print): Promise<number> {
  const { findDamagedBlobs } = await import('../../../store/embedded/damage/check-blobs.ts');
  const { describeRemedy } = await import('../../../fleet/code/blob-remedies.ts');
  let count = 0;
  for await (const key of findDamagedBlobs(directory, repair, observe)) {
    if (named.has(key)) continue;
    count += 1;
    await print(`${key} is damaged and counts as missing: ${describeRemedy(key)}\n`);
  }
  return count;
}

/** Rows that nodes' compiles make anew are gone. */
async function compileAll(stores: Stores): Promise<void> {
  const { CATALOG_LOST } = await import('../../../fleet/catalogs/catalog-blob.ts');
  const { invalidateNodes } = await import('../../../fleet/nodes/invalidate-nodes.ts');
  const { allNodes } = await import('../../../store/list-pages.ts');
  for await (const page of allNodes(stores.nodes)) {
    await invalidateNodes(
      page.map(({ certname }) => certname),
      CATALOG_LOST,
      stores,
    );
  }
}

async function printCounts({ counts }: StoreFindings, print: Print): Promise<void> {
  const { environments, files, nodes, catalogs } = counts;
  await print(
    `Verified ${countUnits(environments, 'environment')} with ${countUnits(files, 'file')}, ${countUnits(nodes, 'node')} with ${countUnits(catalogs, 'catalog')}.\n`,
  );
}
