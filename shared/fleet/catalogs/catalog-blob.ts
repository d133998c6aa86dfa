import { constants, crc32, gunzipSync } from 'node:zlib';
import { warnOfDamage } from '../../store/damaged-blob.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { digestSha256 } from '../../util/digest.ts';
import { isLasting } from '../snapshots/snapshot-blobs.ts';
import { checkGzip, gzipChecked } from './checked-gzip.ts';

/** The reason to compile a node whose stored catalog is missing or damaged. */
export const CATALOG_LOST = 'the catalog is lost';

interface CatalogBlob {
  /** sha256 of the catalog without the fields that change with each compile. */
  readonly hash: string;
  /** Gzipped rich-data JSON, as sent to agents. */
  readonly bytes: Uint8Array;
}

/** A completed catalog, gzipped, with its hash. See `completeCatalog`. */
export function catalogBlob(catalog: string, codeId: string | null, at: number): CatalogBlob {
  const { hash, text } = completeCatalog(catalog, codeId, at);
  return { hash, bytes: gzipChecked(text, hash) };
}

/**
 * Completes the compiler's catalog (`CompileSuccess.catalog`) with `code_id`, `catalog_uuid`,
 * `catalog_format` and, unless it has one, `version` (seconds). Equal catalogs have the same hash
 * and uuid, whenever they were compiled.
 */
export function completeCatalog(
  catalog: string,
  codeId: string | null,
  at: number,
): { readonly hash: string; readonly text: string } {
  const hash = digestSha256(catalog);
  return { hash, text: withHead(catalog, codeId, at, catalogUuid(hash)) };
}

/**
 * Completes a catalog that is printed but not stored. It computes no digest, so the process starts
 * faster without loading cryptography. Equal catalogs have the same uuid, but not that of
 * `completeCatalog`.
 */
export function completePrinted(catalog: string, at: number): string {
  const quarter = Math.ceil(catalog.length / 4);
  let sum = 0;
  let sums = '';
  for (let part = 0; part < 4; part += 1) {
    sum = crc32(catalog.slice(part * quarter, (part + 1) * quarter), sum);
    sums += sum.toString(16).padStart(8, '0');
  }
  return withHead(catalog, null, at, catalogUuid(sums));
}

/** The start of a catalog whose environment gives its version. */
const OWN_VERSION = '{"version":';

function withHead(catalog: string, codeId: string | null, at: number, uuid: string): string {
  const head = {
    ...(!catalog.startsWith(OWN_VERSION) && { version: Math.floor(at / 1000) }),
    code_id: codeId,
    catalog_uuid: uuid,
    catalog_format: 2,
  };
  const start = catalog.indexOf('{') + 1;
  const rest = catalog.slice(start).trimStart();
  const separator = rest.startsWith('}') ? '' : ',';
  return JSON.stringify(head).slice(0, -1) + separator + rest;
}

/**
 * An empty catalog that names the environment of an agent. The agent then fetches the plugins of
 * that environment and asks again. Puppet: Puppet::Resource::Catalog::Compiler#find
 */
export function environmentNotice(certname: string, environment: string): string {
  return JSON.stringify({
    tags: [],
    name: certname,
    version: null,
    code_id: null,
    catalog_uuid: catalogUuid(digestSha256(JSON.stringify([certname, environment]))),
    catalog_format: 2,
    environment,
    resources: [],
    edges: [],
    classes: [],
  });
}

/**
 * Stores a completed catalog unless it exists undamaged. Returns the code id in the stored catalog:
 * that of its first compile.
 */
export async function putCatalog(
  blobs: BlobStore,
  { hash, bytes }: CatalogBlob,
  codeId: string | null,
): Promise<string | null> {
  const stored = await loadCatalog(blobs, hash);
  const known = stored ? readCodeId(stored) : undefined;
  if (known === null || (known !== undefined && (await isLasting(blobs, known)))) return known;
  // The catalog is missing, or the code that it names is about to be deleted.
  await blobs.put(catalogKey(hash), bytes);
  return codeId;
}

/** Reads the code id from a gzipped catalog, or from the start of one. */
function readCodeId(start: Uint8Array): string | null {
  const head = gunzipSync(start.subarray(0, HEAD_CHUNK), { finishFlush: constants.Z_SYNC_FLUSH });
  return /"code_id":"([^"]*)"/.exec(head.toString('utf8', 0, HEAD_BYTES))?.[1] ?? null;
}

/** `completeCatalog` writes the fields it adds first. */
const HEAD_BYTES = 256;
/** Compressed bytes that are enough for it. */
const HEAD_CHUNK = 64 * 1024;

/** Returns the key of the blob that has the catalog with this hash. */
export function catalogKey(hash: string): string {
  return `catalogs/${hash}`;
}

/** Loads the gzipped JSON of the catalog with this hash; null for a missing or damaged blob. */
export async function loadCatalog(blobs: BlobStore, hash: string): Promise<Uint8Array | null> {
  const bytes = await blobs.get(catalogKey(hash));
  if (bytes === null || checkGzip(bytes, hash)) return bytes;
  warnOfDamage(catalogKey(hash));
  return null;
}

/**
 * The `catalog_uuid` of the catalog with this hash, which agents put into their reports: a UUID
 * (version 8: custom) from the first 128 bits of a digest in hex.
 */
export function catalogUuid(hash: string): string {
  const variant = ((Number.parseInt(hash.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  return [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `${variant}${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ].join('-');
}
