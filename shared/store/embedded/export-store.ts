import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { canonicalJson } from '../../util/digest.ts';
import { ExportReader, type ExportRows, type StoredSums } from '../export-reader.ts';
import { digestExports } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { CollectorPage, ExportChange, ExportChangeFeed, ExportStore } from '../ports/export-store.ts';
import { CollectorRows } from './collector-rows.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn } from './database.ts';
import { EmbeddedExportRows, exportKey } from './export-rows.ts';

/** Received changes that are not done are delivered again after this time. */
const CLAIM_MS = 60_000;

type Column = 'exports_generation' | 'collectors_generation';

/**
 * Exports and collectors. A replacement raises the versions of shards and writes its changes to the
 * change feed in the same transaction.
 */
export class EmbeddedExportStore implements ExportStore, ExportChangeFeed {
  readonly #database: EmbeddedDatabase;
  readonly #clock: Clock;
  readonly #rows: EmbeddedExportRows;
  readonly #collectors: CollectorRows;
  readonly #reader: ExportReader;

  /** `putSums` stores what readers summed; by default on this connection. */
  constructor(database: EmbeddedDatabase, clock: Clock, putSums?: ExportRows['putSums']) {
    const rows = new EmbeddedExportRows(database, clock);
    this.#database = database;
    this.#clock = clock;
    this.#rows = rows;
    this.#collectors = new CollectorRows(database);
    this.#reader = new ExportReader({
      readStates: (types, queries) => rows.readStates(types, queries),
      readShard: (type, keys, shard) => rows.readShard(type, keys, shard),
      listOwn: (type, certname) => rows.listOwn(type, certname),
      putSums: putSums ?? ((query, sums) => rows.putSums(query, sums)),
    });
  }

  /** Stores the sums of a query, for readers on other connections. */
  putSums(query: ExportQuery, sums: StoredSums): Promise<void> {
    return this.#rows.putSums(query, sums);
  }

  collect(queries: readonly ExportQuery[], except: string): Promise<readonly ExportedResource[]> {
    return this.#reader.collect(queries, except);
  }

  digestCollected(queries: readonly ExportQuery[], except: string): Promise<string> {
    return this.#reader.digestCollected(queries, except);
  }

  async listOwn(certname: string, types: readonly string[] | null): Promise<readonly ExportedResource[]> {
    if (types === null) return [...this.#rows.listAllOf(certname).values()];
    return (await Promise.all(types.map((type) => this.#rows.listOwn(type, certname)))).flat();
  }

  /** The versions were raised by the transaction that wrote the changes. */
  async noteChanges(): Promise<void> {}

  async replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean> {
    return this.#database.runInTransaction(() => {
      if (!this.#claim(certname, 'exports_generation', generation)) return false;
      const old = this.#rows.listAllOf(certname);
      const changes: ExportChange[] = [];
      for (const resource of resources) {
        const before = old.get(exportKey(resource)) ?? null;
        old.delete(exportKey(resource));
        if (before && canonicalJson(before) === canonicalJson(resource)) continue;
        this.#rows.put(resource, before);
        changes.push({ before, after: resource });
      }
      this.#announce(certname, [...changes, ...this.#withdraw(old.values())]);
      return true;
    });
  }

  async replaceCollectors(
    certname: string,
    generation: number,
    collectors: readonly CollectorRecord[],
    environment?: string,
  ): Promise<boolean> {
    const place = environment ?? null;
    const isCurrent = () => this.#collectors.isCurrent(certname, collectors, place);
    if (this.#generationOf(certname, 'collectors_generation') === generation && isCurrent()) return true;
    return this.#database.runInTransaction(() => {
      if (!this.#claim(certname, 'collectors_generation', generation)) return false;
      if (!isCurrent()) this.#collectors.replace(certname, collectors, place);
      return true;
    });
  }

  async listCollectors(type: string, keys: readonly string[], after: string | null): Promise<CollectorPage> {
    return this.#collectors.list(type, keys, after);
  }

  async getDigest(certname: string): Promise<string> {
    return digestExports([...this.#rows.listAllOf(certname).values()]);
  }

  async delete(certname: string): Promise<void> {
    this.#database.runInTransaction(() => {
      this.#announce(certname, this.#withdraw(this.#rows.listAllOf(certname).values()));
      this.#collectors.delete(certname);
      this.#database.run('DELETE FROM export_owners WHERE certname = ?', certname);
    });
  }

  async receive(
    limit: number,
    delayMs = 0,
  ): Promise<readonly { readonly id: number; readonly change: ExportChange }[]> {
    const now = this.#clock.now();
    const isDue = 'SELECT 1 FROM export_changes WHERE visible_at <= ? AND written_at <= ? LIMIT 1';
    if (!this.#database.get(isDue, now, now - delayMs)) return [];
    const rows = this.#database.runInTransaction(() => {
      const waiting = 'SELECT id, change FROM export_changes WHERE visible_at <= ? ORDER BY id LIMIT ?';
      const taken = this.#database.selectAll(waiting, now, limit);
      const hide = 'UPDATE export_changes SET visible_at = ? WHERE id = ?';
      for (const row of taken) this.#database.run(hide, now + CLAIM_MS, numberOfColumn(row, 'id'));
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

  #generationOf(certname: string, column: Column): number {
    const row = this.#database.get(`SELECT ${column} AS generation FROM export_owners WHERE certname = ?`, certname);
    return row ? numberOfColumn(row, 'generation') : -1;
  }

  /** Claims the node's rows for `generation`; false when a newer generation is stored. */
  #claim(certname: string, column: Column, generation: number): boolean {
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

  #withdraw(resources: Iterable<ExportedResource>): readonly ExportChange[] {
    return [...resources].map((before): ExportChange => {
      this.#rows.delete(before);
      return { before, after: null };
    });
  }

  #announce(certname: string, changes: readonly ExportChange[]): void {
    const types = new Set(changes.flatMap(({ before, after }) => (after ?? before)?.type ?? []));
    this.#rows.raiseVersions(certname, types);
    const sql = 'INSERT INTO export_changes (change, written_at) VALUES (?, ?)';
    for (const change of changes) this.#database.run(sql, JSON.stringify(change), this.#clock.now());
  }
}
