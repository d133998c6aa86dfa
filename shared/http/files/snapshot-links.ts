import { posix } from 'node:path';
import type { MemoryTree } from '../../puppet/environment/memory-tree.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot } from '../../puppet/environment/snapshot.ts';
import type { LinkHandling } from './file-metadata.ts';

/**
 * The symbolic links of a snapshot, by served path. The snapshot's tree has their targets.
 */
export class SnapshotLinks {
  readonly #tree: MemoryTree;
  readonly #destinations = new Map<string, string>();

  constructor(snapshot: Snapshot, tree: MemoryTree) {
    this.#tree = tree;
    for (const [path, destination] of Object.entries(snapshot.links ?? {})) {
      this.#destinations.set(posix.join(SERVED_CODE_DIRECTORY, path), destination);
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
    return this.#tree.list(path);
  }
}
