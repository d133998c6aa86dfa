import { digestListing } from '../../puppet/environment/file-notes.ts';
import { ATTRIBUTE_MARK, type FileTree, listEntries } from '../../puppet/environment/file-tree.ts';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import type { Observations } from '../../store/ports/dependency-index.ts';
import { digestSha256 } from '../../util/digest.ts';

/** The files that states are of: a snapshot's, or none when an environment is not deployed. */
export interface PresentFiles {
  readonly tree: Pick<FileTree, 'kindOf' | 'list' | 'digest' | 'attribute'> | null;
  /** The keys of a data file; null for a file that is missing or is no data file. */
  readonly dataOf?: ((path: string) => { digestOf(key: string): string | null } | null) | undefined;
}

/** States of missing entries and of folders. A file's state is its digest. */
export const ABSENT = '-';
export const FOLDER = 'd';
const FILE = 'f';
/** The state of a path whose snapshot was pruned. */
export const UNKNOWN_STATE = '?';

/** The state of one observation. */
export interface ObservedState {
  readonly kind: 'file' | 'data';
  /** The path, or the key of a data file with the path. */
  readonly name: string;
  readonly state: string;
}

/** Digest of the states of all that was looked at. Equal digests: a compile sees the same. */
export function digestStates(observations: Observations, present: PresentFiles): string {
  return digestSha256(
    listStates(observations, present)
      .map(({ state }) => state)
      .join('\n'),
  );
}

/** The states of all that was looked at, in an order that follows from the observations. */
export function listStates({ contents, kinds, keys }: Observations, present: PresentFiles): readonly ObservedState[] {
  return [
    ...contents.map((path): ObservedState => ({ kind: 'file', name: path, state: stateOf(path, present) })),
    ...kinds.map((path): ObservedState => ({ kind: 'file', name: path, state: kindOf(path, present) })),
    ...Object.entries(keys).flatMap(([path, names]) => keyStates(path, names, present)),
  ];
}

/**
 * The state of a path: a file's digest, a folder, nothing; a listing for a trailing slash, an
 * attribute for its name behind the path.
 */
export function stateOf(path: string, { tree }: PresentFiles): string {
  const full = placeOf(path);
  if (!tree) return ABSENT;
  if (path.includes(ATTRIBUTE_MARK)) return attributeOf(full, tree);
  if (full.endsWith('/')) return listingOf(full.slice(0, -1), tree);
  const kind = tree.kindOf(full);
  if (kind === 'directory') return FOLDER;
  return (kind && tree.digest(full)) ?? ABSENT;
}

function attributeOf(full: string, tree: NonNullable<PresentFiles['tree']>): string {
  const [path = '', name] = full.split(ATTRIBUTE_MARK);
  if (tree.kindOf(path) === null || (name !== 'mode' && name !== 'links')) return ABSENT;
  return tree.attribute(path, name) ?? ABSENT;
}

/** A listing says of which kind an entry is: a module is a folder. */
function listingOf(folder: string, tree: NonNullable<PresentFiles['tree']>): string {
  const entries = listEntries(tree, folder);
  return entries ? digestListing(entries) : ABSENT;
}

function kindOf(path: string, { tree }: PresentFiles): string {
  const kind = tree?.kindOf(placeOf(path)) ?? null;
  if (kind === null) return ABSENT;
  return kind === 'directory' ? FOLDER : FILE;
}

/** Without keys, the whole file counts for each of them. */
function keyStates(path: string, keys: readonly string[], { tree, dataOf }: PresentFiles): readonly ObservedState[] {
  const data = dataOf?.(path) ?? null;
  const whole = data ? null : `whole ${stateOf(path, { tree })}`;
  return keys.map((key) => ({
    kind: 'data',
    name: `${key} of ${path}`,
    state: whole ?? data?.digestOf(key) ?? ABSENT,
  }));
}

function placeOf(path: string): string {
  return path.startsWith('/') ? path : `${SERVED_CODE_DIRECTORY}/${path}`;
}
