import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { isFatalRubyError } from '../errors/ruby-error.ts';
import type { Scope } from '../evaluator/scope.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { Explainer, ExplainSubject } from './explainer.ts';
import type { KeySegment, LookupKey } from './lookup-key.ts';
import type { LookupSession } from './lookup-session.ts';
import { lenientVariables, type Variables } from './variables.ts';

interface InvocationOptions {
  readonly overrides?: PuppetHash;
  readonly defaults?: PuppetHash;
  /**
   * Resolves the variables of interpolations; defaults to the scope, replaced by Hiera 3's
   * variables.
   */
  readonly variables?: Variables;
  /**
   * Records this lookup and its nested lookups; defaults to the explainer of the current lookup.
   */
  readonly explainer?: Explainer | null;
}

/** A variable that hiera.yaml was read with. The hierarchy is rebuilt when it changes. */
export interface RememberedVariable {
  readonly key: string;
  readonly rootKey: string;
  readonly segments: readonly KeySegment[];
  readonly value: Value;
}

const EMPTY = new PuppetHash();
const NO_OPTIONS: InvocationOptions = {};
const NO_LOCATIONS: readonly string[] = [];

/** A linked list of the keys being looked up, innermost first. */
interface Looking {
  readonly name: string;
  readonly outer: Looking | null;
}

/**
 * One lookup. A nested lookup (from an interpolation or a function) inherits the keys in progress,
 * so that a recursive lookup is detected. Follows lib/puppet/pops/lookup/invocation.rb.
 */
export class Invocation {
  readonly session: LookupSession;
  readonly scope: Scope;
  variables: Variables;
  /** Records the steps; null without `--explain`. */
  readonly explainer: Explainer | null;
  readonly overrides: PuppetHash;
  readonly defaults: PuppetHash;
  /** Searches the global layer only. */
  globalOnly = false;
  /** Whether one of the `hiera` functions made the call. */
  hieraCall = false;
  /** Whether Hiera 3's merge behaviour replaced the requested one. */
  hiera3Merge = false;
  /** Locations from a `hiera` function that precede those of a Hiera 3 hierarchy. */
  locationOverrides: readonly string[] = NO_LOCATIONS;
  moduleName: string | null = null;
  topKey: LookupKey | null = null;
  /** Collects the variables read by hiera.yaml; null when nothing collects them. */
  remembered: RememberedVariable[] | null = null;
  #looking: Looking | null;

  constructor(session: LookupSession, scope: Scope, options: InvocationOptions = NO_OPTIONS) {
    const parent = session.current;
    this.session = session;
    this.scope = scope;
    this.variables = options.variables ?? session.variablesOf(scope);
    this.overrides = options.overrides ?? EMPTY;
    this.defaults = options.defaults ?? EMPTY;
    this.explainer = options.explainer === undefined ? (parent?.explainer ?? null) : options.explainer;
    this.#looking = parent ? parent.#looking : null;
    if (parent) {
      this.hieraCall = parent.hieraCall;
      this.hiera3Merge = parent.hiera3Merge;
      this.globalOnly = parent.globalOnly;
      this.locationOverrides = parent.locationOverrides;
    }
  }

  /** Returns a copy of this invocation with another scope and other variables. */
  derive(scope: Scope, variables?: Variables): Invocation {
    return new Invocation(this.session, scope, {
      overrides: this.overrides,
      defaults: this.defaults,
      ...(variables && { variables }),
      explainer: this.explainer,
    });
  }

  /** Runs `body`; everything explained meanwhile belongs to `subject`. */
  runWithin<T>(subject: ExplainSubject, body: () => T): T {
    return this.explainer ? this.explainer.runWithin(subject, body) : body();
  }

  /** Looks up `key` with `body`, as the current invocation. */
  lookup<T>(key: LookupKey, moduleName: string | null, body: () => T): T {
    const before = this.begin(key, moduleName);
    try {
      return body();
    } finally {
      this.session.current = before;
    }
  }

  /**
   * Makes this the current invocation, looking up `key`. Returns the previous one; the caller
   * restores it in the session.
   */
  begin(key: LookupKey, moduleName: string | null): Invocation | null {
    this.topKey = key;
    this.moduleName = moduleName;
    const before = this.session.current;
    this.session.current = this;
    return before;
  }

  /**
   * Runs `body` with `name` marked as in progress. Throws for a recursive lookup. Puppet's errors
   * from `body` become lookup errors.
   */
  check<T>(name: string, body: () => T): T {
    this.enter(name);
    try {
      return body();
    } catch (error) {
      throw lookupFault(error);
    } finally {
      this.leave();
    }
  }

  /** Marks `name` as in progress until `leave`. Throws when it already is. */
  enter(name: string): void {
    this.refuseCircle(name);
    this.#looking = { name, outer: this.#looking };
  }

  /** Throws when `name` is already in progress. */
  refuseCircle(name: string): void {
    for (let at = this.#looking; at; at = at.outer) {
      if (at.name === name) throw new LookupError(ISSUES.RECURSIVE_LOOKUP({ names: this.#listNames().join(', ') }));
    }
  }

  leave(): void {
    this.#looking = this.#looking?.outer ?? null;
  }

  #listNames(): readonly string[] {
    const names: string[] = [];
    for (let at = this.#looking; at; at = at.outer) names.unshift(at.name);
    return names;
  }

  /** Runs `body`; unknown variables cause a warning instead of an error. */
  runLeniently<T>(body: () => T): T {
    const before = this.variables;
    this.variables = lenientVariables(this.scope, before);
    try {
      return body();
    } finally {
      this.variables = before;
    }
  }

  /**
   * Remembers a variable whose value may differ in a later lookup. A variable of the top scope that
   * is already set cannot differ.
   */
  remember(key: string, rootKey: string, segments: readonly KeySegment[], value: Value): void {
    if (!this.remembered || (value !== null && key.startsWith('::')) || CONSTANT_ROOTS.has(rootKey)) return;
    if (!this.remembered.some((known) => known.key === key)) this.remembered.push({ key, rootKey, segments, value });
  }

  /** Runs `body` and then forgets the variable `name` that it introduced. */
  runForgetting<T>(name: string, body: () => T): T {
    const before = this.remembered;
    this.remembered = before && [];
    const result = body();
    if (before && this.remembered) before.push(...this.remembered.filter((entry) => entry.rootKey !== name));
    this.remembered = before;
    return result;
  }
}

/** Variables that Puppet code cannot set, in any scope. */
const CONSTANT_ROOTS: ReadonlySet<string> = new Set(['facts', 'trusted', 'server_facts']);

/** Converts a Puppet error to the lookup error that callers see. */
export function lookupFault(error: unknown): unknown {
  if (!(error instanceof PuppetError) || error instanceof LookupError || error instanceof RubyFault) return error;
  if (isFatalRubyError(error)) return error;
  return new LookupError(error.message, { cause: error });
}
