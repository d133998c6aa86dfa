import { gzipSync } from 'node:zlib';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { readZippedJson } from '../../util/zipped-json.ts';
import { Checksums, formatTimestamp } from './checksum.ts';
import { filesetMetadata, type MetadataOptions } from './file-metadata.ts';
import type { SearchOptions } from './fileset.ts';
import { ServedEnvironment } from './served-environment.ts';

/** A search of a whole mount. */
interface MountSearch {
  readonly mount: string;
  readonly options: MetadataOptions;
  readonly search: SearchOptions;
}

const IGNORED = ['.svn', 'CVS', '.git', '.hg'];

/**
 * Requests that every agent sends in each run: lib/puppet/configurer/plugin_handler.rb,
 * downloader.rb. The second one checks whether an environment exists.
 */
const SEARCHES: readonly MountSearch[] = [
  wholeMount('plugins', false, IGNORED),
  {
    ...wholeMount('plugins', false, []),
    options: metadataOptions('manage', false),
    search: { ...searchEverything(), recurse: false, maxFiles: 0 },
  },
  wholeMount('pluginfacts', true, IGNORED),
  wholeMount('locales', false, [...IGNORED, '*.pot', 'config.yaml']),
];

/** Mounts with precomputed listings. */
export const PREPARED_MOUNTS: ReadonlySet<string> = new Set(SEARCHES.map(({ mount }) => mount));

/**
 * Placeholder for the deploy time, which is unknown before the deploy. It is unambiguous, because
 * no path can hold its quotes.
 */
const NO_TIME = timeOf(0);
const FORMAT = 1;

/** The name of a search's listing in `prepareListings`. */
export function getListingName({ mount, options, search }: MountSearch): string {
  const { links, checksumType, usePermissions } = options;
  const { recurse, recurseLimit, ignore, maxFiles } = search;
  return JSON.stringify([mount, links, checksumType, usePermissions, recurse, String(recurseLimit), ignore, maxFiles]);
}

/** Makes the snapshot's listings that every agent requests, as a blob. */
export async function prepareListings(snapshot: Snapshot, codeId: string, blobs: BlobStore): Promise<Uint8Array> {
  const environment = await ServedEnvironment.open(snapshot, codeId, blobs);
  const listings: [string, string][] = [];
  for (const search of SEARCHES) listings.push([getListingName(search), await renderListing(environment, search)]);
  return gzipSync(JSON.stringify({ format: FORMAT, listings }));
}

/** Reads listings by name; empty for a missing or damaged blob, or another release's format. */
export function readListings(blob: Uint8Array | null): ReadonlyMap<string, string> {
  const read = blob && readZippedJson(blob);
  return isListings(read) ? new Map(read.listings) : new Map();
}

/** Inserts the deploy time into a precomputed listing. */
export function fillListing(text: string, deployedAt: number): string {
  return text.replaceAll(NO_TIME, timeOf(deployedAt));
}

async function renderListing(environment: ServedEnvironment, { mount, options, search }: MountSearch): Promise<string> {
  const searched = environment.findSearched({ mount, path: '', certname: '' });
  if (searched === null) throw new Error(`invariant: the mount ${mount} is always there`);
  const found = environment.list(searched, search, options.links);
  const context = { ...options, checksums: NO_CONTENT, deployedAt: 0 };
  return JSON.stringify(await filesetMetadata(environment, found, context));
}

/** The snapshot has the digests. */
const NO_CONTENT = new Checksums(async () => {
  throw new Error('invariant: a listing with sha256 needs no content');
});

function wholeMount(mount: string, usePermissions: boolean, ignore: readonly string[]): MountSearch {
  return { mount, options: metadataOptions('follow', usePermissions), search: { ...searchEverything(), ignore } };
}

function metadataOptions(links: MetadataOptions['links'], usePermissions: boolean): MetadataOptions {
  return { links, checksumType: 'sha256', usePermissions };
}

function searchEverything(): SearchOptions {
  return { recurse: true, recurseLimit: Number.POSITIVE_INFINITY, ignore: [], maxFiles: -1 };
}

function timeOf(deployedAt: number): string {
  return `"value":"{ctime}${formatTimestamp(deployedAt)}"`;
}

function isListings(value: unknown): value is { listings: [string, string][] } {
  return (
    typeof value === 'object' && value !== null && 'format' in value && value.format === FORMAT && 'listings' in value
  );
}
