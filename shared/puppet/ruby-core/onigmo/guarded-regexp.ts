import { estimateSteps, type MatchCost, NATIVE_STEPS } from './match-cost.ts';

/** The engines for a pattern. */
interface Engines {
  /** Without memory and limit, but fast. */
  readonly native: RegExp;
  /** The bound for the native engine; null where none is known. */
  readonly cost: MatchCost | null;
  /** Creates the matcher with memory and limit. */
  readonly createBounded: (flags: string) => RegExp;
}

/**
 * Chooses the engine by pattern and text: the native one where few steps are certain, the bounded
 * matcher otherwise. Has the interface of a JavaScript RegExp, for the flag `g` or no flags.
 */
export class GuardedRegExp extends RegExp {
  readonly #engines: Engines;
  #native: RegExp | undefined;
  #bounded: RegExp | undefined;
  #text = '';
  /** Bound of the steps that searches in the present text took on the native engine. */
  #steps = 0;

  constructor(engines: Engines | GuardedRegExp, flags = '') {
    super('(?:)', flags);
    this.#engines = engines instanceof GuardedRegExp ? engines.#engines : engines;
  }

  /** Whether the last search ran on the native engine. */
  get isNative(): boolean {
    return this.#steps <= NATIVE_STEPS;
  }

  override exec(text: string): RegExpExecArray | null {
    const from = this.global ? this.lastIndex : 0;
    this.#addSteps(text, from);
    const engine = this.isNative ? this.#nativeEngine() : this.#boundedEngine();
    engine.lastIndex = from;
    const found = engine.exec(text);
    if (this.global) this.lastIndex = engine.lastIndex;
    return found;
  }

  #addSteps(text: string, from: number): void {
    const { cost } = this.#engines;
    if (cost === null) this.#steps = Number.POSITIVE_INFINITY;
    else if (!this.global) this.#steps = text.length <= cost.shortLength ? 0 : estimateSteps(cost, text, text.length);
    else {
      if (from === 0 || text !== this.#text) this.#steps = 0;
      this.#text = text;
      this.#steps += estimateSteps(cost, text, text.length - from);
    }
  }

  #nativeEngine(): RegExp {
    const { native } = this.#engines;
    // Keep the subclass: it emulates features that JavaScript lacks.
    const Same = native.constructor as new (source: RegExp, flags: string) => RegExp;
    this.#native ??= this.global ? new Same(native, `${native.flags}g`) : native;
    return this.#native;
  }

  #boundedEngine(): RegExp {
    this.#bounded ??= this.#engines.createBounded(this.flags);
    return this.#bounded;
  }
}
