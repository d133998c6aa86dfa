import type { Environment } from '../../puppet/environment/environment.ts';
import { globBelow } from '../../puppet/environment/glob.ts';

/**
 * Lists the files below `folder` whose names end in `extension`, as paths relative to `folder`:
 * those that Puppet's globs find. The list is empty when the folder does not exist.
 */
export function filesBelow(environment: Environment, folder: string, extension: string): readonly string[] {
  return globBelow(folder, extension, environment)
    .filter((path) => environment.kindOf(path) === 'file')
    .map((path) => path.slice(folder.length + 1));
}
