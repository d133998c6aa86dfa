import { type CatalogDifference, diffCatalogs, type ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import { canonicalJson } from '../../util/digest.ts';
import { isJsonObject } from '../../util/json-object.ts';

/** A change that nodes notice: a resource, one of its parameters, or an order between two. */
export interface CatalogChange {
  readonly kind: 'added' | 'removed' | 'changed';
  /** `File[/etc/motd]`, or `A -> B` for an order. */
  readonly resource: string;
  /** The parameter; absent for a whole resource or an order. */
  readonly parameter?: string;
  /** Values as texts of at most 1,000 characters; absent where there is none or it is secret. */
  readonly from?: string;
  readonly to?: string;
}

const LONGEST_VALUE = 1000;

/**
 * Lists a node's changes of behaviour with the catalog `after`. Places in manifests, tags and the
 * order of resources are no changes; classes appear as resources.
 */
export function listCatalogChanges(before: ParsedCatalog, after: ParsedCatalog): readonly CatalogChange[] {
  const secret = new Set([...secretsOf(before), ...secretsOf(after)]);
  const both = sharedResources(before, after);
  return diffCatalogs(before, after).flatMap((difference) => describe(difference, secret, both));
}

function describe(
  { kind, what, name, left, right }: CatalogDifference,
  secret: ReadonlySet<string>,
  both: ReadonlySet<string>,
): readonly CatalogChange[] {
  const change = left === undefined ? 'added' : right === undefined ? 'removed' : 'changed';
  switch (kind) {
    case 'resource':
      return [{ kind: change, resource: what }];
    case 'parameter': {
      const parameter = name ?? '';
      const values = secret.has(`${what} ${parameter}`)
        ? {}
        : { ...printValue('from', left), ...printValue('to', right) };
      return [{ kind: 'changed', resource: what, parameter, ...values }];
    }
    case 'sensitive':
      return [{ kind: 'changed', resource: what, parameter: 'sensitive parameters' }];
    case 'exported':
      return [{ kind: 'changed', resource: what, parameter: 'exported', from: `${left}`, to: `${right}` }];
    case 'edge':
      return what.split(' -> ').every((end) => both.has(end)) ? [{ kind: change, resource: what }] : [];
    default:
      return [];
  }
}

function printValue(name: 'from' | 'to', value: unknown): Partial<CatalogChange> {
  if (value === undefined) return {};
  const text = typeof value === 'string' ? value : canonicalJson(value);
  return { [name]: text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text };
}

function secretsOf({ resources }: ParsedCatalog): readonly string[] {
  return resources.flatMap(({ type, title, sensitive_parameters: names = [], parameters = {} }) => {
    const rich = Object.entries(parameters).flatMap(([name, value]) => (isSensitive(value) ? [name] : []));
    return [...names, ...rich].map((name) => `${type}[${title}] ${name}`);
  });
}

function isSensitive(value: unknown): boolean {
  return isJsonObject(value) && value.__ptype === 'Sensitive';
}

function sharedResources(left: ParsedCatalog, right: ParsedCatalog): ReadonlySet<string> {
  const names = ({ resources }: ParsedCatalog) => new Set(resources.map(({ type, title }) => `${type}[${title}]`));
  return names(left).intersection(names(right));
}
