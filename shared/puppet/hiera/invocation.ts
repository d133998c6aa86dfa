import { ISSUES } from '../errors/issues/catalogue.ts';
import { LookupError, RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Scope } from '../evaluator/scope.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { ExplainSubject } from './explain-tree.ts';
import type { Explainer } from './explainer.ts';
import type { KeySegment, LookupKey } from './lookup-key.ts';
import type { LookupSession } from './lookup-session.ts';
import { lenientVariables, type Variables } from './variables.ts';

export interface InvocationOptions {
  readonly overrides?: PuppetHash;
  readonly defaults?: PuppetHash;
  /** Where interpolations look variables up; the scope, unless Hiera 3 has its say. */
  readonly variables?: Variables;
  /**
   * Notes what this lookup does, and those that it starts; by default the one of the lookup that is
   * going on.
   */
  readonly explainer?: Explainer | null;
}

/** A variable that hiera.yaml was read with: when it changes, the hierarchy is made anew. */
export interface RememberedVariable {
  readonly key: string;
  readonly rootKey: string;
  readonly segments: readonly KeySegment[];
  readonly value: Value;
}

const EMPTY = new PuppetHash();
const NO_OPTIONS: InvocationOptions = {};
const NO_LOCATIONS: readonly string[] = [];

/** The keys that are being looked up, the innermost first. */
interface Looking {
  readonly name: string;
  readonly outer: Looking | null;
}

/**
 * One lookup, or one that another one started (by an interpolation, a function): then it goes on
 * with the keys that are being looked up, so that a circle is found. Follows
 * lib/puppet/pops/lookup/invocation.rb.
 */
export class Invocation {
  readonly session: LookupSession;
  readonly scope: Scope;
  variables: Variables;
  /** Notes what is done; null when nobody asked. */
  readonly explainer: Explainer | null;
  readonly overrides: PuppetHash;
  readonly defaults: PuppetHash;
  /** Only the global layer is looked at. */
  globalOnly = false;
  /** Whether one of the `hiera` functions asked. */
  hieraCall = false;
  /** Whether Hiera 3's merge behaviour took the place of the one asked for. */
  hiera3Merge = false;
  /** Locations that a `hiera` function puts before those of a Hiera 3 hierarchy. */
  locationOverrides: readonly string[] = NO_LOCATIONS;
  moduleName: string | null = null;
  topKey: LookupKey | null = null;
  /** Collects the variables that hiera.yaml is read with. */
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

  /** Another invocation like this one, with other variables or scope. */
  derive(scope: Scope, variables?: Variables): Invocation {
    return new Invocation(this.session, scope, {
      overrides: this.overrides,
      defaults: this.defaults,
      ...(variables && { variables }),
      explainer: this.explainer,
    });
  }

  /** Runs `body`; an explanation of what it does is about `subject`. */
  runWithin<T>(subject: ExplainSubject, body: () => T): T {
    return this.explainer ? this.explainer.runWithin(subject, body) : body();
  }

  /** Runs `body` as the current invocation, looking up `key`. */
  lookup<T>(key: LookupKey, moduleName: string | null, body: () => T): T {
    const before = this.begin(key, moduleName);
    try {
      return body();
    } finally {
      this.session.current = before;
    }
  }

  /**
   * From now on it is the current invocation, looking up `key`, until its session gets back the one
   * that is returned.
   */
  begin(key: LookupKey, moduleName: string | null): Invocation | null {
    this.topKey = key;
    this.moduleName = moduleName;
    const before = this.session.current;
    this.session.current = this;
    return before;
  }

  /**
   * Runs `body` unless `name` is being looked up already. Puppet's errors in it become lookup
   * errors.
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

  /** From now on, until `leave`, `name` is being looked up; throws when it is already. */
  enter(name: string): void {
    this.refuseCircle(name);
    this.#looking = { name, outer: this.#looking };
  }

  /** Throws when `name` is being looked up already. */
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

  /** Runs `body` with unknown variables warned about rather than refused. */
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
   * Remembers a variable that may have another value for a later lookup: one of the top scope that
   * is set has not.
   */
  remember(key: string, rootKey: string, segments: readonly KeySegment[], value: Value): void {
    if (!this.remembered || (value !== null && key.startsWith('::')) || CONSTANT_ROOTS.has(rootKey)) return;
    if (!this.remembered.some((known) => known.key === key)) this.remembered.push({ key, rootKey, segments, value });
  }

  /** Runs `body` and forgets the variable `name` that it brought along. */
  runForgetting<T>(name: string, body: () => T): T {
    const before = this.remembered;
    this.remembered = before && [];
    const result = body();
    if (before && this.remembered) before.push(...this.remembered.filter((entry) => entry.rootKey !== name));
    this.remembered = before;
    return result;
  }
}

/** Variables that no code can set, whichever scope looks. */
const CONSTANT_ROOTS: ReadonlySet<string> = new Set(['facts', 'trusted', 'server_facts']);

/** What an error of Puppet's is to those who look up. */
export function lookupFault(error: unknown): unknown {
  if (!(error instanceof PuppetError) || error instanceof LookupError || error instanceof RubyFault) return error;
  return new LookupError(error.message, { cause: error });
}
