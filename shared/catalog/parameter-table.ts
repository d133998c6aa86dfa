import type { ParameterSetting } from './resource.ts';

/** So many names are compared faster than looked up. */
const FEW = 8;
const NONE: readonly ParameterSetting[] = [];

/**
 * The parameters of a resource, each name once, in the order in which they were first set. A list rather than a Map as long as they
 * are few: a catalog has thousands of resources, most of which have few parameters.
 */
export class ParameterTable implements Iterable<ParameterSetting> {
  #few: readonly ParameterSetting[] = NONE;
  /** All of them in place of the list, when there are many. */
  #many: Map<string, ParameterSetting> | null = null;

  get(name: string): ParameterSetting | undefined {
    if (this.#many) return this.#many.get(name);
    for (const parameter of this.#few) if (parameter.name === name) return parameter;
    return undefined;
  }

  has(name: string): boolean {
    return this.get(name) !== undefined;
  }

  /** Sets or replaces the parameter of that name. */
  set(parameter: ParameterSetting): void {
    if (this.#many) this.#many.set(parameter.name, parameter);
    else this.#setFew(parameter);
  }

  [Symbol.iterator](): IterableIterator<ParameterSetting> {
    return (this.#many ?? this.#few).values();
  }

  #setFew(parameter: ParameterSetting): void {
    const few = this.#few;
    const old = this.get(parameter.name);
    if (old) this.#few = few.with(few.indexOf(old), parameter);
    // Not `push`, which gives a short list room for 16 more.
    else if (few.length < FEW) this.#few = few.concat([parameter]);
    else this.#many = new Map([...few, parameter].map((each) => [each.name, each]));
  }
}
