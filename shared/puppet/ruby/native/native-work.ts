import type { ScopeName } from '../../evaluator/ruby-port.ts';
import type { Value } from '../../types/values/values.ts';
import { keepLegacyFunctions } from './legacy-programs.ts';
import { LoggedCalls } from './logged-calls.ts';
import { Defect, NativeDefects } from './native-defects.ts';
import { leavesToRuby, Transaction } from './transaction.ts';

/**
 * The native work in progress in a compile. Nested work is part of the outermost work and is rolled
 * back with it.
 */
export class NativeWork {
  readonly defects = new NativeDefects();
  readonly logged = new LoggedCalls();
  /** Functions of the 3.x API. */
  readonly legacyFunctions = keepLegacyFunctions(this.defects);
  /** Returns a random integer from 0 up to, but not including, `below`. */
  readonly drawNumber: ((below: number) => number) | undefined;
  #transaction: Transaction | null = null;
  /** Whether Ruby is running, which may hold objects that native code changes. */
  readonly isInRuby: () => boolean;
  /** Whether module code changed Ruby's own classes; then Ruby does all work. */
  isAltered = false;

  constructor(isInRuby: () => boolean, drawNumber?: (below: number) => number) {
    this.isInRuby = isInRuby;
    this.drawNumber = drawNumber;
  }

  beginCompile(): void {
    this.#transaction = null;
    this.logged.clear();
    this.isAltered = false;
  }

  /** The transaction in progress; only operations that can be rolled back are allowed in it. */
  get transaction(): Transaction | null {
    return this.#transaction;
  }

  /**
   * Returns the result of `work` in an array; null when the work is left to Ruby and rolled back.
   * `name`: the file whose code runs. `settle` is called before deferred operations are committed.
   */
  run<T>(
    name: string,
    work: (transaction: Transaction) => T,
    settle?: (transaction: Transaction) => void,
  ): readonly [T] | null {
    if (this.isAltered) return null;
    const outer = this.#transaction;
    const transaction = new Transaction(this, outer !== null, this.isInRuby());
    const done = this.#try(name, transaction, work);
    if (!done) return null;
    if (outer) outer.absorb(transaction);
    else {
      settle?.(transaction);
      transaction.commit();
    }
    return done;
  }

  /**
   * Calls a function of Puppet code outside the transaction. It is not called again when Ruby
   * repeats the work.
   */
  callPuppet(
    name: string,
    args: readonly Value[],
    where: ScopeName,
    transaction: Transaction,
    call: () => Value,
  ): Value {
    return this.#outside(() => this.logged.callOnce(keyOfFunction(name, where), args, transaction, call));
  }

  /** Runs work of its own: a rollback of the transaction in progress does not undo it. */
  #outside<T>(work: () => T): T {
    const outer = this.#transaction;
    this.#transaction = null;
    try {
      return work();
    } finally {
      this.#transaction = outer;
    }
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

/** Returns the key by which the calls of a function in that scope are kept. */
export function keyOfFunction(name: string, where: ScopeName): string {
  return `function ${name} ${where}`;
}
