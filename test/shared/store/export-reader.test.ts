import { beforeEach, describe, expect, it } from 'vitest';
import type { ExportedResource } from '../../../shared/puppet/catalog/exported.ts';
import { listExportKeys } from '../../../shared/puppet/compiler/export-keys.ts';
import type { ExportQuery } from '../../../shared/puppet/compiler/exported-collection.ts';
import {
  type ExportPage,
  ExportReader,
  type ExportRows,
  type StoredSums,
} from '../../../shared/store/export-reader.ts';
import { ALL_EXPORT_SHARDS, exportShardOf } from '../../../shared/store/export-shards.ts';
import { digestCollected, queryText } from '../../../shared/store/exports-digest.ts';

/** Rows in memory that count how often shards are read. */
class CountedRows implements ExportRows {
  readonly resources: ExportedResource[] = [];
  readonly versions = new Map<number, string>();
  readonly sums = new Map<string, StoredSums>();
  reads: (number | null)[] = [];
  puts = 0;

  async readStates(types: readonly string[], queries: readonly ExportQuery[]) {
    const versions = ALL_EXPORT_SHARDS.map((shard) => this.versions.get(shard) ?? '');
    return {
      versions: new Map(types.map((type) => [type, versions])),
      sums: new Map(queries.map((query) => [queryText(query), this.sums.get(queryText(query)) ?? []])),
    };
  }

  async putSums(query: ExportQuery, sums: StoredSums): Promise<void> {
    this.puts += 1;
    this.sums.set(queryText(query), sums);
  }

  async *readShard(type: string, keys: readonly string[] | null, shard: number | null): AsyncIterable<ExportPage> {
    this.reads.push(shard);
    const found = this.resources.filter(
      (one) =>
        one.type === type &&
        (shard === null || exportShardOf(one.certname) === shard) &&
        (keys === null || listExportKeys(one).some((key) => keys.includes(key))),
    );
    for (const resource of found) yield { resources: [resource], bytes: JSON.stringify(resource).length };
  }

  async listOwn(type: string, certname: string): Promise<readonly ExportedResource[]> {
    return this.resources.filter((one) => one.type === type && one.certname === certname);
  }

  export(certname: string, title: string, size = 0): void {
    const parameters = { text: 'x'.repeat(size) };
    this.resources.push({ certname, type: 'Host', title, tags: ['all'], parameters });
    this.versions.set(exportShardOf(certname), `${this.resources.length}`);
  }
}

const WHOLE = { type: 'Host', query: null };
const TAGGED = { type: 'Host', query: ['tag', '==', 'all'] };
const TITLED = { type: 'Host', query: ['title', '==', 'x'] };
let rows: CountedRows;
beforeEach(() => {
  rows = new CountedRows();
  for (const certname of ['a', 'b', 'c']) rows.export(certname, 'x');
});

/** The shards that a new process reads to find the digest. */
async function readFor(query: ExportQuery): Promise<readonly (number | null)[]> {
  rows.reads = [];
  await new ExportReader(rows).digestCollected([query], 'nobody');
  return rows.reads;
}

describe('the digest of a query', () => {
  it.each([
    ['the whole type', WHOLE],
    ['a tag', TAGGED],
  ])('of %s reads the shards that changed, once for all nodes', async (_, query) => {
    expect(await readFor(query)).toEqual(ALL_EXPORT_SHARDS);
    expect(await readFor(query)).toEqual([]);
    rows.export('b', 'y');
    expect(await readFor(query)).toEqual([exportShardOf('b')]);
    expect(await readFor(query)).toEqual([]);
    expect(rows.puts).toBe(2);
  });

  it('of a title reads all that have it at once', async () => {
    expect(await readFor(TITLED)).toEqual([null]);
    rows.export('b', 'y');
    expect(await readFor(TITLED)).toEqual([null]);
    expect(await readFor(TITLED)).toEqual([]);
  });

  it.each(['nobody', 'a', 'b'])('leaves out what %s exports itself', async (except) => {
    const others = rows.resources.filter(({ certname }) => certname !== except);
    for (const queries of [[WHOLE], [TAGGED, TITLED], [TITLED, TITLED]]) {
      const digest = await new ExportReader(rows).digestCollected(queries, except);
      expect(digest).toBe(digestCollected(queries, others));
    }
  });
});

describe('collected exports', () => {
  it('stay in memory until the version of their shard is raised', async () => {
    const reader = new ExportReader(rows);
    for (const except of ['a', 'b']) await reader.collect([WHOLE], except);
    expect(rows.reads).toEqual(ALL_EXPORT_SHARDS);
    rows.export('b', 'y');
    const found = await reader.collect([WHOLE], 'a');
    expect(found.map(({ certname, title }) => `${certname} ${title}`)).toEqual(['b x', 'b y', 'c x']);
    expect(rows.reads).toEqual([...ALL_EXPORT_SHARDS, exportShardOf('b')]);
  });

  it('do not stay in memory when they are large', async () => {
    const reader = new ExportReader(rows);
    for (const title of ['y', 'z', 'w']) rows.export('b', title, 1024 * 1024);
    for (const except of ['a', 'c']) expect(await reader.collect([WHOLE], except)).toHaveLength(5);
    expect(rows.reads).toEqual([...ALL_EXPORT_SHARDS, exportShardOf('b')]);
  });
});
