import { PuppetError } from '../../errors/puppet-error.ts';
import { RubyError } from '../../errors/ruby-error.ts';
import { rubyEquals } from '../../types/equality.ts';
import type { Value } from '../../types/values/values.ts';
import type { Transaction } from './transaction.ts';

type Outcome = { readonly value: Value } | { readonly error: unknown };

/** A call that was made while native code waited for it. */
interface LoggedCall {
  readonly key: string;
  readonly args: readonly Value[];
  readonly lines: readonly (() => void)[];
  readonly outcome: Outcome;
  isUsed: boolean;
}

/**
 * The calls of functions below native code that must not be made again when Ruby repeats that code:
 * Ruby functions that wrote to the log, which they may do only the first time, for Ruby keeps what
 * they changed in its own variables; and functions of Puppet code, whose resources are declared.
 */
export class LoggedCalls {
  #calls: LoggedCall[] = [];
  /** The lines of the call in progress; null when none is watched. */
  #lines: (() => void)[] | null = null;

  clear(): void {
    this.#calls = [];
    this.#lines = null;
  }

  /** Notes a line of the call in progress, which `write` writes. */
  addLine(write: () => void): void {
    this.#lines?.push(write);
  }

  /** Runs a call. One that writes to the log is kept, in place of the calls within it. */
  watch(key: string, args: readonly Value[], work: () => Value): Value {
    const outer = this.#lines;
    const count = this.#calls.length;
    const lines: (() => void)[] = [];
    this.#lines = lines;
    const keep = (outcome: Outcome) => {
      if (lines.length === 0) return;
      this.#calls.length = Math.min(this.#calls.length, count);
      this.#calls.push({ key, args, lines, outcome, isUsed: false });
    };
    try {
      return keepOutcome(work, keep);
    } finally {
      outer?.push(...lines);
      this.#lines = outer;
    }
  }

  /**
   * Calls a function of Puppet code for native work. When that work is rolled back, Ruby repeats
   * it, and `repeat` gives it this outcome. `args`: values that do not change.
   */
  callOnce(key: string, args: readonly Value[], transaction: Transaction, call: () => Value): Value {
    const outer = this.#lines;
    this.#lines = null;
    const keep = (outcome: Outcome) => {
      const made: LoggedCall = { key, args, lines: [], outcome, isUsed: true };
      this.#calls.push(made);
      transaction.onRollBack(() => {
        made.isUsed = false;
      });
    };
    try {
      return keepOutcome(call, keep);
    } finally {
      this.#lines = outer;
    }
  }

  /**
   * Repeats the outcome of an equal call, lines first; null when there is none. Throws the call's
   * error. `transaction`: the native work that calls; when it is rolled back, the call counts as
   * not repeated.
   */
  repeat(key: string, args: readonly Value[], transaction: Transaction | null): readonly [Value] | null {
    const call = this.#calls.find((one) => !one.isUsed && one.key === key && rubyEquals(one.args, args));
    if (!call) return null;
    call.isUsed = true;
    transaction?.onRollBack(() => {
      call.isUsed = false;
    });
    for (const write of call.lines) {
      if (transaction) transaction.wait(write);
      else write();
    }
    if ('error' in call.outcome) throw call.outcome.error;
    return [call.outcome.value];
  }

  /**
   * Runs work that tries native code before Ruby. The calls that it adds are dropped at its end,
   * unless it is part of native work that may itself be repeated.
   */
  within<T>(transaction: Transaction | null, work: () => T): T {
    const count = this.#calls.length;
    try {
      return work();
    } finally {
      if (!transaction && this.#calls.length > count) this.#calls.length = count;
    }
  }
}

/** Runs work, and keeps its value or the error of module code that it throws. */
function keepOutcome(work: () => Value, keep: (outcome: Outcome) => void): Value {
  try {
    const value = work();
    keep({ value });
    return value;
  } catch (error) {
    if (error instanceof PuppetError || error instanceof RubyError) keep({ error });
    throw error;
  }
}
