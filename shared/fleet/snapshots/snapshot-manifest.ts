/**
 * The blob of a snapshot, in lines: its canonical JSON without times, whose digest is the code id;
 * the packs of its contents; the digest of the line of packs; the times of its files; the digest of
 * that line. Manifests of earlier releases end before the times.
 */
import type { Snapshot } from '../../puppet/environment/snapshot.ts';
import { warnOfDamage } from '../../store/damaged-blob.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { canonicalJson, digestSha256 } from '../../util/digest.ts';
import { compressPack, decompressPack } from './pack-file.ts';
import type { PackPlan } from './pack-plan.ts';
import { snapshotBlob } from './snapshot-blobs.ts';

/** Contents that are stored and fetched together. See `planPacks`. */
export interface ContentPack {
  readonly id: string;
  /** Whether nearly every compile reads from it. */
  readonly isUsual: boolean;
  /** Snapshot paths. */
  readonly paths: readonly string[];
}

/** A stored snapshot. */
export interface SnapshotManifest {
  readonly snapshot: Snapshot;
  readonly packs: readonly ContentPack[];
}

/** A pack as stored: its files are indices of the sorted paths, each less the one before. */
interface StoredPack {
  readonly id: string;
  readonly usual: boolean;
  readonly files: readonly number[];
}

const MAGIC = Buffer.from('understudy snapshot 1\n');

/** The code id of a snapshot. The times of its files are no part of it. */
export function codeIdOf(snapshot: Snapshot): string {
  return digestSha256(printCode(snapshot));
}

function printCode({ times: _, ...code }: Snapshot): string {
  return canonicalJson(code);
}

export async function printManifest(snapshot: Snapshot, packs: readonly PackPlan[]): Promise<Uint8Array> {
  const indices = new Map(sortedPaths(snapshot).map((path, index) => [path, index]));
  const stored = packs.map(({ id, isUsual, paths }): StoredPack => {
    const files = paths.map((path) => indices.get(path) ?? 0).sort((a, b) => a - b);
    return { id, usual: isUsual, files: files.map((file, index) => file - (files[index - 1] ?? 0)) };
  });
  const list = JSON.stringify({ packs: stored });
  const times = printTimes(snapshot);
  const timeLines = times === null ? [] : [times, digestSha256(times)];
  const text = [printCode(snapshot), list, digestSha256(list), ...timeLines].join('\n');
  return Buffer.concat([MAGIC, await compressPack(Buffer.from(text))]);
}

/**
 * Reads the manifest of a snapshot. Throws StoreUnavailable when it is missing or damaged: its
 * digest is not the code id. A manifest that is cut short therefore never looks like code without
 * the rest.
 */
export async function loadManifest(blobs: BlobStore, codeId: string): Promise<SnapshotManifest> {
  const key = snapshotBlob(codeId);
  const bytes = await blobs.get(key);
  if (!bytes) throw new StoreUnavailable(`blob ${key} is missing`);
  const manifest = await readManifest(bytes, codeId);
  if (manifest) return manifest;
  warnOfDamage(key);
  throw new StoreUnavailable(`blob ${key} is damaged: its content is not a snapshot with that digest`);
}

/** Like `loadManifest`; null when it is missing or damaged. */
export async function findManifest(blobs: BlobStore, codeId: string): Promise<SnapshotManifest | null> {
  const bytes = await blobs.get(snapshotBlob(codeId));
  return bytes && readManifest(bytes, codeId);
}

/** Null for bytes that are not the manifest of that code. */
export async function readManifest(bytes: Uint8Array, codeId: string): Promise<SnapshotManifest | null> {
  const [canonical, packs, packsDigest, times, timesDigest] = await readLines(bytes);
  if (canonical === undefined || digestSha256(canonical) !== codeId) return null;
  if (packs === undefined || digestSha256(packs) !== packsDigest) return null;
  // The digests match, so the texts are what `printManifest` wrote.
  const snapshot = JSON.parse(canonical) as Snapshot;
  const paths = sortedPaths(snapshot);
  if (times === undefined) return { snapshot, packs: readPacks(packs, paths) };
  if (digestSha256(times) !== timesDigest) return null;
  return { snapshot: { ...snapshot, times: readTimes(times, paths) }, packs: readPacks(packs, paths) };
}

/** The times of the sorted paths, each less the one before; null within for a file without one. */
function printTimes(snapshot: Snapshot): string | null {
  if (snapshot.times === undefined) return null;
  let last = 0;
  const steps = sortedPaths(snapshot).map((path) => {
    const time = snapshot.times?.[path];
    if (time === undefined) return null;
    const step = time - last;
    last = time;
    return step;
  });
  return JSON.stringify(steps);
}

function readTimes(text: string, paths: readonly string[]): Readonly<Record<string, number>> {
  const steps = JSON.parse(text) as readonly (number | null)[];
  const times: Record<string, number> = {};
  let last = 0;
  for (const [index, path] of paths.entries()) {
    const step = steps[index] ?? null;
    if (step === null) continue;
    last += step;
    times[path] = last;
  }
  return times;
}

async function readLines(bytes: Uint8Array): Promise<readonly string[]> {
  if (!MAGIC.equals(bytes.subarray(0, MAGIC.length))) return [];
  try {
    return (await decompressPack(bytes.subarray(MAGIC.length))).toString('utf8').split('\n');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return [];
    throw error;
  }
}

function readPacks(text: string, paths: readonly string[]): readonly ContentPack[] {
  const { packs } = JSON.parse(text) as { readonly packs: readonly StoredPack[] };
  return packs.map(({ id, usual, files }) => {
    let index = 0;
    const named = files.map((step) => {
      index += step;
      return paths[index] ?? '';
    });
    return { id, isUsual: usual, paths: named };
  });
}

/** Paths of which every node of the environment depends on at least one. */
export function listRootPaths(environment: string): readonly string[] {
  return [`environments/${environment}`, `environments/${environment}/environment.conf`];
}

function sortedPaths({ files }: Snapshot): readonly string[] {
  return Object.keys(files).sort();
}
