import type { DatabaseSync } from 'node:sqlite';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { findFilterKeys, listExportKeys } from '../../puppet/compiler/export-keys.ts';
import { exportShardOf } from '../export-shards.ts';

/**
 * Indexes the exports and collectors of a database of an earlier release, which had them by type
 * only. Does nothing once that is done.
 */
export function indexEarlierExports(connection: DatabaseSync): void {
  indexExports(connection);
  if (connection.prepare("SELECT 1 FROM sqlite_master WHERE name = 'collectors'").get()) moveCollectors(connection);
}

function indexExports(connection: DatabaseSync): void {
  const isIndexed = connection.prepare('SELECT 1 FROM export_keys LIMIT 1').get();
  if (isIndexed || !connection.prepare('SELECT 1 FROM exports LIMIT 1').get()) return;
  const insert = connection.prepare('INSERT OR REPLACE INTO export_keys VALUES (?, ?, ?, ?, ?)');
  for (const row of connection.prepare('SELECT resource FROM exports').iterate()) {
    const resource: ExportedResource = JSON.parse(String(row.resource));
    const { certname, type, title } = resource;
    for (const key of ['', ...listExportKeys(resource)])
      insert.run(type, key, exportShardOf(certname), certname, title);
  }
}

function moveCollectors(connection: DatabaseSync): void {
  const insert = connection.prepare('INSERT OR REPLACE INTO collector_keys VALUES (?, ?, ?, ?, NULL)');
  for (const row of connection.prepare('SELECT certname, type, query FROM collectors').all()) {
    const query = String(row.query);
    for (const key of findFilterKeys(JSON.parse(query)) ?? ['']) {
      insert.run(String(row.type), key, String(row.certname), query);
    }
  }
  connection.exec('DROP TABLE collectors');
}
