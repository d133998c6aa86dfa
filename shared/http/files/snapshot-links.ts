import { posix } from 'node:path';
import type { MemoryTree } from '../../puppet/environment/memory-tree.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot } from '../../puppet/environment/snapshot.ts';
import type { LinkHandling } from './file-metadata.ts';

/**
 * The symbolic links of a snapshot, by served path. The snapshot's tree has their targets; links
 * without a target are only here.
 */
export class SnapshotLinks {
  readonly #tree: MemoryTree;
  readonly #destinations = new Map<string, string>();
  /** Names of links without a target, by folder. */
  readonly #dangling = new Map<string, string[]>();

  constructor(snapshot: Snapshot, tree: MemoryTree) {
    this.#tree = tree;
    for (const [path, destination] of Object.entries(snapshot.links ?? {})) {
      const served = posix.join(SERVED_CODE_DIRECTORY, path);
      this.#destinations.set(served, destination);
      if (tree.kindOf(served) === null) this.#noteDangling(served);
    }
  }

  /** The target of the link at `path`; null when it is not a link. */
  findDestination(path: string): string | null {
    return this.#destinations.get(path) ?? null;
  }

  /**
   * Names in a folder, including links without a target; null when it is not a folder, or a link
   * that is not followed.
   */
  list(path: string, links: LinkHandling): readonly string[] | null {
    if (links === 'manage' && this.#destinations.has(path)) return null;
    const names = this.#tree.list(path);
    const dangling = this.#dangling.get(path);
    return names && dangling ? [...names, ...dangling].sort() : names;
  }

  #noteDangling(path: string): void {
    const folder = posix.dirname(path);
    this.#dangling.set(folder, [...(this.#dangling.get(folder) ?? []), posix.basename(path)]);
  }
}
