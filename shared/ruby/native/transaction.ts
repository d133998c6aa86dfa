import { PuppetError } from '../../errors/puppet-error.ts';
import { RubySymbol } from '../../serialization/yaml.ts';
import { PuppetHash } from '../../types/puppet-hash.ts';
import { RichValue, type Value } from '../../types/values.ts';
import { compareVersions } from '../../util/version-compare.ts';
import { type RubyCallbacks, RubyError } from '../port.ts';
import { Fallback, fallBack } from './fallback.ts';
import type { DefinedMethod, TemplateWorld } from './runtime.ts';
import { isTaken } from './template-methods.ts';

/** Functions that write to the log and give nothing. */
const LOGGING: ReadonlySet<string> = new Set(['alert', 'crit', 'debug', 'emerg', 'err', 'info', 'notice', 'warning']);
/** Functions of Puppet's that do nothing but answer. */
const PURE: ReadonlySet<string> = new Set([
  'template',
  'inline_template',
  'versioncmp',
  'sprintf',
  'md5',
  'sha1',
  'sha256',
]);
/** Those of them that `function_NAME` reaches by way of Puppet. */
const LEGACY_PURE: ReadonlySet<string> = new Set(['template', 'inline_template', 'sprintf', 'md5', 'sha1', 'sha256']);

/**
 * What a template, with those that it renders in turn, does in the compile: nothing that can't be taken back before it is done. Variables
 * are set at once and unset again, lines of the log wait for the end.
 */
export class Transaction {
  readonly owned = new WeakSet<object>();
  /** Texts of methods that templates defined. */
  readonly definitions: string[] = [];
  readonly #isAltered: () => boolean;
  readonly #methods = new Map<string, DefinedMethod>();
  readonly #waiting: (() => void)[] = [];
  readonly #undo: (() => void)[] = [];
  readonly #given: Value[] = [];
  readonly #saved = new Set<object>();
  /** What `scope.to_hash` has, by scope. */
  readonly #listed = new Map<RubyCallbacks, ReadonlyMap<string, Value>>();

  /** `isAltered`: whether code of modules changed what Ruby's classes do. */
  constructor(isAltered: () => boolean) {
    this.#isAltered = isAltered;
  }

  /** The world of a template that is rendered in the scope of those callbacks. */
  worldOf(callbacks: RubyCallbacks): TemplateWorld {
    return {
      lookUp: (name) => callbacks.variable(name, false, false) ?? this.#demand(name, callbacks),
      hasVariable: (name) => callbacks.variable(name, false, false) !== undefined,
      hasValue: (name) => (callbacks.variable(name, false, false) ?? null) !== null,
      variable: (name) => this.#variables(callbacks).get(name),
      variableNames: () => this.#variables(callbacks).keys(),
      setVariable: (name, value) => this.#setVariable(name, value, callbacks),
      callFunction: (name, args, isLegacy) => this.#callFunction(name, args, isLegacy, callbacks),
      keep: (container) => this.#keep(container),
      defineMethod: (name, source, method) => {
        if (isTaken(name)) fallBack(`a method ${name}`);
        this.definitions.push(source);
        this.#methods.set(name, method);
      },
      findMethod: (name) => this.#methods.get(name),
    };
  }

  /** Throws Fallback when something of what waits can't be done. */
  check(): void {
    for (const value of this.#given) requirePlain(value);
  }

  /** Does what waits. */
  commit(): void {
    for (const work of this.#waiting) work();
  }

  rollBack(): void {
    for (const undo of this.#undo.reverse()) undo();
  }

  /** One that is undef, or not there: that is logged, behind what waits. */
  #demand(name: string, callbacks: RubyCallbacks): Value {
    if (callbacks.variable(name, false, false) === undefined && this.#waiting.length > 0)
      fallBack('lines of the log in order');
    return callbacks.variable(name, true, false) ?? null;
  }

  #variables(callbacks: RubyCallbacks): ReadonlyMap<string, Value> {
    const known = this.#listed.get(callbacks) ?? callbacks.variables();
    this.#listed.set(callbacks, known);
    return known;
  }

  #setVariable(name: string, value: Value, callbacks: RubyCallbacks): void {
    if (this.#listed.size > 0) fallBack('a variable more than were listed');
    this.#given.push(value);
    callbacks.setVariable(name, value);
    this.#undo.push(() => callbacks.unsetVariable(name));
  }

  #keep(container: Value[] | PuppetHash): void {
    if (this.#saved.has(container)) return;
    this.#saved.add(container);
    if (container instanceof PuppetHash) {
      const entries = [...container];
      this.#undo.push(() => container.replaceEntries(entries));
    } else {
      const items = [...container];
      this.#undo.push(() => void container.splice(0, container.length, ...items));
    }
  }

  #callFunction(name: string, args: readonly Value[], isLegacy: boolean, callbacks: RubyCallbacks): Value {
    for (const arg of args) requirePlain(arg);
    if (isLegacy && name === 'versioncmp') return compared(args);
    if (LOGGING.has(name)) {
      if (callbacks.functionKind(name) !== 'built-in') fallBack(`the function ${name}`);
      this.#waiting.push(() => void callbacks.callFunction(name, args, null, false));
      return null;
    }
    const kind = isLegacy && !LEGACY_PURE.has(name) ? 'other' : callbacks.functionKind(name);
    if (!(kind === 'ruby' && !isLegacy) && !(kind === 'built-in' && PURE.has(name))) fallBack(`the function ${name}`);
    const result = callbacks.callFunction(name, args, null, false);
    return this.#isAltered() ? fallBack("code that changes Ruby's classes") : result;
  }
}

function compared(args: readonly Value[]): bigint {
  const [left, right] = args;
  if (args.length !== 2 || typeof left !== 'string' || typeof right !== 'string') return fallBack('versioncmp');
  return BigInt(compareVersions(left, right, false));
}

/** What Puppet code and Ruby know alike. */
function requirePlain(value: Value): void {
  if (Array.isArray(value)) value.forEach(requirePlain);
  else if (value instanceof PuppetHash) {
    for (const [key, item] of value) {
      requirePlain(key);
      requirePlain(item);
    }
  } else if (value instanceof RubySymbol) {
    if (value.name === 'undef' || value.name === 'default') fallBack('a symbol that is something else to Puppet');
  } else if (value instanceof RichValue) fallBack('an object');
}

/** Whether the error is one upon which Ruby has a try: it words errors of its own, and those of the compile that cross it. */
export function leavesToRuby(error: unknown): boolean {
  return (
    error instanceof Fallback ||
    error instanceof PuppetError ||
    error instanceof RubyError ||
    error instanceof RangeError
  );
}
