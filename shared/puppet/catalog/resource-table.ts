import { ISSUES } from '../errors/issues/catalogue.ts';
import { locationSuffix, PuppetError } from '../errors/puppet-error.ts';
import { inspectRuby } from '../types/format/ruby-text.ts';
import type { Value } from '../types/values/values.ts';
import type { CatalogResource } from './resource.ts';

/**
 * Resources in the order in which they were added, with an index by type and title, alias or
 * namevars.
 */
export class ResourceTable<R extends CatalogResource = CatalogResource> {
  readonly #resources: R[] = [];
  /** Resources by type, then by title, alias or identity. */
  readonly #byType = new Map<string, Map<string, R>>();

  /** All resources, in the order in which they were added. */
  get resources(): readonly R[] {
    return this.#resources;
  }

  /** The resource with this type and this title or alias. `type` is capitalised. */
  find(type: string, title: string): R | undefined {
    return this.#byType.get(type)?.get(title);
  }

  /** The resource with these namevar values, given in the order of the namevars' names. */
  findByIdentity(type: string, identity: readonly Value[]): R | undefined {
    return this.#byType.get(type)?.get(keyOf(flattenValues(identity)));
  }

  /**
   * Adds a resource. Throws when its title or one of its aliases is taken. `identity` has the
   * values of its namevars; null for a type that permits duplicates.
   */
  add(resource: R, identity: readonly Value[] | null): void {
    const { type, title } = resource;
    const ofType = this.#byType.get(type);
    const existing = ofType?.get(title);
    if (existing) throw duplicateDeclaration(resource, existing);
    if (ofType) ofType.set(title, resource);
    else this.#byType.set(type, new Map<string, R>().set(title, resource));
    this.#resources.push(resource);
    this.onAdd(resource);
    const aliases = resource.parameters.get('alias')?.value;
    if (aliases !== undefined) for (const alias of flatten(aliases)) this.addAlias(resource, alias);
    if (identity) this.#aliasIdentity(resource, identity);
  }

  /** Called for each resource after it got its place in the order. */
  protected onAdd(_resource: R): void {}

  /** Removes a resource with its aliases. */
  remove(resource: R): void {
    const index = this.#resources.indexOf(resource);
    if (index < 0) return;
    this.#resources.splice(index, 1);
    const ofType = this.#byType.get(resource.type);
    for (const [key, one] of [...(ofType ?? [])]) if (one === resource) ofType?.delete(key);
  }

  addAlias(resource: R, alias: Value): void {
    if (typeof alias === 'string' && alias === resource.title) return;
    this.#setAlias(resource, [alias], inspectRuby(alias));
  }

  #aliasIdentity(resource: R, identity: readonly Value[]): void {
    if (identity.length === 1 && identity[0] === resource.title) return;
    if (identity.every((value) => value === null || value === false)) return;
    this.#setAlias(resource, identity, inspectRuby(identity));
  }

  #setAlias(resource: R, alias: readonly Value[], shown: string): void {
    const ofType = this.#byType.get(resource.type) ?? new Map<string, R>();
    const key = keyOf(flattenValues(alias));
    const existing = ofType.get(key);
    if (existing === resource) return;
    if (existing) throw aliasTaken(resource, existing, alias, shown);
    this.#byType.set(resource.type, ofType.set(key, resource));
  }
}

function keyOf(parts: readonly Value[]): string {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'string') return only;
  return parts.map((part) => (typeof part === 'string' ? part : `\u0001${inspectRuby(part)}`)).join('\u0000');
}

// Puppet: nested lists of values are flattened (Catalog#alias).
function flattenValues(values: readonly Value[]): readonly Value[] {
  return values.some((value) => Array.isArray(value))
    ? values.flatMap((value) => (Array.isArray(value) ? flattenValues(value) : [value]))
    : values;
}

function flatten(value: Value): readonly Value[] {
  if (value === null) return [];
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}

// Puppet: a DuplicateResourceError has its place in its text, and the place of the expression
// follows.
function duplicateDeclaration(resource: CatalogResource, existing: CatalogResource): PuppetError {
  return new PuppetError(
    ISSUES.DUPLICATE_DECLARATION({
      reference: resource.reference,
      earlier: formatPlace(existing),
      place: locationSuffix(resource),
    }),
  );
}

function aliasTaken(
  resource: CatalogResource,
  existing: CatalogResource,
  alias: readonly Value[],
  shown: string,
): PuppetError {
  const taken = inspectRuby([resource.type, ...flattenValues(alias)]);
  return new PuppetError(
    ISSUES.ALIAS_ALREADY_DECLARED({
      reference: resource.reference,
      alias: shown,
      place: formatPlace(resource),
      taken: `${taken} already declared${locationSuffix(existing)}`,
    }),
  );
}

/** ` at (file: x, line: n)`; '' when no place is known. */
export function formatPlace({
  file,
  line,
}: {
  readonly file: string | undefined;
  readonly line: number | undefined;
}): string {
  const suffix = locationSuffix({ file, line });
  return suffix === '' ? '' : ` at${suffix}`;
}
