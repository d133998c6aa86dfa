/**
 * Remembers which (type, other) pairs are being looked at, so that recursive types end. Meeting a
 * pair a second time means that nothing on the way contradicted it.
 */
export class RecursionGuard {
  readonly #active = new Map<unknown, Set<unknown>>();

  /** False when the pair is being looked at already. */
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
