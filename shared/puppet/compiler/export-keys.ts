import type { ExportedResource } from '../catalog/exported.ts';

/** The index keys of an exported resource: one of its title, one of each of its tags. */
export function listExportKeys({ title, tags }: Pick<ExportedResource, 'title' | 'tags'>): readonly string[] {
  return [titleKey(title), ...new Set(tags.map(tagKey))];
}

/**
 * The index keys that lead to every export which a collector's filter can match: each match has at
 * least one of them. Null when no tag or title has to match, so that every export of the type must
 * be examined. `matchesFilter` describes filters.
 */
export function findFilterKeys(filter: unknown): readonly string[] | null {
  if (filter === null || filter === undefined) return null;
  if (!Array.isArray(filter)) return [];
  const [left, operator, right] = filter;
  if (operator === 'and') return pickNarrower(findFilterKeys(left), findFilterKeys(right));
  if (operator === 'or') {
    const [first, second] = [findFilterKeys(left), findFilterKeys(right)];
    return first && second && [...new Set([...first, ...second])];
  }
  if (operator !== '==' || typeof right !== 'string') return null;
  if (left === 'title') return [titleKey(right)];
  return left === 'tag' ? [tagKey(right)] : null;
}

/** Whether a key is of a title. Few exports share a title; all of a type may share a tag. */
export function isTitleKey(key: string): boolean {
  return key.startsWith(TITLE);
}

const TITLE = 'title=';
const TAG = 'tag=';

function titleKey(title: string): string {
  return TITLE + title;
}

// Puppet: tags are compared in lower case.
function tagKey(tag: string): string {
  return TAG + tag.toLowerCase();
}

/** Picks the more selective operand of an `and`, as far as known. */
function pickNarrower(left: readonly string[] | null, right: readonly string[] | null): readonly string[] | null {
  if (!left || !right) return left ?? right;
  const difference = countTags(left) - countTags(right) || left.length - right.length;
  return difference <= 0 ? left : right;
}

function countTags(keys: readonly string[]): number {
  return keys.filter((key) => !isTitleKey(key)).length;
}
