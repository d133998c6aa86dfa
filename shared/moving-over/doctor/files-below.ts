import type { Environment } from '../../puppet/environment/environment.ts';

const DEEPEST = 12;

/**
 * Lists the files below `folder` whose names end in `extension`, as paths relative to `folder`. The
 * list is empty when the folder does not exist.
 */
export function filesBelow(environment: Environment, folder: string, extension: string, depth = 0): readonly string[] {
  if (depth > DEEPEST) return [];
  return (environment.list(folder) ?? []).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (environment.kindOf(path) === 'directory') {
      return filesBelow(environment, path, extension, depth + 1).map((below) => `${name}/${below}`);
    }
    return name.endsWith(extension) ? [name] : [];
  });
}
