import { fallBack } from './fallback.ts';
import type { LocalPlace } from './syntax/ruby-ast.ts';

/** The local variables of a template or of a block in it. */
export class LocalVariables {
  readonly #outer: LocalVariables | null;
  readonly #slots = new Map<string, number>();

  constructor(outer: LocalVariables | null) {
    this.#outer = outer;
  }

  get isOutermost(): boolean {
    return this.#outer === null;
  }

  get size(): number {
    return this.#slots.size;
  }

  find(name: string): LocalPlace | null {
    const slot = this.#slots.get(name);
    if (slot !== undefined) return { depth: 0, slot };
    const outer = this.#outer?.find(name);
    return outer ? { depth: outer.depth + 1, slot: outer.slot } : null;
  }

  /** Returns the variable of that name; creates it when it does not exist. */
  declare(name: string): LocalPlace {
    return this.find(name) ?? { depth: 0, slot: this.declareHere(name) };
  }

  /** Declares a parameter, which shadows outer variables. */
  declareHere(name: string): number {
    if (this.#slots.has(name)) fallBack(`two parameters ${name}`);
    const slot = this.#slots.size;
    this.#slots.set(name, slot);
    return slot;
  }
}
