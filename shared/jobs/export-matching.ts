import type { CollectorRecord, ExportedResource } from '../catalog/exported.ts';
import { canonicalJson } from '../util/digest.ts';

/**
 * Whether a collector's query takes an exported resource. A query of a shape that is not known takes everything: a node too
 * many is verified, none is missed.
 */
export function collects(query: unknown, resource: ExportedResource): boolean {
  if (!Array.isArray(query) || query.length !== 3) return true;
  const [left, operator, right]: unknown[] = query;
  switch (operator) {
    case 'and':
      return collects(left, resource) && collects(right, resource);
    case 'or':
      return collects(left, resource) || collects(right, resource);
    case '==':
      return typeof left !== 'string' || hasValue(left, right, resource);
    case '!=':
      return typeof left !== 'string' || !equals(attribute(left, resource), right);
    default:
      return true;
  }
}

/** The resources that one of the collectors takes. */
export function collected(
  collectors: readonly Pick<CollectorRecord, 'type' | 'query'>[],
  resources: readonly ExportedResource[],
): readonly ExportedResource[] {
  return resources.filter((resource) =>
    collectors.some(({ type, query }) => type === resource.type && collects(query, resource)),
  );
}

// Puppet: a tag or one element of an array is enough for `==`, lib/puppet/pops/evaluator/collector_transformer.rb.
function hasValue(name: string, expected: unknown, resource: ExportedResource): boolean {
  if (name === 'tag') {
    const tags = (Array.isArray(expected) ? expected : [expected]).map((tag) => String(tag).toLowerCase());
    return tags.some((tag) => resource.tags.includes(tag));
  }
  const value = attribute(name, resource);
  return Array.isArray(value) ? value.some((item) => equals(item, expected)) : equals(value, expected);
}

function attribute(name: string, resource: ExportedResource): unknown {
  return name === 'title' ? resource.title : (resource.parameters[name] ?? null);
}

/** Puppet's `==` over rich data: strings without regard to case. */
function equals(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null).toLowerCase() === canonicalJson(b ?? null).toLowerCase();
}
