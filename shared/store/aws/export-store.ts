import type { CollectorRecord, ExportedResource } from '../../puppet/catalog/exported.ts';
import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { combineDigests, resourceDigest } from '../exports-digest.ts';
import type { ExportStore } from '../ports/export-store.ts';
import { readJson, readText } from './attributes.ts';
import { type OwnedRow, OwnedRows } from './owned-rows.ts';
import type { Table } from './table.ts';

/**
 * The longest part of a sort key after the certname, in bytes; a longer one is replaced by its
 * digest. DynamoDB's limit for the whole key is 1024.
 */
const MOST_KEY_BYTES = 600;

/** Stores one item per exported resource and per collector, in two tables partitioned by type. */
export class AwsExportStore implements ExportStore {
  readonly #exports: OwnedRows;
  readonly #collectors: OwnedRows;

  constructor(exports: Table, collectors: Table) {
    this.#exports = new OwnedRows(exports);
    this.#collectors = new OwnedRows(collectors);
  }

  async exportsOf(types: readonly string[], except: string): Promise<readonly ExportedResource[]> {
    const rows = await Promise.all([...new Set(types)].map((type) => this.#exports.ofType(type)));
    return rows
      .flat()
      .flatMap((row) => readJson<ExportedResource>(row, 'resource') ?? [])
      .filter(({ certname }) => certname !== except)
      .sort(compareResources);
  }

  replaceExports(certname: string, generation: number, resources: readonly ExportedResource[]): Promise<boolean> {
    const rows = resources.map(
      (resource): OwnedRow => ({
        type: resource.type,
        id: rowId(certname, resource.title),
        digest: resourceDigest(resource),
        content: { resource: JSON.stringify(resource) },
      }),
    );
    return this.#exports.replace(certname, generation, rows);
  }

  replaceCollectors(certname: string, generation: number, collectors: readonly CollectorRecord[]): Promise<boolean> {
    const rows = new Map<string, OwnedRow>();
    for (const { type, query } of collectors) {
      const digest = digestSha256(canonicalJson(query));
      const content = { certname, query: canonicalJson(query) };
      rows.set(`${type} ${digest}`, { type, id: rowId(certname, digest), digest, content });
    }
    return this.#collectors.replace(certname, generation, [...rows.values()]);
  }

  async collectorsOf(type: string): Promise<readonly CollectorRecord[]> {
    const rows = await this.#collectors.ofType(type);
    return rows.map((row) => ({ certname: readText(row, 'certname'), type, query: readJson<unknown>(row, 'query') }));
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

function rowId(certname: string, name: string): string {
  return `${certname.replaceAll(/[%#]/g, encodeURIComponent)}#${Buffer.byteLength(name) > MOST_KEY_BYTES ? `#${digestSha256(name)}` : name}`;
}

function compareResources(a: ExportedResource, b: ExportedResource): number {
  return compare(a.certname, b.certname) || compare(a.type, b.type) || compare(a.title, b.title);
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
