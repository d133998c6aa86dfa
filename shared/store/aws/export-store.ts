import { randomUUID } from 'node:crypto';
import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { listExportKeys } from '../../puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../puppet/compiler/exported-collection.ts';
import { ExportReader } from '../export-reader.ts';
import { exportShardOf } from '../export-shards.ts';
import { combineDigests, digestStored } from '../exports-digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { CollectorPage, ExportChange, ExportStore } from '../ports/export-store.ts';
import { collectorRows, listCollectors } from './collector-rows.ts';
import { pointerPartition, rowId, shardPartition, typeOfPartition } from './export-keys.ts';
import { AwsExportRows } from './export-rows.ts';
import { type OwnedRow, OwnedRows } from './owned-rows.ts';
import type { Table } from './table.ts';

/**
 * Exports and collectors in two tables. The exports table's stream delivers the changes; the
 * function that receives them calls `noteChanges`.
 */
export class AwsExportStore implements ExportStore {
  readonly #exports: OwnedRows;
  readonly #collectors: OwnedRows;
  readonly #collectorsTable: Table;
  readonly #rows: AwsExportRows;
  readonly #reader: ExportReader;

  constructor(exports: Table, collectors: Table, clock: Pick<Clock, 'now'>) {
    this.#exports = new OwnedRows(exports);
    this.#collectors = new OwnedRows(collectors);
    this.#collectorsTable = collectors;
    this.#rows = new AwsExportRows(exports, clock);
    this.#reader = new ExportReader(this.#rows);
  }

  collect(queries: readonly ExportQuery[], except: string): Promise<readonly ExportedResource[]> {
    return this.#reader.collect(queries, except);
  }

  digestCollected(queries: readonly ExportQuery[], except: string): Promise<string> {
    return this.#reader.digestCollected(queries, except);
  }

  async listOwn(certname: string, types: readonly string[] | null): Promise<readonly ExportedResource[]> {
    const wanted = types ?? [...new Set((await this.#exports.listPartitions(certname)).map(typeOfPartition))];
    return (await Promise.all(wanted.map((type) => this.#rows.listOwn(type, certname)))).flat();
  }

  async noteChanges(changes: readonly ExportChange[]): Promise<void> {
    const changed = changes.flatMap(({ before, after }) => [before ?? [], after ?? []].flat());
    for (const [type, ofType] of Map.groupBy(changed, (resource) => resource.type)) {
      const shards = new Set(ofType.map(({ certname }) => exportShardOf(certname)));
      await this.#rows.raiseVersions(type, shards, randomUUID());
    }
  }

  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean> {
    return this.#exports.replace(certname, generation, resources.map(exportRow));
  }

  replaceCollectors(
    certname: string,
    generation: number,
    collectors: readonly CollectorRecord[],
    environment?: string,
  ): Promise<boolean> {
    return this.#collectors.replace(certname, generation, collectorRows(certname, collectors, environment));
  }

  listCollectors(type: string, keys: readonly string[], after: string | null): Promise<CollectorPage> {
    return listCollectors(this.#collectorsTable, type, keys, after);
  }

  async getDigest(certname: string): Promise<string> {
    const digests = await this.#exports.listDigests(certname);
    return digests ? combineDigests(digests) : 'being written';
  }

  async delete(certname: string): Promise<void> {
    await this.#exports.delete(certname);
    await this.#collectors.delete(certname);
  }
}

function exportRow(resource: ExportedResource): OwnedRow {
  const { certname, type, title } = resource;
  const shard = exportShardOf(certname);
  const id = rowId(certname, title);
  return {
    type: shardPartition(type, shard),
    id,
    digest: digestStored(resource),
    content: { resource: JSON.stringify(resource) },
    pointers: listExportKeys(resource).map((key) => pointerPartition(type, key, shard)),
    markers: [],
  };
}
