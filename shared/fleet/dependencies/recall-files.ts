import { PRESENT } from '../../puppet/environment/file-notes.ts';
import type { FileInputs } from '../../puppet/environment/inputs.ts';
import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { DependencySummary } from '../../store/ports/node-record.ts';
import { DependencyCache } from './dependency-cache.ts';
import { ABSENT, type PresentFiles, stateOf, UNKNOWN_STATE } from './part-states.ts';

/**
 * States of files that a compile saw, in the notation of `InputSet`, as its snapshot shows them.
 * States are `UNKNOWN_STATE` when the snapshot was pruned. Null when the set's blob is missing.
 */
export async function recallFiles(
  { set, own, codeId }: DependencySummary,
  blobs: BlobStore,
): Promise<FileInputs | null> {
  const cache = new DependencyCache(blobs);
  const parts = await cache.load(set);
  if (!parts) return null;
  const code = await cache.openCode(codeId);
  const all = [own, ...parts.map(({ observations }) => observations)];
  const files = [
    ...all.flatMap(({ contents }) => contents.map((path) => [path, recallState(path, code)] as const)),
    ...all.flatMap(({ kinds }) => kinds.map((path) => [path, recallKind(path, code)] as const)),
  ];
  const keys = all.flatMap((observations) => Object.entries(observations.keys));
  const recallKeys = (present: PresentFiles | null) =>
    keys.map(([path, names]) => [path, recallValues(path, names, present)] as const);
  const dataKeys = code ? await code.read(recallKeys) : recallKeys(null);
  return { files: Object.fromEntries(files.sort(byPath)), dataKeys: Object.fromEntries(dataKeys.toSorted(byPath)) };
}

function recallState(path: string, code: PresentFiles | null): string | null {
  const state = code ? stateOf(path, code) : UNKNOWN_STATE;
  return state === ABSENT ? null : state;
}

function recallKind(path: string, code: PresentFiles | null): string | null {
  const state = recallState(path, code);
  return state === null || state === UNKNOWN_STATE || state === PRESENT.directory ? state : PRESENT.file;
}

function recallValues(
  path: string,
  names: readonly string[],
  code: PresentFiles | null,
): Readonly<Record<string, string | null>> {
  const data = code?.dataOf?.(path) ?? null;
  return Object.fromEntries(names.map((name) => [name, code ? (data?.digestOf(name) ?? null) : UNKNOWN_STATE]));
}

function byPath([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}
