import { posix } from 'node:path';
import { PuppetError } from '../errors/puppet-error.ts';
import { describeMissingEnvironment, standardPlace } from './directory-environment.ts';
import type { InputRecorder } from './environment.ts';
import { MemoryTree, type TreeFile } from './memory-tree.ts';
import { SERVED_CODE_DIRECTORY, type Snapshot } from './snapshot.ts';
import { snapshotAttribute } from './snapshot-diff.ts';
import { TreeEnvironment } from './tree-environment.ts';

/**
 * The files, links and empty folders of a snapshot at their served paths. Created once per
 * snapshot and shared by all its compiles.
 */
export function snapshotTree(snapshot: Snapshot, readBlob: (sha256: string) => Uint8Array): MemoryTree {
  const toServed = (path: string) => `${SERVED_CODE_DIRECTORY}/${path}`;
  const files = new Map<string, TreeFile>();
  for (const path in snapshot.files) {
    const file = snapshot.files[path];
    if (file) files.set(toServed(path), new SnapshotTreeFile(file.sha256, readBlob));
  }
  return new MemoryTree(files, {
    folders: Object.keys(snapshot.folders ?? {}).map(toServed),
    links: Object.keys(snapshot.links ?? {}).map(toServed),
    attributes: (path, name) => snapshotAttribute(snapshot, posix.relative(SERVED_CODE_DIRECTORY, path), name),
  });
}

/** A file of a snapshot. There are thousands of them: it has no closures of its own. */
class SnapshotTreeFile implements TreeFile {
  readonly #sha256: string;
  readonly #readBlob: (sha256: string) => Uint8Array;

  constructor(sha256: string, readBlob: (sha256: string) => Uint8Array) {
    this.#sha256 = sha256;
    this.#readBlob = readBlob;
  }

  digest(): string {
    return this.#sha256;
  }

  readBytes(): Uint8Array {
    return this.#readBlob(this.#sha256);
  }
}

/**
 * Opens an environment of a snapshot. `readBlob` returns the bytes of `files/<sha256>`
 * synchronously, so the caller must have them in memory. Throws PuppetError when the snapshot has
 * no such environment or its environment.conf cannot be read.
 */
export function openSnapshotEnvironment(
  snapshot: Snapshot,
  codeId: string,
  tree: MemoryTree,
  inputs: InputRecorder,
): TreeEnvironment {
  const place = standardPlace(SERVED_CODE_DIRECTORY, snapshot.environment);
  if (tree.kindOf(place.root) !== 'directory') {
    throw new PuppetError(describeMissingEnvironment(snapshot.environment, posix.dirname(place.root)));
  }
  return new TreeEnvironment({
    ...place,
    tree,
    memory: tree.memory,
    inputs,
    codeId,
    globalHiera: posix.join(SERVED_CODE_DIRECTORY, 'hiera.yaml'),
  });
}
