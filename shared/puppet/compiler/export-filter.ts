import type { ExportedResource } from '../catalog/exported.ts';

/**
 * Whether an export matches a collector's filter: `null`, `[attribute, op, value]`, or `[left,
 * 'and' | 'or', right]`.
 */
export function matchesFilter(resource: ExportedResource, filter: unknown): boolean {
  if (filter === null || filter === undefined) return true;
  if (!Array.isArray(filter)) return false;
  const [left, operator, right] = filter;
  if (operator === 'and') return matchesFilter(resource, left) && matchesFilter(resource, right);
  if (operator === 'or') return matchesFilter(resource, left) || matchesFilter(resource, right);
  const found = valuesOf(resource, String(left)).some((value) => isSame(value, wantedValue(left, right)));
  return operator === '==' ? found : !found;
}

function valuesOf(resource: ExportedResource, attribute: string): readonly unknown[] {
  if (attribute === 'title') return [resource.title];
  if (attribute === 'tag') return resource.tags.map((tag) => tag.toLowerCase());
  const value = resource.parameters[attribute];
  return Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value ?? null];
}

// Puppet: tags are stored and compared in lower case (PuppetDB's terminus, build_predicate).
function wantedValue(attribute: unknown, value: unknown): unknown {
  return attribute === 'tag' && typeof value === 'string' ? value.toLowerCase() : value;
}

function isSame(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'bigint' || typeof wanted === 'bigint') return String(value) === String(wanted);
  return value === wanted;
}
