import { keepLegacyFunctions } from './legacy-programs.ts';
import { Defect, NativeDefects } from './native-defects.ts';
import { leavesToRuby, Transaction } from './transaction.ts';

/**
 * What is under way without Ruby in a compile: all of it is part of what began first, and is taken
 * back with it.
 */
export class NativeWork {
  readonly defects = new NativeDefects();
  /** Functions of the 3.x API. */
  readonly legacyFunctions = keepLegacyFunctions(this.defects);
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

  /**
   * What `work` gives, in an array; null when that is left to Ruby, and nothing was done. `name`:
   * the file whose code runs. `settle` is called before what waits is done.
   */
  run<T>(
    name: string,
    work: (transaction: Transaction) => T,
    settle?: (transaction: Transaction) => void,
  ): readonly [T] | null {
    if (this.isAltered) return null;
    const outer = this.#transaction;
    const transaction = new Transaction({
      isAltered: () => this.isAltered,
      isWithin: outer !== null,
      isInRuby: this.#isInRuby(),
      legacyFunction: (source) => this.legacyFunctions.find(source).program,
    });
    const done = this.#try(name, transaction, work);
    if (!done) return null;
    if (outer) outer.absorb(transaction);
    else {
      settle?.(transaction);
      transaction.commit();
    }
    return done;
  }

  #try<T>(name: string, transaction: Transaction, work: (transaction: Transaction) => T): readonly [T] | null {
    const outer = this.#transaction;
    this.#transaction = transaction;
    try {
      return transaction.attempt(name, () => {
        const value = work(transaction);
        transaction.check();
        return [value];
      });
    } catch (error) {
      transaction.rollBack();
      if (error instanceof Defect) this.defects.add(error);
      if (leavesToRuby(error)) return null;
      throw error;
    } finally {
      this.#transaction = outer;
    }
  }
}
