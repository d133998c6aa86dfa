import { RecordingHash } from '../../environment/recording-hash.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { RubyError } from '../../errors/ruby-error.ts';
import { isStackOverflow } from '../../evaluator/report.ts';
import type { RubyCallbacks } from '../../evaluator/ruby-callbacks.ts';
import type { ScopeName, VisibleVariables } from '../../evaluator/ruby-port.ts';
import { RubySymbol } from '../../serialization/yaml.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { RichValue, type Value } from '../../types/values/values.ts';
import { Fallback, fallBack } from './fallback.ts';
import { Defect } from './native-defects.ts';
import type { NativeWork } from './native-work.ts';
import { DeferredCall } from './objects.ts';
import type { DefinedMethod } from './runtime.ts';

/** The surroundings of a transaction. */
export type TransactionContext = Pick<NativeWork, 'isAltered' | 'legacyFunctions' | 'drawNumber' | 'callPuppet'>;

/**
 * A transaction over the compile, for a template or function and its nested calls. Everything can
 * be rolled back until the commit: variables are set immediately and unset on rollback; log lines,
 * and function calls whose result is not used, wait for the commit.
 */
export class Transaction {
  readonly owned = new WeakSet<object>();
  readonly context: TransactionContext;
  /** Whether the transaction is nested in another one. */
  readonly isWithin: boolean;
  /** Whether Ruby is running; it would not see a change. */
  readonly isInRuby: boolean;
  /** Whether a call waits for the commit. Nothing may be read or changed before it is made. */
  isWaiting = false;
  /** Texts of methods that templates defined. */
  readonly definitions: string[] = [];
  #methods: Map<string, DefinedMethod> | null = null;
  readonly #waiting: (() => void)[] = [];
  readonly #undo: (() => void)[] = [];
  readonly #given: Value[] = [];
  #saved: Set<object> | null = null;
  /** Errors thrown by callbacks; they belong to the compile. */
  #crossed: Set<unknown> | null = null;
  /** Results of `scope.to_hash`, by scope. */
  #listed: Map<RubyCallbacks, Map<ScopeName, VisibleVariables>> | null = null;

  constructor(context: TransactionContext, isWithin: boolean, isInRuby: boolean) {
    this.context = context;
    this.isWithin = isWithin;
    this.isInRuby = isInRuby;
  }

  /** Whether an operation is deferred to the commit. */
  get hasDeferred(): boolean {
    return this.#waiting.length > 0;
  }

  /**
   * Runs native code of the file `name`. Its unexpected errors become Defects; errors of callbacks
   * are rethrown unchanged.
   */
  attempt<T>(name: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#crossed?.has(error) || isForeseen(error)) throw error;
      throw new Defect(name, error);
    }
  }

  /** Runs a callback. */
  ask<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      this.#crossed ??= new Set();
      this.#crossed.add(error);
      throw error;
    }
  }

  /** Throws Fallback when a deferred operation is not possible. */
  check(): void {
    for (const value of this.#given) requirePlain(value);
  }

  /** Merges another transaction into this one. */
  absorb(other: Transaction): void {
    this.definitions.push(...other.definitions);
    this.#waiting.push(...other.#waiting);
    this.#undo.push(...other.#undo);
    this.forgetVariables();
    this.#given.push(...other.#given);
  }

  /** Defers an operation that nothing reads to the commit. */
  wait(work: () => void): void {
    this.#waiting.push(work);
  }

  /** Defers a call whose result nothing reads before the commit. */
  defer(call: () => Value): DeferredCall {
    this.isWaiting = true;
    const deferred = new DeferredCall(call);
    this.wait(() => void deferred.make());
    return deferred;
  }

  /** Adds an operation that a rollback runs. */
  onRollBack(undo: () => void): void {
    this.#undo.push(undo);
  }

  /** Runs the deferred operations. */
  commit(): void {
    for (const work of this.#waiting) work();
  }

  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo();
  }

  /** Runs work whose lines in the log could not be repeated; throws Fallback if it has any. */
  withoutLines<T>(work: () => T): T {
    const before = this.#waiting.length;
    const made = work();
    return this.#waiting.length > before ? fallBack('lines of the log for what is kept') : made;
  }

  /** Returns the variables of a scope; the last result is reused until a variable is set. */
  listVariables(callbacks: RubyCallbacks, where: ScopeName): VisibleVariables {
    this.#listed ??= new Map();
    const listed = this.#listed.get(callbacks) ?? new Map<ScopeName, VisibleVariables>();
    const known = listed.get(where) ?? this.ask(() => callbacks.getVariables(where));
    this.#listed.set(callbacks, listed.set(where, known));
    return known;
  }

  forgetVariables(): void {
    this.#listed = null;
  }

  setVariable(name: string, value: Value, callbacks: RubyCallbacks, where: ScopeName): void {
    this.forgetVariables();
    this.#given.push(value);
    this.ask(() => callbacks.setVariable(name, value, where));
    this.onRollBack(() => callbacks.unsetVariable(name, where));
  }

  /** Saves entries of a hash, to be restored on rollback. */
  saveEntries(hash: PuppetHash, keys: Iterable<Value>): void {
    for (const key of keys) {
      const before = hash.get(key);
      this.onRollBack(() => (before === undefined ? hash.delete(key) : hash.set(key, before)));
    }
  }

  /** Saves the container's content, to be restored on rollback. */
  keep(container: Value[] | PuppetHash): void {
    if (this.isInRuby) fallBack('a change that Ruby has to see');
    this.#saved ??= new Set();
    if (this.#saved.has(container)) return;
    this.#saved.add(container);
    if (container instanceof PuppetHash) {
      const entries = [...container];
      this.onRollBack(() => container.replaceEntries(entries));
    } else {
      const items = [...container];
      this.onRollBack(() => void container.splice(0, container.length, ...items));
    }
  }

  /** Adds a method that a template defines, with its source. */
  defineMethod(name: string, source: string, method: DefinedMethod): void {
    this.definitions.push(source);
    this.#methods ??= new Map();
    this.#methods.set(name, method);
  }

  findMethod(name: string): DefinedMethod | undefined {
    return this.#methods?.get(name);
  }
}

/** Throws Fallback for a value that Puppet code and Ruby treat differently. */
export function requirePlain(value: Value): void {
  const foreign = findForeign(value);
  if (foreign !== null) fallBack(foreign);
}

/** Names the part of a value that Puppet code and Ruby treat differently; null for none. */
export function findForeign(value: Value): string | null {
  if (typeof value !== 'object' || value === null || value instanceof RecordingHash) return null;
  if (value instanceof RubySymbol)
    return value.name === 'undef' || value.name === 'default' ? 'a symbol that is something else to Puppet' : null;
  if (value instanceof RichValue) return 'an object';
  for (const part of value instanceof PuppetHash ? [...value].flat() : Array.isArray(value) ? value : []) {
    const foreign = findForeign(part);
    if (foreign !== null) return foreign;
  }
  return null;
}

function isForeseen(error: unknown): boolean {
  return (
    error instanceof Fallback || error instanceof PuppetError || error instanceof RubyError || isStackOverflow(error)
  );
}

/**
 * Whether Ruby retries after the error, because Ruby words its own errors and those of the compile
 * that pass through it.
 */
export function leavesToRuby(error: unknown): boolean {
  return (
    error instanceof Fallback ||
    error instanceof PuppetError ||
    error instanceof RubyError ||
    error instanceof RangeError
  );
}
