import type { VariableExpression } from '../language/ast.ts';
import type { Locator } from '../language/locator.ts';
import type { Value } from '../types/values/values.ts';
import { LocalFrame } from './scope-frame.ts';

/** Slot of a variable that belongs to another file. */
const OTHER_FILE = -1;

/**
 * By file, the slots of the variables that it sets in the top scope. They live as long as the
 * file's syntax tree.
 */
const placesOfFiles = new WeakMap<Locator, Map<string, number>>();

/**
 * The table of the top scope. A site manifest may set thousands of variables there, and a new hash
 * table in every compile outgrows the processor's cache. The variables of one file are therefore
 * kept in an array; their slots are cached with the syntax tree.
 */
export class TopFrame extends LocalFrame {
  /**
   * The file whose variables use the array: the first that sets one. Variables of other files are
   * kept by name.
   */
  #file: Locator | null = null;
  #places: Map<string, number> = new Map();
  /** By slot; undefined for a variable that this compile did not set. */
  readonly #values: (Value | undefined)[] = [];
  /** Names of all variables, in the order of assignment. */
  readonly #order: string[] = [];

  override getOwn(name: string): Value | undefined {
    const place = this.#places.get(name);
    const value = place === undefined ? undefined : this.#values[place];
    return value === undefined ? super.getOwn(name) : value;
  }

  /** Its variables are read by slot. */
  override watch(): boolean {
    return false;
  }

  override hasOwn(name: string): boolean {
    return this.getOwn(name) !== undefined;
  }

  override set(name: string, value: Value): void {
    super.set(name, value);
    this.#order.push(name);
  }

  override hasAt(node: VariableExpression, name: string): boolean {
    const place = this.#placeOf(node, name);
    return place === OTHER_FILE ? this.hasOwn(name) : this.#values[place] !== undefined || super.hasOwn(name);
  }

  override setAt(node: VariableExpression, name: string, value: Value): void {
    const place = this.#placeOf(node, name);
    if (place === OTHER_FILE) super.set(name, value);
    else this.#values[place] = value;
    this.#order.push(name);
  }

  override unset(name: string): void {
    const place = this.#places.get(name);
    if (place !== undefined) this.#values[place] = undefined;
    super.unset(name);
    const index = this.#order.lastIndexOf(name);
    if (index >= 0) this.#order.splice(index, 1);
  }

  override *ownEntries(): Iterable<readonly [string, Value]> {
    for (const name of this.#order) {
      const value = this.getOwn(name);
      if (value !== undefined) yield [name, value];
    }
  }

  #placeOf(node: VariableExpression, name: string): number {
    if (this.#file === null) this.#keep(node.locator);
    if (node.locator !== this.#file) return OTHER_FILE;
    if (node.place < 0) {
      const known = this.#places.get(name);
      node.place = known ?? this.#places.size;
      if (known === undefined) this.#places.set(name, node.place);
    }
    return node.place;
  }

  #keep(file: Locator): void {
    this.#file = file;
    const places = placesOfFiles.get(file);
    if (!places) placesOfFiles.set(file, this.#places);
    else {
      this.#places = places;
      this.#values.length = places.size;
    }
  }
}
