import { RecordingHash } from '../../environment/recording-hash.ts';
import { isLogLevel } from '../../errors/compile-log.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { RubyError } from '../../errors/ruby-error.ts';
import type { ResourceName } from '../../evaluator/ports.ts';
import { isStackOverflow } from '../../evaluator/report.ts';
import type { RubyCallbacks, RubySource, ScopeName, VisibleVariables } from '../../evaluator/ruby-port.ts';
import type { LookupContext } from '../../hiera/lookup-context.ts';
import { compareVersions } from '../../ruby-core/version-compare.ts';
import { RubySymbol } from '../../serialization/yaml.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { RichValue, type Value } from '../../types/values/values.ts';
import { Fallback, fallBack } from './fallback.ts';
import { BUILT_IN } from './function-source.ts';
import { type LegacyFunctionProgram, takesCount } from './legacy-programs.ts';
import { SCOPE_SELF } from './methods/function-methods.ts';
import { isTaken } from './methods/template-methods.ts';
import { Defect } from './native-defects.ts';
import { DeferredCall, RubyResource, UNKNOWN } from './objects.ts';
import { type DefinedMethod, Rendering, type ResultUse, type TemplateWorld } from './runtime.ts';

/** Puppet's functions without side effects. */
const PURE: ReadonlySet<string> = new Set([
  'template',
  'inline_template',
  'versioncmp',
  'sprintf',
  'md5',
  'sha1',
  'sha256',
]);
/** The same, which may write to the log. */
const PURE_BUT_LOGGED: ReadonlySet<string> = new Set([
  'file',
  'hiera',
  'hiera_array',
  'hiera_hash',
  'lookup',
  'to_json',
  'to_json_pretty',
  'to_yaml',
]);
/** Puppet functions that `function_NAME` does not reach: `ONLY_4X` in side/functions3.rb. */
const ONLY_MODERN =
  /^(?:assert_type|binary_file|break|defined|dig|each|epp|filter|find_file|hiera(?:_array|_hash)?|inline_epp|lest|lookup|map|match|new|next|reduce|regsubst|return|reverse_each|slice|split|step|strftime|then|type|with)$/;
/** Pure functions that `function_NAME` reaches through Puppet. */
const LEGACY_PURE: ReadonlySet<string> = new Set(['template', 'inline_template', 'sprintf', 'md5', 'sha1', 'sha256']);

/** The surroundings of a transaction. */
export interface TransactionContext {
  /** Whether module code changed Ruby's classes. */
  isAltered(): boolean;
  /** Whether the transaction is nested in another one. */
  readonly isWithin: boolean;
  /** Whether Ruby is running; it would not see a change. */
  readonly isInRuby: boolean;
  /** Returns the 3.x function in a file; null when only Ruby can run it. */
  legacyFunction(source: RubySource): LegacyFunctionProgram | null;
  /** Returns a random integer from 0 up to, but not including, `below`. */
  readonly drawNumber?: ((below: number) => number) | undefined;
  /**
   * Calls a function of Puppet code outside the transaction. It is not called again when Ruby
   * repeats the work.
   */
  callPuppet(name: string, args: readonly Value[], where: ScopeName, call: () => Value): Value;
}

/**
 * A transaction over the compile, for a template or function and its nested calls. Everything can
 * be rolled back until the commit: variables are set immediately and unset on rollback; log lines,
 * and function calls whose result is not used, wait for the commit.
 */
export class Transaction {
  readonly owned = new WeakSet<object>();
  /** Texts of methods that templates defined. */
  readonly definitions: string[] = [];
  readonly #context: TransactionContext;
  /** Whether a call waits for the commit. Nothing may be read or changed before it is made. */
  #isWaiting = false;
  readonly #methods = new Map<string, DefinedMethod>();
  readonly #waiting: (() => void)[] = [];
  readonly #undo: (() => void)[] = [];
  readonly #given: Value[] = [];
  readonly #saved = new Set<object>();
  /** Errors thrown by callbacks; they belong to the compile. */
  readonly #crossed = new Set<unknown>();
  /** Results of `scope.to_hash`, by scope. */
  readonly #listed = new Map<RubyCallbacks, Map<ScopeName, VisibleVariables>>();

  constructor(context: TransactionContext) {
    this.#context = context;
  }

  /** Returns the world of code that runs in that scope with those callbacks. */
  worldOf(callbacks: RubyCallbacks, where: ScopeName = null): TemplateWorld {
    const isWaiting = (): boolean => this.#isWaiting;
    const variable = (name: string): Value | undefined => {
      if (this.#isWaiting) fallBack('a variable behind a call');
      return this.ask(() => callbacks.getVariable(name, false, where));
    };
    return {
      isRuby34: callbacks.language.ruby34,
      lookUp: (name) => variable(name) ?? this.#demand(name, callbacks, where),
      hasVariable: (name) => variable(name) !== undefined,
      hasValue: (name) => (variable(name) ?? null) !== null,
      variables: () => this.#getVariables(callbacks, where),
      resource: () => this.#getResource(callbacks, where),
      findResource: (type, title) => this.#findResource([type, title], callbacks),
      titleAttributes: (type, title) => this.ask(() => callbacks.titleAttributes(type, title)),
      atTop: () => this.worldOf(callbacks, ''),
      listTags: (which) => this.#listTags(which, callbacks),
      setVariable: (name, value) => this.#setVariable(name, value, callbacks, where),
      callFunction: (name, args, way, use) =>
        this.#callFunction({ name, args, where, use, isOwn: way === 'own' }, way === 'legacy', callbacks),
      isLogged: (level) => callbacks.isLogged(level),
      log: (level, message) => {
        if (callbacks.isLogged(level)) this.wait(() => callbacks.log(level, message, null, null));
      },
      callContext: (context, name, args) => this.#callContext(context, name, args, callbacks),
      dataOfFile: (context, path, read) => this.#dataOfFile(context, path, read),
      getSetting: (name) => this.ask(() => callbacks.getSetting(name)) ?? null,
      kindOf: (path) => {
        const kept = this.#readKept(path, callbacks);
        return kept === null ? this.ask(() => callbacks.kindOf(path)) : 'file';
      },
      readFile: (path) => this.#readKept(path, callbacks) ?? this.ask(() => callbacks.readFile(path)),
      drawNumber: (name, below) => this.#drawNumber(name, below, callbacks),
      get isWaiting() {
        return isWaiting();
      },
      keep: (container) => this.#keep(container),
      defineMethod: (name, source, method) => {
        if (isTaken(name)) fallBack(`a method ${name}`);
        this.definitions.push(source);
        this.#methods.set(name, method);
      },
      findMethod: (name) => this.#methods.get(name),
    };
  }

  /**
   * Runs native code of the file `name`. Its unexpected errors become Defects; errors of callbacks
   * are rethrown unchanged.
   */
  attempt<T>(name: string, work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (this.#crossed.has(error) || isForeseen(error)) throw error;
      throw new Defect(name, error);
    }
  }

  /** Runs a callback. */
  ask<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
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
    this.#listed.clear();
    this.#given.push(...other.#given);
  }

  /** Defers an operation that nothing reads to the commit. */
  wait(work: () => void): void {
    this.#waiting.push(work);
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

  /**
   * Reads a variable that is undef or missing. A missing one is logged, so no operation may be
   * deferred before it; Ruby code that waits may catch it (`catch :undefined_variable`).
   */
  #demand(name: string, callbacks: RubyCallbacks, where: ScopeName): Value {
    const isMissing = this.ask(() => callbacks.getVariable(name, false, where)) === undefined;
    if (isMissing && (this.#context.isWithin || this.#waiting.length > 0)) fallBack('lines of the log in order');
    if (isMissing && this.#context.isInRuby) fallBack('a variable that Ruby may catch');
    return this.ask(() => callbacks.getVariable(name, true, where)) ?? null;
  }

  #getResource(callbacks: RubyCallbacks, where: ScopeName): RubyResource | null {
    if (where !== null) fallBack('the resource of another scope');
    return this.#findResource(null, callbacks);
  }

  #findResource(name: ResourceName | null, callbacks: RubyCallbacks): RubyResource | null {
    if (this.#isWaiting) fallBack('a resource behind a call');
    const view = this.ask(() => callbacks.findResource(name));
    if (!view) return null;
    const [type, title] = view.name;
    if (type === 'Class' && title === 'main') fallBack('the main class');
    const parameters = Array.from(view.parameters, ([key, value]) => [key, isPlain(value) ? value : UNKNOWN] as const);
    return new RubyResource(type, title, new Map(parameters));
  }

  #listTags(which: 'all' | 'classes', callbacks: RubyCallbacks): readonly string[] {
    return this.#isWaiting ? fallBack('tags behind a call') : this.ask(() => callbacks.listTags(which));
  }

  /** Returns the variables; the last result is reused until a variable is set. */
  #getVariables(callbacks: RubyCallbacks, where: ScopeName): VisibleVariables {
    if (this.#isWaiting) fallBack('variables behind a call');
    const listed = this.#listed.get(callbacks) ?? new Map<ScopeName, VisibleVariables>();
    const known = listed.get(where) ?? this.ask(() => callbacks.getVariables(where));
    this.#listed.set(callbacks, listed.set(where, known));
    return known;
  }

  #setVariable(name: string, value: Value, callbacks: RubyCallbacks, where: ScopeName): void {
    this.#listed.clear();
    this.#given.push(value);
    this.ask(() => callbacks.setVariable(name, value, where));
    this.#undo.push(() => callbacks.unsetVariable(name, where));
  }

  /**
   * Calls a method of a lookup's context. Ruby would repeat the call: the cache is restored before,
   * and a call that writes to the log is left to it.
   */
  #callContext(context: LookupContext, name: string, args: readonly Value[], callbacks: RubyCallbacks): Value {
    if (this.#isWaiting) fallBack('a lookup behind a call');
    const { log } = context.invocation.scope.context;
    const { entries, said } = log.position;
    const [first = null] = args;
    if (name === 'cache') this.#saveCached(context.state.cache, [first]);
    if (name === 'cache_all') this.#saveCached(context.state.cache, first instanceof PuppetHash ? first.keys() : []);
    const value = this.ask(() => callbacks.callMethod(context, name, args, null, 0));
    if (log.entries.length > entries) {
      this.#undo.push(() => log.rewind({ entries, said }));
      fallBack('a lookup that writes to the log');
    }
    return value;
  }

  #dataOfFile(context: LookupContext, path: string, read: (text: string) => Value): Value {
    if (this.#isWaiting) fallBack('a file behind a call');
    return this.ask(() => context.fileData(path, (text) => this.#withoutLines(() => read(text))));
  }

  #saveCached(cache: PuppetHash, keys: Iterable<Value>): void {
    for (const key of keys) {
      const before = cache.get(key);
      this.#undo.push(() => (before === undefined ? cache.delete(key) : cache.set(key, before)));
    }
  }

  #withoutLines<T>(work: () => T): T {
    const before = this.#waiting.length;
    const made = work();
    return this.#waiting.length > before ? fallBack('lines of the log for what is kept') : made;
  }

  /** Returns the text of a file that the server keeps; null for a path of another kind. */
  #readKept(path: string, callbacks: RubyCallbacks): string | null {
    if (this.#isWaiting) fallBack('a file behind a call');
    const kept = this.ask(() => callbacks.readKept(path));
    if (kept === null) fallBack('a file that is not kept yet');
    return kept === false ? null : kept;
  }

  #drawNumber(name: string, below: number, callbacks: RubyCallbacks): number {
    const { drawNumber } = this.#context;
    if (!drawNumber) return fallBack('a random number');
    this.ask(() => callbacks.recordVolatile(name));
    return drawNumber(below);
  }

  #keep(container: Value[] | PuppetHash): void {
    if (this.#context.isInRuby) fallBack('a change that Ruby has to see');
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

  #callFunction(called: FunctionCall, isLegacy: boolean, callbacks: RubyCallbacks): Value {
    const { name, args, where, use, isOwn } = called;
    for (const arg of args) requirePlain(arg);
    if (isLegacy && name === 'versioncmp') return compareVersionArguments(args);
    if (isLegacy && !BUILT_IN.test(name)) return this.#callLegacy(called, callbacks);
    const kind = this.ask(() => callbacks.functionKind(name, isOwn));
    if (isLogLevel(name)) {
      if (kind !== 'built-in') fallBack(`the function ${name}`);
      this.wait(() => void callbacks.callFunction(name, args, null, where));
      return null;
    }
    if (name === 'deprecation' && kind === 'built-in' && use === 'discarded' && !isLegacy) {
      if (this.ask(() => callbacks.getSetting('strict')) === 'error') fallBack('a deprecation that is an error');
      this.wait(() => void callbacks.callFunction(name, args, null, where, isOwn));
      return null;
    }
    if (kind === 'built-in' && !isLegacy && PURE_BUT_LOGGED.has(name)) return this.#callQuietly(called, callbacks);
    const isPure = kind === 'built-in' && (isLegacy ? LEGACY_PURE : PURE).has(name);
    // Another function may change state that is read after it.
    const isDeferrable = use === 'last' || (use === 'discarded' && kind === 'built-in');
    if (isDeferrable && !isPure && !isLegacy && !this.#context.isWithin) return this.#defer(called, callbacks);
    if (kind === 'puppet' && !isLegacy) return this.#callPuppet(called, callbacks);
    if (!isPure && (isLegacy || kind !== 'ruby')) fallBack(`the function ${name}`);
    if (this.#isWaiting) fallBack('a call behind a call');
    const result = this.ask(() => callbacks.callFunction(name, args, null, where, isOwn));
    return this.#context.isAltered() ? fallBack("code that changes Ruby's classes") : result;
  }

  /** Calls a function of Puppet code, which may write to the log, declare and set variables. */
  #callPuppet({ name, args, where, isOwn }: FunctionCall, callbacks: RubyCallbacks): Value {
    if (this.#isWaiting) fallBack('a call behind a call');
    if (this.#context.isWithin || this.#waiting.length > 0) fallBack('lines of the log in order');
    if (args.some((arg) => typeof arg === 'object' && arg !== null)) fallBack('a container for Puppet code');
    this.#listed.clear();
    const call = () => callbacks.callFunction(name, args, null, where, isOwn);
    const result = this.ask(() => this.#context.callPuppet(name, args, where, call));
    return this.#context.isAltered() ? fallBack("code that changes Ruby's classes") : result;
  }

  /** Calls a function without side effects. One that writes to the log is left to Ruby. */
  #callQuietly({ name, args, where }: FunctionCall, callbacks: RubyCallbacks): Value {
    if (this.#isWaiting) fallBack('a call behind a call');
    const result = this.ask(() => callbacks.callQuietly(name, args, where));
    if (result === undefined) return fallBack('a function that writes to the log');
    return this.#context.isAltered() ? fallBack("code that changes Ruby's classes") : result;
  }

  /** Calls a module's 3.x function from its own file; such a call reaches only these. */
  #callLegacy({ name, args, where }: FunctionCall, callbacks: RubyCallbacks): Value {
    if (this.#isWaiting || ONLY_MODERN.test(name)) fallBack(`the function ${name}`);
    const source = this.ask(() => callbacks.functionSource(name));
    const program = source && this.#context.legacyFunction(source);
    if (program?.description.name !== name || !takesCount(program.description, args.length))
      return fallBack(`the function ${name}`);
    if (program.requires.length > 0) fallBack('a function that requires files');
    const render = new Rendering(this.worldOf(callbacks, where), SCOPE_SELF, new Map(), this.owned);
    const result = program.run(render, [render.markOwn([...args])]);
    requirePlain(result);
    return program.description.type === 'rvalue' ? result : null;
  }

  #defer({ name, args, where, isOwn }: FunctionCall, callbacks: RubyCallbacks): DeferredCall {
    this.#isWaiting = true;
    const call = new DeferredCall(() => callbacks.callFunction(name, args, null, where, isOwn));
    this.wait(() => void call.make());
    return call;
  }
}

interface FunctionCall {
  readonly name: string;
  readonly args: readonly Value[];
  readonly where: ScopeName;
  readonly use: ResultUse;
  /** Whether a 4.x function calls it by its own `call_function`. */
  readonly isOwn: boolean;
}

function compareVersionArguments(args: readonly Value[]): bigint {
  const [left, right] = args;
  if (args.length !== 2 || typeof left !== 'string' || typeof right !== 'string') return fallBack('versioncmp');
  return BigInt(compareVersions(left, right, false));
}

/** Throws Fallback for a value that Puppet code and Ruby treat differently. */
export function requirePlain(value: Value): void {
  if (value instanceof RecordingHash) return;
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

function isPlain(value: Value): boolean {
  try {
    requirePlain(value);
    return true;
  } catch (error) {
    if (error instanceof Fallback) return false;
    throw error;
  }
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
