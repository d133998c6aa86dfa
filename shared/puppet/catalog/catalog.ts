import { invariant } from '../errors/puppet-error.ts';
import type { CatalogResource } from './resource.ts';
import { ResourceTable } from './resource-table.ts';
import { TagSet } from './tags.ts';

/**
 * Resources by reference and by alias, their containment edges, the evaluated classes, and tags.
 */
export class Catalog<R extends CatalogResource = CatalogResource> extends ResourceTable<R> {
  /** The certname. */
  readonly name: string;
  readonly environment: string;
  /** Names of evaluated classes and nodes, repeated where Puppet repeats them. */
  readonly classes: string[] = [];
  readonly tags = new TagSet();
  /** What each resource contains and what contains it, by its place among all; null for nothing. */
  readonly #targets: (R[] | null)[] = [];
  readonly #sources: (R[] | null)[] = [];

  constructor(name: string, environment: string) {
    super();
    this.name = name;
    this.environment = environment;
  }

  addClass(name: string): void {
    this.classes.push(name);
    this.tags.add(name);
  }

  protected override onAdd(resource: R): void {
    resource.place = this.#targets.length;
    this.#targets.push(null);
    this.#sources.push(null);
  }

  /** Both must have been added. */
  addEdge(source: R, target: R): void {
    push(this.#targets, source, target);
    push(this.#sources, target, source);
  }

  /** With what leads to it and away from it. */
  override remove(resource: R): void {
    for (const source of this.sourcesOf(resource)) drop(this.#targets[source.place], resource);
    for (const target of this.targetsOf(resource)) drop(this.#sources[target.place], resource);
    this.#targets[resource.place] = null;
    this.#sources[resource.place] = null;
    super.remove(resource);
  }

  hasEdge(source: R, target: R): boolean {
    return this.targetsOf(source).includes(target);
  }

  /** What `resource` contains, in the order in which the edges were added. */
  targetsOf(resource: R): readonly R[] {
    return this.#targets[resource.place] ?? NONE;
  }

  sourcesOf(resource: R): readonly R[] {
    return this.#sources[resource.place] ?? NONE;
  }
}

const NONE: readonly never[] = [];

function push<R extends CatalogResource>(lists: (R[] | null)[], { place }: CatalogResource, value: R): void {
  const list = lists[place];
  invariant(list !== undefined, 'a resource with edges is in the catalog');
  if (list) list.push(value);
  else lists[place] = [value];
}

function drop<R>(list: R[] | null | undefined, value: R): void {
  for (let index = list?.indexOf(value) ?? -1; index >= 0; index = list?.indexOf(value) ?? -1) list?.splice(index, 1);
}
