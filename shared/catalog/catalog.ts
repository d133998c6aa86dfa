import { locationSuffix, PuppetError } from '../errors/puppet-error.ts';
import type { Value } from '../types/values.ts';
import type { CatalogResource } from './resource.ts';
import { TagSet } from './tags.ts';

/** Resources by reference and by alias, their containment edges, the evaluated classes, and tags. */
export class Catalog<R extends CatalogResource = CatalogResource> {
  /** The certname. */
  readonly name: string;
  readonly environment: string;
  /** Names of evaluated classes and nodes, repeated where Puppet repeats them. */
  readonly classes: string[] = [];
  readonly tags = new TagSet();
  readonly #resources: R[] = [];
  readonly #byKey = new Map<string, R>();
  readonly #targets = new Map<R, R[]>();
  readonly #sources = new Map<R, R[]>();

  constructor(name: string, environment: string) {
    this.name = name;
    this.environment = environment;
  }

  /** In the order in which they were added. */
  get resources(): readonly R[] {
    return this.#resources;
  }

  addClass(name: string): void {
    this.classes.push(name);
    this.tags.add(name);
  }

  /** The resource with that type and title, or with that alias; `type` is capitalised. */
  find(type: string, title: string): R | undefined {
    return this.#byKey.get(resourceKey(type, [title]));
  }

  /** The resource that those values of its namevars (in the order of their names) identify. */
  findByIdentity(type: string, identity: readonly Value[]): R | undefined {
    return this.#byKey.get(resourceKey(type, identity));
  }

  /** Throws when its title or one of its aliases is taken. `identity` is null for a type whose resources may be alike. */
  add(resource: R, identity: readonly Value[] | null): void {
    const key = resourceKey(resource.type, [resource.title]);
    const existing = this.#byKey.get(key);
    if (existing) throw duplicateDeclaration(resource, existing);
    this.#byKey.set(key, resource);
    this.#resources.push(resource);
    const aliases = resource.parameters.get('alias')?.value;
    if (aliases !== undefined) for (const alias of flatten(aliases)) this.alias(resource, alias);
    if (identity) this.#aliasIdentity(resource, identity);
  }

  alias(resource: R, alias: Value): void {
    if (typeof alias === 'string' && alias === resource.title) return;
    this.#setAlias(resource, [alias], inspect(alias));
  }

  addEdge(source: R, target: R): void {
    push(this.#targets, source, target);
    push(this.#sources, target, source);
  }

  hasEdge(source: R, target: R): boolean {
    return this.#targets.get(source)?.includes(target) ?? false;
  }

  /** What `resource` contains, in the order in which the edges were added. */
  targetsOf(resource: R): readonly R[] {
    return this.#targets.get(resource) ?? [];
  }

  sourcesOf(resource: R): readonly R[] {
    return this.#sources.get(resource) ?? [];
  }

  #aliasIdentity(resource: R, identity: readonly Value[]): void {
    if (identity.length === 1 && identity[0] === resource.title) return;
    if (identity.every((value) => value === null || value === false)) return;
    this.#setAlias(resource, identity, inspect(identity));
  }

  #setAlias(resource: R, alias: readonly Value[], shown: string): void {
    const key = resourceKey(resource.type, alias);
    const existing = this.#byKey.get(key);
    if (existing === resource) return;
    if (existing) throw aliasTaken(resource, existing, alias, shown);
    this.#byKey.set(key, resource);
  }
}

function resourceKey(type: string, parts: readonly Value[]): string {
  const [only] = parts;
  if (parts.length === 1 && typeof only === 'string') return `${type}\u0000${only}`;
  return `${type}\u0000${parts.map((part) => (typeof part === 'string' ? part : `\u0001${inspect(part)}`)).join('\u0000')}`;
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function flatten(value: Value): readonly Value[] {
  if (value === null) return [];
  return Array.isArray(value) ? value.flatMap((item: Value) => flatten(item)) : [value];
}

// Puppet: a DuplicateResourceError carries its place in its text, so that the place of the expression follows it.
function duplicateDeclaration(resource: CatalogResource, existing: CatalogResource): PuppetError {
  return new PuppetError(
    `Duplicate declaration: ${resource.reference} is already declared${at(existing)}; cannot redeclare${locationSuffix(resource)}`,
  );
}

function aliasTaken(
  resource: CatalogResource,
  existing: CatalogResource,
  alias: readonly Value[],
  shown: string,
): PuppetError {
  const taken = inspect([resource.type, ...alias]);
  return new PuppetError(
    `Cannot alias ${resource.reference} to ${shown}${at(resource)}; resource ${taken} already declared${locationSuffix(existing)}`,
  );
}

/** ` at (file: x, line: n)`, or '' when no place is known. */
export function at({ file, line }: { readonly file: string | undefined; readonly line: number | undefined }): string {
  const suffix = locationSuffix({ file, line });
  return suffix === '' ? '' : ` at${suffix}`;
}

/** As Ruby's `inspect` for the values that identify resources. */
function inspect(value: Value): string {
  if (value === null) return 'nil';
  if (typeof value === 'string') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item: Value) => inspect(item)).join(', ')}]`;
  return String(value);
}
