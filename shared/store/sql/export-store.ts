import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { canonicalJson } from '../../util/digest.ts';
import { ExportReader, type ExportRows, type StoredSums } from '../export-reader.ts';
import { digestExports } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { CollectorPage, ExportChange, ExportChangeFeed, ExportStore } from '../ports/export-store.ts';
import { deleteCollectors, hasCollectors, listCollectorRows, replaceCollectors } from './collector-rows.ts';
import { jsonOfColumn, numberOfColumn, type SqlConnection } from './connection.ts';
import { deleteExport, exportKey, putExport, raiseVersions, SqlExportRows } from './export-rows.ts';

/** Received changes that are not done are delivered again after this time. */
const CLAIM_MS = 60_000;

type Column = 'exports_generation' | 'collectors_generation';

/**
 * Exports and collectors. A replacement raises the versions of shards and writes its changes to the
 * change feed in the same transaction.
 */
export class SqlExportStore implements ExportStore, ExportChangeFeed {
  readonly #database: SqlConnection;
  readonly #clock: Clock;
  readonly #rows: SqlExportRows;
  readonly #reader: ExportReader;

  /** `putSums` stores what readers summed; by default on this connection. */
  constructor(database: SqlConnection, clock: Clock, putSums?: ExportRows['putSums']) {
    const rows = new SqlExportRows(database, clock);
    this.#database = database;
    this.#clock = clock;
    this.#rows = rows;
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
    if (types === null) return [...(await this.#rows.listAllOf(certname)).values()];
    return (await Promise.all(types.map((type) => this.#rows.listOwn(type, certname)))).flat();
  }

  /** The versions were raised by the transaction that wrote the changes. */
  async noteChanges(): Promise<void> {}

  async replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean> {
    return this.#database.runInTransaction(async (on) => {
      if (!(await claim(on, certname, 'exports_generation', generation))) return false;
      const old = await this.#rows.listAllOf(certname, on);
      const changes: ExportChange[] = [];
      for (const resource of resources) {
        const before = old.get(exportKey(resource)) ?? null;
        old.delete(exportKey(resource));
        if (before && canonicalJson(before) === canonicalJson(resource)) continue;
        await putExport(on, resource, before);
        changes.push({ before, after: resource });
      }
      await this.#announce(on, certname, [...changes, ...(await withdraw(on, old.values()))]);
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
    const isCurrent = (on: SqlConnection) => hasCollectors(on, certname, collectors, place);
    const stored = await generationOf(this.#database, certname, 'collectors_generation');
    if (stored === generation && (await isCurrent(this.#database))) return true;
    return this.#database.runInTransaction(async (on) => {
      if (!(await claim(on, certname, 'collectors_generation', generation))) return false;
      if (!(await isCurrent(on))) await replaceCollectors(on, certname, collectors, place);
      return true;
    });
  }

  async listCollectors(type: string, keys: readonly string[], after: string | null): Promise<CollectorPage> {
    return listCollectorRows(this.#database, type, keys, after);
  }

  async getDigest(certname: string): Promise<string> {
    return digestExports([...(await this.#rows.listAllOf(certname)).values()]);
  }

  async delete(certname: string): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      // Waits for another transaction that writes, also when the node has nothing yet.
      await claim(on, certname, 'exports_generation', Number.MAX_SAFE_INTEGER);
      await on.run('DELETE FROM export_owners WHERE certname = ?', certname);
      await deleteCollectors(on, certname);
      const old = await this.#rows.listAllOf(certname, on);
      await this.#announce(on, certname, await withdraw(on, old.values()));
    });
  }

  async receive(
    limit: number,
    delayMs = 0,
  ): Promise<readonly { readonly id: number; readonly change: ExportChange }[]> {
    const now = this.#clock.now();
    const isDue = 'SELECT 1 AS one FROM export_changes WHERE visible_at <= ? AND written_at <= ? LIMIT 1';
    if (!(await this.#database.get(isDue, now, now - delayMs))) return [];
    const rows = await this.#database.runInTransaction(async (on) => {
      const waiting = 'SELECT id, change FROM export_changes WHERE visible_at <= ? ORDER BY id LIMIT ?';
      const taken = await on.selectAll(`${waiting}${on.dialect.unlocked}`, now, limit);
      const hide = `UPDATE export_changes SET visible_at = ? WHERE id IN (${on.dialect.integers('?')})`;
      await on.run(hide, now + CLAIM_MS, JSON.stringify(taken.map((row) => numberOfColumn(row, 'id'))));
      return taken;
    });
    return rows.flatMap((row) => {
      const change = jsonOfColumn<ExportChange>(row, 'change');
      return change ? [{ id: numberOfColumn(row, 'id'), change }] : [];
    });
  }

  async acknowledge(ids: readonly number[]): Promise<void> {
    const { integers } = this.#database.dialect;
    await this.#database.run(`DELETE FROM export_changes WHERE id IN (${integers('?')})`, JSON.stringify(ids));
  }

  /** Makes received but unfinished changes visible again. */
  async releaseInFlight(): Promise<void> {
    await this.#database.run('UPDATE export_changes SET visible_at = 0');
  }

  async #announce(on: SqlConnection, certname: string, changes: readonly ExportChange[]): Promise<void> {
    const sql = 'INSERT INTO export_changes (change, written_at) VALUES (?, ?)';
    for (const change of changes) await on.run(sql, JSON.stringify(change), this.#clock.now());
    const types = new Set(changes.flatMap(({ before, after }) => (after ?? before)?.type ?? []));
    await raiseVersions(on, certname, types);
  }
}

async function generationOf(on: SqlConnection, certname: string, column: Column): Promise<number> {
  const row = await on.get(`SELECT ${column} AS generation FROM export_owners WHERE certname = ?`, certname);
  return row ? numberOfColumn(row, 'generation') : -1;
}

/**
 * Claims the node's rows for `generation`; false when a newer generation is stored. Others that
 * claim them wait until the transaction ends.
 */
async function claim(on: SqlConnection, certname: string, column: Column, generation: number): Promise<boolean> {
  const other: Column = column === 'exports_generation' ? 'collectors_generation' : 'exports_generation';
  const sql = `INSERT INTO export_owners (certname, ${column}, ${other}) VALUES (?, ?, 0)
    ON CONFLICT (certname) DO UPDATE SET ${column} = excluded.${column}
    WHERE export_owners.${column} <= excluded.${column}`;
  return (await on.run(sql, certname, generation)) === 1;
}

async function withdraw(on: SqlConnection, resources: Iterable<ExportedResource>): Promise<readonly ExportChange[]> {
  const changes: ExportChange[] = [];
  for (const before of resources) {
    await deleteExport(on, before);
    changes.push({ before, after: null });
  }
  return changes;
}
