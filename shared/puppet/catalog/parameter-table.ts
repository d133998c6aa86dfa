import type { ParameterSetting } from './resource.ts';

/** So many names are compared faster than looked up. */
const FEW = 8;

/**
 * The parameters of a resource, each name once, in the order in which they were first set. A list
 * rather than a Map as long as they are few: a catalog has thousands of resources, most of which
 * have few parameters.
 */
export class ParameterTable implements Iterable<ParameterSetting> {
  #all: ParameterSetting[] = [];
  /** Places in the list by name, when there are many. */
  #places: Map<string, number> | null = null;
  #changes = 0;

  /** In the order in which they were first set. */
  get all(): readonly ParameterSetting[] {
    return this.#all;
  }

  /** How often one was set or replaced. */
  get changes(): number {
    return this.#changes;
  }

  get(name: string): ParameterSetting | undefined {
    return this.#all[this.#placeOf(name)];
  }

  has(name: string): boolean {
    return this.#placeOf(name) >= 0;
  }

  /** Sets or replaces the parameter of that name. */
  set(parameter: ParameterSetting): void {
    this.#changes += 1;
    const place = this.#placeOf(parameter.name);
    if (place >= 0) this.#all[place] = parameter;
    else this.#add(parameter);
  }

  [Symbol.iterator](): IterableIterator<ParameterSetting> {
    return this.#all.values();
  }

  #placeOf(name: string): number {
    if (this.#places) return this.#places.get(name) ?? -1;
    const all = this.#all;
    for (let place = 0; place < all.length; place += 1) if (all[place]?.name === name) return place;
    return -1;
  }

  #add(parameter: ParameterSetting): void {
    const { length } = this.#all;
    if (length < FEW) {
      // Not `push`, which gives a short list room for 16 more.
      this.#all = this.#all.concat([parameter]);
      return;
    }
    this.#all.push(parameter);
    if (this.#places) this.#places.set(parameter.name, length);
    else this.#places = new Map(this.#all.map(({ name }, place) => [name, place]));
  }
}
