import type { DatabaseSync } from 'node:sqlite';
import type { ExportedResource } from '../../../puppet/catalog/exported.ts';
import { listExportKeys } from '../../../puppet/compiler/export-keys.ts';
import { exportShardOf } from '../../export-shards.ts';
import { shortenName } from '../../short-texts.ts';
import type { StoredTable } from '../../sql/schema.ts';
import { deleteDamagedRows } from '../row-digests.ts';
import { DIGESTED_TABLES } from '../schema.ts';
import { ServerLock } from '../server-lock.ts';
import { withPlainConnection } from './database-check.ts';

/** The remedy for a table that lost rows. */
interface RowRemedy {
  /** The loss without the rows, and the remedy. */
  readonly text: string;
  /** Statements after the deletion of the damaged rows; null: they stay, restore a backup. */
  readonly repair: readonly (string | ((connection: DatabaseSync) => void))[] | null;
  /** Whether all nodes have to compile. */
  readonly compiles?: true;
}

const BACKUP = "nothing else has it: restore a backup ('understudy restore')";
const COMPILED = 'all nodes are compiled again';
const JOB_LOST = 'a record of a job is lost';

/** Nodes own all paths until their next compile. */
const FORGET_DEPENDENCIES = [
  ...['parts', 'sets', 'memberships', 'owners'].map((part) => `DELETE FROM dependency_${part}`),
  'UPDATE nodes SET membership = NULL, dependency_set = NULL',
  `INSERT INTO dependency_owners (environment, path, certname)
     SELECT inputs ->> 'environment', '*', certname FROM nodes WHERE inputs IS NOT NULL`,
];
const DEPENDENCIES: RowRemedy = { text: COMPILED, repair: FORGET_DEPENDENCIES, compiles: true };

/** The remedies for damaged rows, by table. */
export const ROW_REMEDIES: Readonly<Record<string, RowRemedy>> = {
  nodes: {
    text: 'the next run of its agent makes it anew; send its classification again',
    repair: ['DELETE FROM export_owners WHERE certname NOT IN (SELECT certname FROM nodes)'],
  },
  dependency_parts: DEPENDENCIES,
  dependency_sets: DEPENDENCIES,
  dependency_memberships: DEPENDENCIES,
  dependency_owners: DEPENDENCIES,
  dependency_leavings: { text: 'some dependencies that nobody needs stay', repair: [] },
  export_owners: { text: COMPILED, repair: [], compiles: true },
  exports: { text: `an exported resource is lost until then: ${COMPILED}`, repair: [], compiles: true },
  export_keys: { text: 'it is made anew', repair: ['DELETE FROM export_keys', indexExports] },
  export_versions: { text: COMPILED, repair: ['DELETE FROM export_sums'], compiles: true },
  export_sums: { text: 'it is computed again', repair: [] },
  collector_keys: { text: COMPILED, repair: [], compiles: true },
  export_changes: { text: COMPILED, repair: [], compiles: true },
  node_changes: { text: 'its readers look at all nodes', repair: ['DELETE FROM change_consumers'] },
  change_consumers: { text: 'its reader looks at all nodes', repair: [] },
  environments: { text: 'deploy the environment again', repair: [] },
  documents: { text: BACKUP, repair: null },
  node_groups: { text: BACKUP, repair: null },
  fan_outs: { text: COMPILED, repair: [], compiles: true },
  jobs: { text: 'its node is compiled again within minutes', repair: [] },
  counters: { text: BACKUP, repair: null },
  ledgers: { text: JOB_LOST, repair: [] },
  ledger_nodes: { text: JOB_LOST, repair: [] },
  ledger_events: { text: JOB_LOST, repair: [] },
};

/**
 * Deletes damaged rows, with what `ROW_REMEDIES` says, and builds all indexes anew. No server may
 * use the directory. Returns whether all nodes have to compile. Throws StoreRefused.
 */
export function repairDatabase(directory: string): boolean {
  const lock = new ServerLock(directory);
  try {
    return withPlainConnection(directory, (connection) => {
      connection.exec('BEGIN IMMEDIATE; REINDEX;');
      const repaired = DIGESTED_TABLES.filter((table) => repairTable(connection, table));
      connection.exec('COMMIT');
      return repaired.some(({ name }) => ROW_REMEDIES[name]?.compiles);
    });
  } finally {
    lock.release();
  }
}

function repairTable(connection: DatabaseSync, table: StoredTable): boolean {
  const { repair = null } = ROW_REMEDIES[table.name] ?? {};
  if (repair === null || deleteDamagedRows(connection, table) === 0) return false;
  for (const step of repair) {
    if (typeof step === 'string') connection.exec(step);
    else step(connection);
  }
  return true;
}

function indexExports(connection: DatabaseSync): void {
  const insert = connection.prepare('INSERT INTO export_keys VALUES (?, ?, ?, ?, ?)');
  for (const row of connection.prepare('SELECT resource FROM exports').iterate()) {
    const resource: ExportedResource = JSON.parse(String(row.resource));
    const { certname, type, title } = resource;
    for (const key of ['', ...listExportKeys(resource)])
      insert.run(type, shortenName(key), exportShardOf(certname), certname, shortenName(title));
  }
}
