import { PRESENT } from '../../puppet/environment/file-notes.ts';
import type { FileTree } from '../../puppet/environment/file-tree.ts';
import { SERVED_CODE_DIRECTORY } from '../../puppet/environment/snapshot.ts';
import { fileStates } from '../../puppet/environment/verify.ts';
import type { Observations } from '../../store/ports/dependency-index.ts';
import { digestSha256 } from '../../util/digest.ts';

/** The files that states are of: a snapshot's, or none when an environment is not deployed. */
export interface PresentFiles {
  readonly tree: FileTree | null;
  /** The keys of a data file; null for a file that is missing or is no data file. */
  readonly dataOf?: ((path: string) => { digestOf(key: string): string | null } | null) | undefined;
}

/** The state of what is missing. */
export const ABSENT = '-';
/** The state of a path whose snapshot was pruned. */
export const UNKNOWN_STATE = '?';

/** The state of one observation. */
interface ObservedState {
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

/** The state of a path, in the notation of `InputSet.files`. */
export function stateOf(path: string, { tree }: PresentFiles): string {
  return (tree && fileStates(tree, SERVED_CODE_DIRECTORY)(path)) ?? ABSENT;
}

function kindOf(path: string, { tree }: PresentFiles): string {
  const kind = tree?.kindOf(placeOf(path)) ?? null;
  return kind === null ? ABSENT : PRESENT[kind];
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
