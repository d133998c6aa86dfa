import type { TreeFile } from '../../shared/puppet/environment/memory-tree.ts';
import type { Edition } from '../../shared/puppet/functions/stdlib/known-function.ts';
import { stdlibFiles } from './stdlib-files.ts';

/** Files of a module stdlib with the functions of that edition, relative to the environment. */
export function stdlibModule(edition: Edition): Record<string, TreeFile> {
  const files = Object.entries(stdlibFiles(edition));
  return Object.fromEntries(files.map(([path, file]) => [`modules/stdlib/${path}`, file]));
}
