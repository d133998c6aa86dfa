import { gunzipSync, gzipSync } from 'node:zlib';
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
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
 * What every agent asks for at each run: lib/puppet/configurer/plugin_handler.rb, downloader.rb;
 * the second, whether an environment is there.
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

/** Mounts of which listings are prepared. */
export const PREPARED_MOUNTS: ReadonlySet<string> = new Set(SEARCHES.map(({ mount }) => mount));

/** In place of the time of a deploy, which is not known before: no path can hold the quotes. */
const NO_TIME = timeOf(0);
const FORMAT = 1;

/** The name of a search's listing in `prepareListings`. */
export function getListingName({ mount, options, search }: MountSearch): string {
  const { links, checksumType, usePermissions } = options;
  const { recurse, recurseLimit, ignore, maxFiles } = search;
  return JSON.stringify([mount, links, checksumType, usePermissions, recurse, String(recurseLimit), ignore, maxFiles]);
}

/** The listings of a snapshot that every agent asks for, as a blob. */
export async function prepareListings(snapshot: Snapshot, codeId: string, blobs: BlobStore): Promise<Uint8Array> {
  const environment = await ServedEnvironment.open(snapshot, codeId, blobs);
  const listings: [string, string][] = [];
  for (const search of SEARCHES) listings.push([getListingName(search), await renderListing(environment, search)]);
  return gzipSync(JSON.stringify({ format: FORMAT, listings }));
}

/** By name; none of a blob that is missing, or of another release. */
export function readListings(blob: Uint8Array | null): ReadonlyMap<string, string> {
  const read: unknown = blob && JSON.parse(gunzipSync(blob).toString('utf8'));
  return isListings(read) ? new Map(read.listings) : new Map();
}

/** A prepared listing as it is answered of what was deployed then. */
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

/** Digests are those of the snapshot. */
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
