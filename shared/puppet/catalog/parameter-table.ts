import type { ParameterSetting } from './resource.ts';

/** Up to this number of parameters a linear search is faster than a Map. */
const FEW = 8;

/**
 * The parameters of a resource, each name once, in the order in which they were first set. A short
 * table is a list rather than a Map: a catalog has thousands of resources, and most have few
 * parameters.
 */
export class ParameterTable implements Iterable<ParameterSetting> {
  #all: ParameterSetting[] = [];
  /** Index in the list by name; null while the table is short. */
  #places: Map<string, number> | null = null;
  #changes = 0;
  #hasUpperCase = false;

  /** All parameters, in the order in which they were first set. */
  get all(): readonly ParameterSetting[] {
    return this.#all;
  }

  /** The number of times that a parameter was set or replaced. */
  get changes(): number {
    return this.#changes;
  }

  /** Whether a name has a letter in upper case. */
  get hasUpperCase(): boolean {
    return this.#hasUpperCase;
  }

  get(name: string): ParameterSetting | undefined {
    return this.#all[this.#placeOf(name)];
  }

  has(name: string): boolean {
    return this.#placeOf(name) >= 0;
  }

  /** Sets or replaces the parameter of the same name. */
  set(parameter: ParameterSetting): void {
    this.#changes += 1;
    const place = this.#placeOf(parameter.name);
    if (place >= 0) this.#all[place] = parameter;
    else this.#add(parameter);
  }

  /** Sets parameters with different names in a table that has none yet. */
  fill(parameters: readonly ParameterSetting[]): void {
    if (parameters.length > FEW) {
      for (const parameter of parameters) this.set(parameter);
      return;
    }
    this.#changes += parameters.length;
    this.#all = parameters.slice();
    for (const { name } of parameters) if (name !== name.toLowerCase()) this.#hasUpperCase = true;
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
    if (parameter.name !== parameter.name.toLowerCase()) this.#hasUpperCase = true;
    const { length } = this.#all;
    if (length < FEW) {
      // Not `push`, which over-allocates a short list by 16 elements.
      this.#all = this.#all.concat([parameter]);
      return;
    }
    this.#all.push(parameter);
    if (this.#places) this.#places.set(parameter.name, length);
    else this.#places = new Map(this.#all.map(({ name }, place) => [name, place]));
  }
}
