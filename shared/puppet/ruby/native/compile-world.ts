import { isLogLevel } from '../../errors/compile-log.ts';
import type { ResourceName } from '../../evaluator/ports.ts';
import type { RubyCallbacks } from '../../evaluator/ruby-callbacks.ts';
import type { ScopeName, VisibleVariables } from '../../evaluator/ruby-port.ts';
import type { LookupContext } from '../../hiera/lookup-context.ts';
import { compareVersions } from '../../ruby-core/version-compare.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import type { Value } from '../../types/values/values.ts';
import { fallBack } from './fallback.ts';
import { BUILT_IN } from './function-source.ts';
import { takesCount } from './legacy-programs.ts';
import { SCOPE_SELF } from './methods/function-methods.ts';
import { isTaken } from './methods/template-methods.ts';
import { RubyResource, UNKNOWN } from './objects.ts';
import { type CallWay, type DefinedMethod, Rendering, type ResultUse } from './runtime.ts';
import { findForeign, requirePlain, type Transaction } from './transaction.ts';

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

/** The compile as native code of a transaction sees it, in one scope. */
export class CompileWorld {
  readonly transaction: Transaction;
  readonly #callbacks: RubyCallbacks;
  readonly #where: ScopeName;

  constructor(transaction: Transaction, callbacks: RubyCallbacks, where: ScopeName) {
    this.transaction = transaction;
    this.#callbacks = callbacks;
    this.#where = where;
  }

  /** Whether code sees Ruby 4.0; see the differences of the levels. */
  get isRuby40(): boolean {
    return this.#callbacks.language.ruby40;
  }

  /** Looks up a variable, as `scope.lookupvar` does. */
  lookUp(name: string): Value {
    return this.findVariable(name) ?? this.#demand(name);
  }

  /** Returns a variable; undefined when it does not exist. */
  findVariable(name: string): Value | undefined {
    return this.#read('a variable behind a call', () => this.#callbacks.getVariable(name, false, this.#where));
  }

  /** Returns the variables; the last result is reused until a variable is set. */
  variables(): VisibleVariables {
    this.#requireNoWait('variables behind a call');
    return this.transaction.listVariables(this.#callbacks, this.#where);
  }

  /** Returns the resource whose code runs in the scope; null for none. */
  resource(): RubyResource | null {
    if (this.#where !== null) fallBack('the resource of another scope');
    return this.#findResource(null);
  }

  /** Returns a resource of the catalog, by its type and title as the catalog has them. */
  findResource(type: string, title: string): RubyResource | null {
    return this.#findResource([type, title]);
  }

  /** Returns the attributes that a title gives. */
  titleAttributes(type: string, title: string): ReadonlyMap<string, string | null> {
    return this.transaction.ask(() => this.#callbacks.titleAttributes(type, title));
  }

  /** Returns the same world with the variables of the top scope. */
  atTop(): CompileWorld {
    return new CompileWorld(this.transaction, this.#callbacks, '');
  }

  /** Returns the current tags or classes of the catalog. */
  listTags(which: 'all' | 'classes'): readonly string[] {
    return this.#read('tags behind a call', () => this.#callbacks.listTags(which));
  }

  setVariable(name: string, value: Value): void {
    this.transaction.setVariable(name, value, this.#callbacks, this.#where);
  }

  /** Whether the log keeps lines of that level. */
  isLogged(level: string): boolean {
    return this.#callbacks.isLogged(level);
  }

  /** Writes a line to the log. */
  log(level: string, message: string): void {
    if (this.isLogged(level)) this.transaction.wait(() => this.#callbacks.log(level, message, null, null));
  }

  /**
   * Calls a method of a lookup's context. Ruby would repeat the call: the cache is restored before,
   * and a call that writes to the log is left to it.
   */
  callContext(context: LookupContext, name: string, args: readonly Value[]): Value {
    this.#requireNoWait('a lookup behind a call');
    const transaction = this.transaction;
    const { log } = context.invocation.scope.context;
    const { entries, said } = log.position;
    const [first = null] = args;
    if (name === 'cache') transaction.saveEntries(context.state.cache, [first]);
    if (name === 'cache_all')
      transaction.saveEntries(context.state.cache, first instanceof PuppetHash ? first.keys() : []);
    const value = transaction.ask(() => this.#callbacks.callMethod(context, name, args, null, 0));
    if (log.entries.length > entries) {
      transaction.onRollBack(() => log.rewind({ entries, said }));
      fallBack('a lookup that writes to the log');
    }
    return value;
  }

  /**
   * Returns what `read` makes of a file's text, once in a compile. It must not write to the log:
   * that would not be repeated.
   */
  dataOfFile(context: LookupContext, path: string, read: (text: string) => Value): Value {
    this.#requireNoWait('a file behind a call');
    const transaction = this.transaction;
    return transaction.ask(() => context.fileData(path, (text) => transaction.withoutLines(() => read(text))));
  }

  /** Returns a setting of Puppet; null when there is none. */
  getSetting(name: string): Value {
    return this.transaction.ask(() => this.#callbacks.getSetting(name)) ?? null;
  }

  /** Returns the folder of a module; null when there is none. */
  findModule(name: string): Value {
    return this.#read('a module behind a call', () =>
      this.#callbacks.callFunction('module_directory', [name], null, this.#where),
    );
  }

  kindOf(path: string): 'file' | 'directory' | null {
    const kept = this.#readKept(path);
    return kept === null ? this.transaction.ask(() => this.#callbacks.kindOf(path)) : 'file';
  }

  /** Returns the text of a file of the environment; null when there is none. */
  readFile(path: string): string | null {
    return this.#readKept(path) ?? this.transaction.ask(() => this.#callbacks.readFile(path));
  }

  /**
   * Returns a random integer from 0 up to, but not including, `below`, and marks the catalog as
   * volatile. `name`: the method that draws it.
   */
  drawNumber(name: string, below: number): number {
    const { drawNumber } = this.transaction.context;
    if (!drawNumber) return fallBack('a random number');
    this.transaction.ask(() => this.#callbacks.recordVolatile(name));
    return drawNumber(below);
  }

  defineMethod(name: string, source: string, method: DefinedMethod): void {
    if (isTaken(name)) fallBack(`a method ${name}`);
    this.transaction.defineMethod(name, source, method);
  }

  /** Calls a function. A call whose result is not needed may be deferred to the end. */
  callFunction(name: string, args: readonly Value[], way: CallWay, use: ResultUse): Value {
    for (const arg of args) requirePlain(arg);
    const isLegacy = way === 'legacy';
    if (isLegacy && name === 'versioncmp') return compareVersionArguments(args);
    if (isLegacy && !BUILT_IN.test(name)) return this.#callLegacy(name, args);
    const [transaction, callbacks, isOwn] = [this.transaction, this.#callbacks, way === 'own'];
    const call = () => callbacks.callFunction(name, args, null, this.#where, isOwn);
    const kind = transaction.ask(() => callbacks.functionKind(name, isOwn));
    if (isLogLevel(name)) {
      if (kind !== 'built-in') fallBack(`the function ${name}`);
      transaction.wait(() => void callbacks.callFunction(name, args, null, this.#where));
      return null;
    }
    if (name === 'deprecation' && kind === 'built-in' && use === 'discarded' && !isLegacy) {
      if (this.getSetting('strict') === 'error') fallBack('a deprecation that is an error');
      transaction.wait(() => void call());
      return null;
    }
    if (kind === 'built-in' && !isLegacy && PURE_BUT_LOGGED.has(name)) return this.#callQuietly(name, args);
    const isPure = kind === 'built-in' && (isLegacy ? LEGACY_PURE : PURE).has(name);
    // Another function may change state that is read after it.
    const isDeferrable = use === 'last' || (use === 'discarded' && kind === 'built-in');
    if (isDeferrable && !isPure && !isLegacy && !transaction.isWithin) return transaction.defer(call);
    if (kind === 'puppet' && !isLegacy) return this.#callPuppet(name, args, call);
    if (!isPure && (isLegacy || kind !== 'ruby')) fallBack(`the function ${name}`);
    return this.#unaltered(this.#read('a call behind a call', call));
  }

  /** Calls a function of Puppet code, which may write to the log, declare and set variables. */
  #callPuppet(name: string, args: readonly Value[], call: () => Value): Value {
    const transaction = this.transaction;
    this.#requireNoWait('a call behind a call');
    if (transaction.isWithin || transaction.hasDeferred) fallBack('lines of the log in order');
    if (args.some((arg) => typeof arg === 'object' && arg !== null)) fallBack('a container for Puppet code');
    transaction.forgetVariables();
    const { context } = transaction;
    return this.#unaltered(transaction.ask(() => context.callPuppet(name, args, this.#where, transaction, call)));
  }

  /** Calls a function without side effects. One that writes to the log is left to Ruby. */
  #callQuietly(name: string, args: readonly Value[]): Value {
    const result = this.#read('a call behind a call', () => this.#callbacks.callQuietly(name, args, this.#where));
    return result === undefined ? fallBack('a function that writes to the log') : this.#unaltered(result);
  }

  /** Calls a module's 3.x function from its own file; such a call reaches only these. */
  #callLegacy(name: string, args: readonly Value[]): Value {
    const transaction = this.transaction;
    if (transaction.isWaiting || ONLY_MODERN.test(name)) fallBack(`the function ${name}`);
    const source = transaction.ask(() => this.#callbacks.functionSource(name));
    const program = source && transaction.context.legacyFunctions.find(source).program;
    if (program?.description.name !== name || !takesCount(program.description, args.length))
      return fallBack(`the function ${name}`);
    if (program.requires.length > 0) fallBack('a function that requires files');
    const render = new Rendering(this, SCOPE_SELF, new Map(), transaction.owned);
    const result = program.run(render, [render.markOwn([...args])]);
    requirePlain(result);
    return program.description.type === 'rvalue' ? result : null;
  }

  /**
   * Reads a variable that is undef or missing. A missing one is logged, so no operation may be
   * deferred before it; Ruby code that waits may catch it (`catch :undefined_variable`).
   */
  #demand(name: string): Value {
    const transaction = this.transaction;
    const read = (demanded: boolean) => transaction.ask(() => this.#callbacks.getVariable(name, demanded, this.#where));
    const isMissing = read(false) === undefined;
    if (isMissing && (transaction.isWithin || transaction.hasDeferred)) fallBack('lines of the log in order');
    if (isMissing && transaction.isInRuby) fallBack('a variable that Ruby may catch');
    return read(true) ?? null;
  }

  #findResource(name: ResourceName | null): RubyResource | null {
    const view = this.#read('a resource behind a call', () => this.#callbacks.findResource(name));
    if (!view) return null;
    const [type, title] = view.name;
    if (type === 'Class' && title === 'main') fallBack('the main class');
    const parameters = Array.from(
      view.parameters,
      ([key, value]) => [key, findForeign(value) === null ? value : UNKNOWN] as const,
    );
    return new RubyResource(type, title, new Map(parameters));
  }

  /** Returns the text of a file that the server keeps; null for a path of another kind. */
  #readKept(path: string): string | null {
    const kept = this.#read('a file behind a call', () => this.#callbacks.readKept(path));
    if (kept === null) fallBack('a file that is not kept yet');
    return kept === false ? null : kept;
  }

  /** Runs a callback that no deferred call may follow. */
  #read<T>(what: string, read: () => T): T {
    this.#requireNoWait(what);
    return this.transaction.ask(read);
  }

  #requireNoWait(what: string): void {
    if (this.transaction.isWaiting) fallBack(what);
  }

  #unaltered(result: Value): Value {
    return this.transaction.context.isAltered ? fallBack("code that changes Ruby's classes") : result;
  }
}

function compareVersionArguments(args: readonly Value[]): bigint {
  const [left, right] = args;
  if (args.length !== 2 || typeof left !== 'string' || typeof right !== 'string') return fallBack('versioncmp');
  return BigInt(compareVersions(left, right, false));
}
