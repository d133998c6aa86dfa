import { crc32 } from 'node:zlib';
import type { InputSet } from '../../puppet/environment/inputs.ts';
import type { FirstReads, ReadPlace } from '../../puppet/environment/read-site.ts';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import { isJsonObject } from '../../util/json-object.ts';
import { readZippedJson } from '../../util/zipped-json.ts';

/**
 * The places of a compile's first reads. Inputs are named by their order alone, which the node's
 * record gives: a list of 500 places takes 3 KB. Blob `readers/<certname>`.
 */
interface FirstReaders {
  /** Paths in the code directory. */
  readonly files: readonly string[];
  readonly lists: Readonly<Record<ReadKind, PlaceList>>;
}

type ReadKind = keyof FirstReads;

interface PlaceList {
  /** The checksum of the names: places of other names are not taken for theirs. */
  readonly names: number;
  /** `<index of the file>:<line>` for each name in order, or nothing; joined by commas. */
  readonly places: string;
}

/** The inputs of a compile by kind. */
export type NamedInputs = Readonly<Record<ReadKind, readonly string[]>>;

/** The names of what a compile read. */
export function listNamedInputs({
  facts,
  trusted,
  files,
  dataKeys,
}: Pick<InputSet, 'facts' | 'trusted' | 'files' | 'dataKeys'>): NamedInputs {
  return {
    facts: Object.keys(facts),
    trusted: Object.keys(trusted),
    keys: Object.values(dataKeys).flatMap((keys) => Object.keys(keys)),
    files: Object.keys(files),
  };
}

function readersKey(certname: string): string {
  return `readers/${certname}`;
}

/**
 * Stores where a compile of a node read its inputs, unless that is as it was: `known`, which the
 * last call returned. Returns the checksum for the node's record; undefined when nothing is kept.
 * Call it before the commit: the blob of a compile that was not committed does not have the
 * checksum of the record, and its next compile stores it again.
 */
export async function keepReaders(
  blobs: Pick<BlobStore, 'put'>,
  certname: string,
  readers: FirstReaders | null,
  known: number | undefined,
): Promise<number | undefined> {
  if (readers === null) return undefined;
  const text = JSON.stringify(readers);
  const checksum = crc32(text);
  if (checksum !== known) await blobs.put(readersKey(certname), new TextEncoder().encode(text));
  return checksum;
}

/**
 * Loads what `keepReaders` stored of the compile whose record has this checksum; null without it,
 * when it is damaged, and when it belongs to a compile that was not committed.
 */
export async function loadReaders(
  blobs: Pick<BlobStore, 'get'>,
  certname: string,
  checksum: number | undefined,
): Promise<FirstReaders | null> {
  const bytes = checksum === undefined ? null : await blobs.get(readersKey(certname));
  if (bytes === null || crc32(bytes) !== checksum) return null;
  const stored = readZippedJson(bytes);
  return isJsonObject(stored) && isJsonObject(stored.lists) ? (stored as unknown as FirstReaders) : null;
}

export async function deleteReaders(blobs: Pick<BlobStore, 'delete'>, certname: string): Promise<void> {
  await blobs.delete(readersKey(certname));
}

/** Beyond it, readers are not kept: a compile with tens of thousands of inputs. */
const LONGEST = 48 * 1024;

/** Prints the places of all inputs; null when they are too many. */
export function printFirstReaders(reads: FirstReads, inputs: NamedInputs): FirstReaders | null {
  const files = new Map<string, number>();
  const print = (kind: ReadKind) => printPlaces(sortNames(inputs[kind]), reads[kind], files);
  const lists = { facts: print('facts'), trusted: print('trusted'), keys: print('keys'), files: print('files') };
  const length = Object.values(lists).reduce((sum, { places }) => sum + places.length, 0);
  return length > LONGEST ? null : { files: [...files.keys()], lists };
}

/** The places of the inputs of one kind, by name; empty when the readers are those of others. */
export function recallReaders(
  { files, lists }: FirstReaders,
  kind: ReadKind,
  names: readonly string[],
): ReadonlyMap<string, ReadPlace> {
  const sorted = sortNames(names);
  const { names: checksum, places } = lists[kind];
  const found = new Map<string, ReadPlace>();
  if (checksum !== checksumOf(sorted)) return found;
  for (const [index, text] of places.split(',').entries()) {
    const [place = '', line = ''] = text.split(':');
    const [name, file] = [sorted[index], place === '' ? undefined : files[Number(place)]];
    if (name !== undefined && file !== undefined) found.set(name, { file, line: Number(line) });
  }
  return found;
}

function printPlaces(
  names: readonly string[],
  places: ReadonlyMap<string, ReadPlace>,
  files: Map<string, number>,
): PlaceList {
  const printed = names.map((name) => {
    const place = places.get(name);
    if (place === undefined) return '';
    const file = toCodePath(place.file);
    const index = files.get(file) ?? files.size;
    files.set(file, index);
    return `${index}:${place.line}`;
  });
  return { names: checksumOf(names), places: printed.join(',') };
}

/** Names are in order already where they come from a compile. */
function sortNames(names: readonly string[]): readonly string[] {
  const isInOrder = names.every((name, index) => index === 0 || (names[index - 1] ?? '') < name);
  return isInOrder ? names : [...new Set(names)].sort();
}

function checksumOf(names: readonly string[]): number {
  return crc32(names.join('\n'));
}

function toCodePath(path: string): string {
  return path.startsWith(`${SERVED_CODE_DIRECTORY}/`) ? path.slice(SERVED_CODE_DIRECTORY.length + 1) : path;
}
