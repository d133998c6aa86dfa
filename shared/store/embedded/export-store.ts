import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { canonicalJson } from '../../util/digest.ts';
import { exportsDigest } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { ExportChange, ExportChangeFeed, ExportStore } from '../ports/export-store.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row, textOfColumn } from './database.ts';

/** Received changes that are not done are delivered again after this time. */
const CLAIM_MS = 60_000;

/**
 * Exports and collectors. A replacement writes its changes to the change feed in the same
 * transaction.
 */
export class EmbeddedExportStore implements ExportStore, ExportChangeFeed {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Clock;

  constructor(database: EmbeddedDatabase, clock: Clock) {
    this.#database = database;
    this.#clock = clock;
  }

  async exportsOf(types: readonly string[], except: string): Promise<readonly ExportedResource[]> {
    const rows = this.#database.selectAll(
      `SELECT resource FROM exports WHERE type IN (SELECT value FROM json_each(?)) AND certname <> ?
       ORDER BY certname, type, title`,
      JSON.stringify(types),
      except,
    );
    return rows.flatMap(resourceOf);
  }

  async replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean> {
    return this.#database.runInTransaction(() => {
      if (!this.#claim(certname, 'exports_generation', generation)) return false;
      const old = this.#exportsBy(certname);
      for (const resource of resources) {
        const before = old.get(toKey(resource)) ?? null;
        old.delete(toKey(resource));
        if (before && canonicalJson(before) === canonicalJson(resource)) continue;
        this.#database.run(
          'INSERT OR REPLACE INTO exports (certname, type, title, resource) VALUES (?, ?, ?, ?)',
          certname,
          resource.type,
          resource.title,
          JSON.stringify(resource),
        );
        this.#announceChange({ before, after: resource });
      }
      for (const gone of old.values()) this.#withdraw(gone);
      return true;
    });
  }

  async replaceCollectors(
    certname: string,
    generation: number,
    collectors: readonly CollectorRecord[],
  ): Promise<boolean> {
    return this.#database.runInTransaction(() => {
      if (!this.#claim(certname, 'collectors_generation', generation)) return false;
      this.#database.run('DELETE FROM collectors WHERE certname = ?', certname);
      for (const { type, query } of collectors) {
        this.#database.run(
          'INSERT OR REPLACE INTO collectors (certname, type, query) VALUES (?, ?, ?)',
          certname,
          type,
          canonicalJson(query),
        );
      }
      return true;
    });
  }

  async collectorsOf(type: string): Promise<readonly CollectorRecord[]> {
    return this.#database
      .selectAll('SELECT * FROM collectors WHERE type = ? ORDER BY certname, query', type)
      .map(collectorOf);
  }

  async getDigest(certname: string): Promise<string> {
    return exportsDigest([...this.#exportsBy(certname).values()]);
  }

  async delete(certname: string): Promise<void> {
    this.#database.runInTransaction(() => {
      for (const gone of this.#exportsBy(certname).values()) this.#withdraw(gone);
      this.#database.run('DELETE FROM collectors WHERE certname = ?', certname);
      this.#database.run('DELETE FROM export_owners WHERE certname = ?', certname);
    });
  }

  async receive(limit: number): Promise<readonly { readonly id: number; readonly change: ExportChange }[]> {
    const now = this.#clock.now();
    const waiting = 'FROM export_changes WHERE visible_at <= ?';
    if (!this.#database.get(`SELECT 1 ${waiting} LIMIT 1`, now)) return [];
    const rows = this.#database.runInTransaction(() => {
      const taken = this.#database.selectAll(`SELECT id, change ${waiting} ORDER BY id LIMIT ?`, now, limit);
      for (const row of taken) {
        const hide = 'UPDATE export_changes SET visible_at = ? WHERE id = ?';
        this.#database.run(hide, now + CLAIM_MS, numberOfColumn(row, 'id'));
      }
      return taken;
    });
    return rows.flatMap((row) => {
      const change = jsonOfColumn<ExportChange>(row, 'change');
      return change ? [{ id: numberOfColumn(row, 'id'), change }] : [];
    });
  }

  async acknowledge(ids: readonly number[]): Promise<void> {
    this.#database.run('DELETE FROM export_changes WHERE id IN (SELECT value FROM json_each(?))', JSON.stringify(ids));
  }

  /** Makes received but unfinished changes visible again. */
  releaseInFlight(): void {
    this.#database.run('UPDATE export_changes SET visible_at = 0');
  }

  /** Claims the node's rows for `generation`; false when a newer generation is stored. */
  #claim(certname: string, column: 'exports_generation' | 'collectors_generation', generation: number): boolean {
    this.#database.run('INSERT OR IGNORE INTO export_owners VALUES (?, 0, 0)', certname);
    return (
      this.#database.run(
        `UPDATE export_owners SET ${column} = ? WHERE certname = ? AND ${column} <= ?`,
        generation,
        certname,
        generation,
      ) === 1
    );
  }

  #exportsBy(certname: string): Map<string, ExportedResource> {
    const rows = this.#database.selectAll('SELECT resource FROM exports WHERE certname = ?', certname);
    return new Map(rows.flatMap(resourceOf).map((resource) => [toKey(resource), resource]));
  }

  #withdraw(gone: ExportedResource): void {
    this.#database.run(
      'DELETE FROM exports WHERE certname = ? AND type = ? AND title = ?',
      gone.certname,
      gone.type,
      gone.title,
    );
    this.#announceChange({ before: gone, after: null });
  }

  #announceChange(change: ExportChange): void {
    this.#database.run('INSERT INTO export_changes (change) VALUES (?)', JSON.stringify(change));
  }
}

function toKey(resource: ExportedResource): string {
  return JSON.stringify([resource.type, resource.title]);
}

function resourceOf(row: Row): ExportedResource[] {
  const resource = jsonOfColumn<ExportedResource>(row, 'resource');
  return resource ? [resource] : [];
}

function collectorOf(row: Row): CollectorRecord {
  return {
    certname: textOfColumn(row, 'certname'),
    type: textOfColumn(row, 'type'),
    query: jsonOfColumn<unknown>(row, 'query'),
  };
}
