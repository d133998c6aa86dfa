import { invariant } from '../errors/puppet-error.ts';
import type { CatalogResource } from './resource.ts';
import { ResourceTable } from './resource-table.ts';
import { TagSet } from './tags.ts';

/**
 * A catalog: resources by reference and by alias, their containment edges, the evaluated classes,
 * and tags.
 */
export class Catalog<R extends CatalogResource = CatalogResource> extends ResourceTable<R> {
  /** The certname. */
  readonly name: string;
  readonly environment: string;
  /** Names of evaluated classes and nodes, with the same repetitions as in Puppet. */
  readonly classes: string[] = [];
  readonly tags = new TagSet();
  /** The targets and sources of each resource's edges, by the resource's `place`; null for none. */
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

  /** Adds a containment edge. Both resources must be in the catalog. */
  addEdge(source: R, target: R): void {
    push(this.#targets, source, target);
    push(this.#sources, target, source);
  }

  /** Removes a resource with its incoming and outgoing edges. */
  override remove(resource: R): void {
    for (const source of this.sourcesOf(resource)) drop(this.#targets[source.place], resource);
    for (const target of this.targetsOf(resource)) drop(this.#sources[target.place], resource);
    this.#targets[resource.place] = null;
    this.#sources[resource.place] = null;
    super.remove(resource);
  }

  /** Removes the edges from what contains a resource. */
  removeContainment(resource: R): void {
    for (const source of this.sourcesOf(resource)) drop(this.#targets[source.place], resource);
    this.#sources[resource.place] = null;
  }

  hasEdge(source: R, target: R): boolean {
    return this.targetsOf(source).includes(target);
  }

  /** The resources that `resource` contains, in the order in which the edges were added. */
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
