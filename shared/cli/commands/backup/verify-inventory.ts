import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { INVENTORY_FOLDER } from '../../../config/inventory.ts';
import type { ChecksumState } from '../../../inventory/database/checksum-state.ts';
import { StoreRefused } from '../../../store/ports/store-errors.ts';
import { countUnits } from '../../../util/count-units.ts';

type Print = (text: string) => Promise<void>;

/** Prints a line for each damaged file of a data directory's inventory; returns their number. */
export async function verifyDataDirectory(directory: string, print: Print): Promise<number> {
  const folder = join(directory, INVENTORY_FOLDER);
  if (!existsSync(folder)) return 0;
  const { findDamagedPages } = await import('../../../inventory/database/page-checksums.ts');
  let count = 0;
  for await (const { file, pages } of findDamagedPages(folder)) {
    count += 1;
    await print(
      `${join(folder, file)} has damage in ${countUnits(pages, 'page')}: stop the server and move '${folder}' away; what the server knows of its nodes is fed again, commands of others are not\n`,
    );
  }
  return count;
}

/**
 * Prints what a PostgreSQL knows of its pages; returns the number of damaged ones that it has met.
 * Throws StoreRefused when it does not answer.
 */
export async function verifyPostgres(url: string, print: Print): Promise<number> {
  const { PostgresDatabase } = await import('../../../inventory/database/postgres-database.ts');
  const { readChecksumState } = await import('../../../inventory/database/checksum-state.ts');
  const database = new PostgresDatabase(url, 1);
  try {
    const state = await readChecksumState(database);
    await print(`The inventory's PostgreSQL ${describeChecksums(state)}\n`);
    return state.failures;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new StoreRefused(`the inventory's PostgreSQL was not looked at: ${message}`, error);
  } finally {
    await database.close();
  }
}

/** Says what the state means, with the remedy. */
export function describeChecksums({ isOn, failures }: ChecksumState): string {
  if (failures > 0) {
    return `has met damage in ${countUnits(failures, 'page')}: its log names them; restore its backup, or begin with an empty database, to which the server feeds its nodes again`;
  }
  return isOn
    ? 'has met no damaged page; pg_amcheck reads all'
    : "has no data checksums and finds no damaged page: stop it and run 'pg_checksums --enable'";
}
