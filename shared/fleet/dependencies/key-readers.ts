import type { Observations } from '../../store/ports/dependency-index.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { listFirstAffected } from './affected-nodes.ts';
import { nameOfPart } from './part-name.ts';

/** A key of Hiera, and the files where it may be; paths are relative to the code directory. */
interface WantedKey {
  readonly environment: string;
  readonly key: string;
  /** All data files of the environment. */
  readonly dataFiles: readonly string[];
  /** The data files that have the key. */
  readonly definedIn: readonly string[];
}

/**
 * The first `limit` nodes behind `after`, sorted, whose compiles looked a key up, or read a file
 * that has it as a whole, or that have a data file of their own with it. It may name nodes that do
 * not look it up any more; it never misses one that does. It reads parts of the index, which nodes
 * of a role share, and no node.
 */
export async function listKeyReaders(
  { environment, key, dataFiles, definedIn }: WantedKey,
  page: { readonly after: string | null; readonly limit: number },
  ports: Pick<Stores, 'dependencies'>,
): Promise<readonly string[]> {
  const found = await ports.dependencies.findParts(environment, new Set(dataFiles.map(nameOfPart)));
  const parts = found.filter(({ observations }) => observations === null || readsKey(observations, key, definedIn));
  return listFirstAffected(environment, { paths: definedIn, parts: new Set(parts.map(({ id }) => id)) }, page, ports);
}

/** Whether a compile asked a file for the key, or read a file that has it as a whole. */
function readsKey({ contents, keys }: Observations, key: string, definedIn: readonly string[]): boolean {
  return (
    Object.values(keys).some((some) => some.includes(key)) ||
    definedIn.some((path) => contents.includes(path) && keys[path] === undefined)
  );
}
