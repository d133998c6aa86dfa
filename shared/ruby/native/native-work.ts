import { keepLegacyFunctions } from './legacy-programs.ts';
import { leavesToRuby, Transaction } from './transaction.ts';

/** What is under way without Ruby in a compile: all of it is part of what began first, and is taken back with it. */
export class NativeWork {
  /** Functions of the 3.x API. */
  readonly legacyFunctions = keepLegacyFunctions();
  #transaction: Transaction | null = null;
  readonly #isInRuby: () => boolean;
  /** Whether code of modules changed what Ruby's own classes do: then Ruby does all. */
  isAltered = false;

  /** `isInRuby`: whether Ruby is under way, which may have what is changed here. */
  constructor(isInRuby: () => boolean) {
    this.#isInRuby = isInRuby;
  }

  beginCompile(): void {
    this.#transaction = null;
    this.isAltered = false;
  }

  /** That which is under way, so that nothing may be done that can't be taken back. */
  get transaction(): Transaction | null {
    return this.#transaction;
  }

  /** What `work` gives, in an array; null when that is left to Ruby, and nothing was done. `settle` is called before what waits is done. */
  run<T>(work: (transaction: Transaction) => T, settle?: (transaction: Transaction) => void): readonly [T] | null {
    if (this.isAltered) return null;
    const outer = this.#transaction;
    const transaction = new Transaction({
      isAltered: () => this.isAltered,
      isWithin: outer !== null,
      isInRuby: this.#isInRuby(),
      legacyFunction: (text) => this.legacyFunctions.find(text).program,
    });
    const done = this.#try(transaction, work);
    if (!done) return null;
    if (outer) outer.absorb(transaction);
    else {
      settle?.(transaction);
      transaction.commit();
    }
    return done;
  }

  #try<T>(transaction: Transaction, work: (transaction: Transaction) => T): readonly [T] | null {
    const outer = this.#transaction;
    this.#transaction = transaction;
    try {
      const value = work(transaction);
      transaction.check();
      return [value];
    } catch (error) {
      transaction.rollBack();
      if (leavesToRuby(error)) return null;
      throw error;
    } finally {
      this.#transaction = outer;
    }
  }
}
