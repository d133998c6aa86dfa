import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { VariableExpression } from '../language/ast.ts';
import type { Value } from '../types/values/values.ts';
import type { ClockReading } from './clock-reading.ts';

/**
 * The groups of a regular expression match; the whole match comes first. Null for a group that did
 * not participate.
 */
export type MatchGroups = readonly (Value | undefined)[];

/** Thrown when a default expression reads a parameter that has no value yet. */
class UnevaluatedParameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const NUMERIC_NAME = /^\d+$/;

/**
 * A link in a scope's chain of variable tables: variables of a block, the groups of a match, or the
 * parameters of a call while they are bound. Lookups go from the newest link to the scope's own
 * table. Puppet: the ephemeral scopes of lib/puppet/parser/scope.rb.
 */
export abstract class ScopeFrame {
  readonly parent: ScopeFrame | null;
  /** Whether variables can be set in this link. */
  abstract readonly holdsVariables: boolean;

  constructor(parent: ScopeFrame | null) {
    this.parent = parent;
  }

  /** Returns the value in this link alone; undefined when it has none. */
  abstract getOwn(name: string): Value | undefined;
  abstract hasOwn(name: string): boolean;
  abstract set(name: string, value: Value): void;
  abstract unset(name: string): void;
  abstract ownEntries(): Iterable<readonly [string, Value]>;

  /**
   * Marks a variable that holds a time: `onRead` is called when its value is first read, except by
   * `findWatched`. False when the link cannot watch it.
   */
  watch(_name: string, _reading: ClockReading, _onRead: () => void): boolean {
    return false;
  }

  /** The time in a variable; null for other variables. */
  findWatched(_name: string): ClockReading | null {
    return null;
  }

  /** Like `hasOwn`, for the variable that `node` names. */
  hasAt(_node: VariableExpression, name: string): boolean {
    return this.hasOwn(name);
  }

  /** Like `set`, for the variable that `node` names. */
  setAt(_node: VariableExpression, name: string, value: Value): void {
    this.set(name, value);
  }
}

/** A variable that holds a time. `onRead` is null once the variable was read. */
interface WatchedVariable {
  readonly reading: ClockReading;
  readonly onRead: (() => void) | null;
}

export class LocalFrame extends ScopeFrame {
  readonly holdsVariables = true;
  readonly #variables: Map<string, Value>;
  /** Null unless a variable holds a time. */
  #watched: Map<string, WatchedVariable> | null = null;

  constructor(parent: ScopeFrame | null, variables: Map<string, Value> = new Map()) {
    super(parent);
    this.#variables = variables;
  }

  getOwn(name: string): Value | undefined {
    if (this.#watched !== null) this.#noteRead(name);
    return this.#variables.get(name);
  }

  override watch(name: string, reading: ClockReading, onRead: () => void): boolean {
    this.#watched ??= new Map();
    this.#watched.set(name, { reading, onRead });
    return true;
  }

  override findWatched(name: string): ClockReading | null {
    return this.#watched?.get(name)?.reading ?? null;
  }

  #noteRead(name: string): void {
    const watched = this.#watched?.get(name);
    if (!watched?.onRead) return;
    this.#watched?.set(name, { reading: watched.reading, onRead: null });
    watched.onRead();
  }

  hasOwn(name: string): boolean {
    return this.#variables.has(name);
  }

  set(name: string, value: Value): void {
    this.#variables.set(name, value);
  }

  unset(name: string): void {
    this.#variables.delete(name);
  }

  ownEntries(): Iterable<readonly [string, Value]> {
    for (const name of this.#watched?.keys() ?? []) this.#noteRead(name);
    return this.#variables;
  }
}

export class MatchFrame extends ScopeFrame {
  readonly holdsVariables = false;
  readonly #groups: MatchGroups;

  constructor(parent: ScopeFrame | null, groups: MatchGroups) {
    super(parent);
    this.#groups = groups;
  }

  getOwn(name: string): Value | undefined {
    return this.hasOwn(name) ? (this.#groups[Number(name)] ?? null) : undefined;
  }

  /** Without groups (no match) it shadows nothing. */
  hasOwn(name: string): boolean {
    return this.#groups.length > 0 && NUMERIC_NAME.test(name);
  }

  set(name: string): void {
    throw new PuppetError(ISSUES.NUMERIC_VARIABLES_FIXED({ name }));
  }

  unset(): void {}

  ownEntries(): Iterable<readonly [string, Value]> {
    return [];
  }
}

/** The parameters of a call, in order. Some may not have a value yet. */
export class ParameterFrame extends ScopeFrame {
  readonly holdsVariables = true;
  readonly #callee: string;
  /** In parameter order; undefined for a parameter without a value yet. */
  readonly #values: Map<string, Value | undefined>;
  #readOnly = false;

  constructor(parent: ScopeFrame | null, callee: string, names: readonly string[]) {
    super(parent);
    this.#callee = callee;
    this.#values = new Map();
    for (const name of names) this.#values.set(name, undefined);
  }

  getOwn(name: string): Value | undefined {
    const value = this.#values.get(name);
    if (value === undefined && this.#values.has(name)) throw new UnevaluatedParameter(name);
    return value;
  }

  hasOwn(name: string): boolean {
    return this.#values.has(name);
  }

  set(name: string, value: Value): void {
    if (this.#readOnly) throw new PuppetError(ISSUES.ASSIGNMENT_IN_PARAMETERS({ name }));
    this.#values.set(name, value);
  }

  unset(name: string): void {
    this.#values.delete(name);
  }

  /** Returns the parameters that have a value, in parameter order. */
  ownEntries(): Map<string, Value> {
    const entries = new Map<string, Value>();
    for (const [name, value] of this.#values) if (value !== undefined) entries.set(name, value);
    return entries;
  }

  /** Evaluates the default expression of parameter `name`; assignments in it are not allowed. */
  evaluateDefault(name: string, evaluate: () => Value): Value {
    const before = this.#readOnly;
    this.#readOnly = true;
    try {
      return evaluate();
    } catch (error) {
      throw error instanceof UnevaluatedParameter ? this.#referenceFailure(name, error.name) : error;
    } finally {
      this.#readOnly = before;
    }
  }

  #referenceFailure(from: string, to: string): PuppetError {
    const names = [...this.#values.keys()];
    if (names.indexOf(to) < names.indexOf(from)) {
      return new PuppetError(ISSUES.PARAMETER_VALUE_EXPECTED({ callee: this.#callee, name: to }));
    }
    return new PuppetError(ISSUES.PARAMETER_NOT_YET_EVALUATED({ callee: this.#callee, from, to }));
  }
}
