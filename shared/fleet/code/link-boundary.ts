import { realpathSync } from 'node:fs';
import { fileStat } from '../../puppet/environment/file-tree.ts';

/** The folders that symbolic links may lead to. */
export class LinkBoundary {
  readonly #roots: readonly string[];

  /** `roots` need not exist. */
  constructor(roots: readonly string[]) {
    this.#roots = roots.flatMap((root) => resolveTarget(root) ?? []);
  }

  /** Returns the target of a symbolic link if it is outside; null for inside and for nowhere. */
  findOutside(link: string): string | null {
    const target = resolveTarget(link);
    if (target === null) return null;
    const isInside = this.#roots.some((root) => target === root || target.startsWith(root === '/' ? root : `${root}/`));
    return isInside ? null : target;
  }
}

/** Null for a path that does not exist, or that leads to itself. */
function resolveTarget(path: string): string | null {
  return fileStat(path) === undefined ? null : realpathSync(path);
}
