import { ATTRIBUTE_MARK } from '../../puppet/environment/file-tree.ts';

/** The part of paths outside the code directory. */
const ELSEWHERE = '/';

/**
 * The name of the part that a path belongs to: the folder that holds it, but at most two levels
 * below its environment (`environments/production/modules/ntp`, `environments/production/data`) or
 * below the code directory (`modules/ntp`). It follows from the path alone, so that a changed path
 * leads to its parts without a row for each path.
 */
export function nameOfPart(path: string): string {
  if (path.startsWith('/')) return ELSEWHERE;
  const [entry = ''] = path.replace(/\/$/, '').split(ATTRIBUTE_MARK, 1);
  const folders = entry.split('/').slice(0, -1);
  return folders.slice(0, folders[0] === 'environments' ? 4 : 2).join('/');
}
