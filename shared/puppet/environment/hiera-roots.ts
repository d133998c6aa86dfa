import { posix } from 'node:path';
import { parseYaml } from '../serialization/yaml.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** The end of the part of a path that is the same for all nodes: an interpolation or a glob. */
const VARIABLE = /%\{|[*?[{]/;

/**
 * The absolute files and folders that a hiera.yaml in `folder` names: folders of data, files with
 * keys, and files of other backends. Of a path that depends on the node this is the folder that all
 * nodes share. Text that is no YAML names none.
 */
export function findHieraRoots(text: string, folder: string): readonly string[] {
  const roots = new Set<string>();
  collect(readSettings(text), folder, false, roots);
  roots.delete('/');
  return [...roots];
}

function readSettings(text: string): Value {
  try {
    return parseYaml(text, { symbols: true }) ?? null;
  } catch {
    // Hiera reports the error when it reads the file.
    return null;
  }
}

function collect(value: Value, folder: string, isFolder: boolean, into: Set<string>): void {
  if (typeof value === 'string') {
    if (isFolder || value.startsWith('/')) into.add(posix.resolve(folder, findFixedFolder(value)));
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, folder, isFolder, into);
  } else if (value instanceof PuppetHash) {
    for (const [key, each] of value) collect(each, folder, String(key) === 'datadir', into);
  }
}

function findFixedFolder(path: string): string {
  const end = VARIABLE.exec(path)?.index;
  return end === undefined ? path : path.slice(0, path.lastIndexOf('/', end) + 1);
}
