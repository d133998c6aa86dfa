import type { InventoryDatabase } from './inventory-database.ts';

/** PostgreSQL counts what concerns all databases of a server under none. */
const STATE = `
  select current_setting('data_checksums'), coalesce(sum(checksum_failures), 0)
  from pg_stat_database where datname = current_database() or datid = 0`;

export interface ChecksumState {
  /** Whether PostgreSQL checks the pages that it reads. */
  readonly isOn: boolean;
  /** Damaged pages that it has read since its statistics began. */
  readonly failures: number;
}

export async function readChecksumState(database: InventoryDatabase): Promise<ChecksumState> {
  const [[setting, failures] = []] = await database.transaction((connection) =>
    connection.run({ text: STATE, values: [] }),
  );
  return { isOn: setting === 'on', failures: Number(failures) };
}
