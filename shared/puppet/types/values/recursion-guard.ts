/**
 * Tracks the (type, other) pairs under comparison, so that recursive types terminate. A pair that
 * is entered a second time counts as a match, because nothing on the way contradicted it.
 */
export class RecursionGuard {
  readonly #active = new Map<unknown, Set<unknown>>();

  /** Enters a pair; returns false when it is already entered. */
  enter(type: unknown, other: unknown): boolean {
    const others = this.#active.get(type);
    if (others === undefined) {
      this.#active.set(type, new Set([other]));
      return true;
    }
    if (others.has(other)) return false;
    others.add(other);
    return true;
  }

  leave(type: unknown, other: unknown): void {
    this.#active.get(type)?.delete(other);
  }
}
