import { RecordingHash } from '../../environment/recording-hash.ts';
import type { RubyCallbacks } from '../../evaluator/ruby-callbacks.ts';
import type {
  LegacyFunctionDescription,
  RubyFunctionDescription,
  RubySource,
  ScopeName,
} from '../../evaluator/ruby-port.ts';
import { NoSuchKey } from '../../hiera/lookup-context.ts';
import { BytesText } from '../../types/values/bytes-text.ts';
import { PuppetHash } from '../../types/values/puppet-hash.ts';
import { Sensitive, type Value } from '../../types/values/values.ts';
import { CompileWorld } from './compile-world.ts';
import { fallBack } from './fallback.ts';
import { readFunction } from './function-source.ts';
import { Libraries } from './library-program.ts';
import { functionSelf, SCOPE_SELF } from './methods/function-methods.ts';
import { isKnownConstant } from './methods/library-methods.ts';
import type { NativeWork } from './native-work.ts';
import { DeferredCall, RubyScope } from './objects.ts';
import { compileMethod, evaluateConstant } from './program.ts';
import { ProgramCache } from './program-cache.ts';
import { type DefinedMethod, type Modules, Rendering, type SelfObject } from './runtime.ts';
import { requirePlain, type Transaction } from './transaction.ts';

/** Number of characters of files whose programs are cached. */
const KEPT_CHARACTERS = 2_000_000;
const DEPTH_LIMIT = 20;

/**
 * Runs functions of modules without Ruby. A file qualifies when it contains only a function, and
 * the function uses only operations known to behave identically here. All else, and every failure,
 * is left to Ruby as if nothing had been tried.
 */
export class NativeFunctions {
  readonly #work: NativeWork;
  readonly #kept: ProgramCache<FunctionProgram>;
  readonly #constants = new FileConstants();
  readonly #libraries: Libraries;
  #depth = 0;

  constructor(work: NativeWork) {
    this.#work = work;
    this.#libraries = new Libraries(work.defects);
    this.#kept = new ProgramCache(KEPT_CHARACTERS, work.defects, compileFunction);
  }

  beginCompile(): void {
    this.#depth = 0;
    this.#constants.clear();
    this.#libraries.clear();
  }

  /** Returns the files of modules that functions required since the last call. */
  takeRequired(): readonly string[] {
    return this.#libraries.takeLoaded();
  }

  /**
   * Returns functions described earlier that set a constant of this file too. Ruby must load them
   * first, so that the right one wins.
   */
  rivalsOf(source: RubySource): readonly (readonly [name: string, source: RubySource])[] {
    return this.#constants.rivalsOf(source);
  }

  /** Returns the description; null for a function whose file Ruby must load. */
  describe(name: string, source: RubySource): RubyFunctionDescription | null {
    this.#constants.note(name, source);
    if (this.#constants.areContested(source.text)) return null;
    const description = this.#work.isAltered ? null : this.#kept.find(source).program?.description;
    return description?.name === name ? description : null;
  }

  describeLegacy(name: string, source: RubySource): LegacyFunctionDescription | null {
    const description = this.#work.isAltered ? null : this.#work.legacyFunctions.find(source).program?.description;
    return description?.name === name ? description : null;
  }

  /** Returns the function's result in an array; null when Ruby must run it. */
  call(source: RubySource, method: string, args: readonly Value[], callbacks: RubyCallbacks): readonly [Value] | null {
    const kept = this.#kept.find(source);
    const { program } = kept;
    const body = program?.methods.get(method);
    if (!program || !body || kept.skip() || this.#constants.areContested(source.text)) return null;
    const modules = this.#libraries.load(source.path, program.requires, callbacks);
    if (!modules) return null;
    const run: FunctionRun = { name: source.path, self: program.self, where: '', modules };
    const done = this.#run(run, callbacks, (render, transaction) => {
      const scope = program.scoped.has(method) ? [new RubyScope(new CompileWorld(transaction, callbacks, null))] : [];
      return body(render, [...scope, ...args], true);
    });
    kept.count(done === null);
    return done;
  }

  callLegacy(source: RubySource, args: readonly Value[], callbacks: RubyCallbacks): readonly [Value] | null {
    const kept = this.#work.legacyFunctions.find(source);
    const { program } = kept;
    if (!program || kept.skip()) return null;
    // The code in Ruby that calls it may use what the files define.
    if (program.requires.length > 0 && this.#work.isInRuby()) return null;
    const modules = this.#libraries.load(source.path, program.requires, callbacks);
    if (!modules) return null;
    const run: FunctionRun = { name: source.path, self: SCOPE_SELF, where: null, modules };
    const done = this.#run(run, callbacks, (render) => {
      for (const arg of args) requirePlain(arg instanceof Sensitive ? arg.unwrap() : arg);
      return program.run(render, [render.markOwn([...args])], true);
    });
    kept.count(done === null);
    return done && (program.description.type === 'rvalue' ? done : [null]);
  }

  #run(
    { name, self, where, modules }: FunctionRun,
    callbacks: RubyCallbacks,
    body: (render: Rendering, transaction: Transaction) => Value,
  ): readonly [Value] | null {
    if (this.#depth >= DEPTH_LIMIT) return null;
    this.#depth += 1;
    try {
      const done = this.#work.run(name, (transaction: Transaction) => {
        const world = new CompileWorld(transaction, callbacks, where);
        return endWith(() => body(new Rendering(world, self, new Map(), transaction.owned, modules), transaction));
      });
      if (done?.[0] instanceof NoSuchKey) throw done[0];
      return done && [done[0] instanceof DeferredCall ? done[0].make() : done[0]];
    } finally {
      this.#depth -= 1;
    }
  }
}

interface FunctionRun {
  /** The file. */
  readonly name: string;
  readonly self: SelfObject;
  readonly where: ScopeName;
  readonly modules: Modules;
}

interface FunctionProgram {
  readonly description: RubyFunctionDescription;
  readonly self: SelfObject;
  readonly methods: ReadonlyMap<string, DefinedMethod>;
  readonly scoped: ReadonlySet<string>;
  readonly requires: readonly string[];
}

function compileFunction(text: string): FunctionProgram {
  const { description, methods: definitions, constants: set, scoped, requires } = readFunction(text);
  const constants = new Map<string, Value>();
  for (const [name, value] of set) {
    if (constants.has(name) || isKnownConstant(name)) fallBack('a constant that is there');
    constants.set(name, evaluateConstant(value, constants));
  }
  const methods = new Map(definitions.map((one) => [one.name, compileMethod(one, constants)]));
  return { description, methods, scoped, requires, self: functionSelf(methods) };
}

const LARGEST = 2n ** 63n;

/** Returns the result, or the jump of `not_found`, which ends the function as a result does. */
function endWith(work: () => Value): Value | NoSuchKey {
  try {
    return assertResult(work());
  } catch (error) {
    if (error instanceof NoSuchKey) return error;
    throw error;
  }
}

/** Checks that Puppet cannot distinguish the result from Ruby's. */
function assertResult(value: Value): Value {
  if (value instanceof DeferredCall) return value;
  requireResult(value);
  return value;
}

function requireResult(value: Value): void {
  if (typeof value === 'bigint') {
    if (value >= LARGEST || value < -LARGEST) fallBack('a large integer');
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) fallBack('a float that is no number');
  } else if (typeof value === 'string') {
    if (!value.isWellFormed()) fallBack('halves of characters');
  } else if (Array.isArray(value)) value.forEach(requireResult);
  // Facts are data; readers read them on demand.
  else if (value instanceof RecordingHash) return;
  else if (value instanceof PuppetHash) {
    for (const [key, item] of value) {
      requireResult(key);
      requireResult(item);
    }
  } else if (typeof value === 'object' && value !== null && !(value instanceof BytesText)) fallBack('an object');
}

const SET = /^[ \t]*([A-Z]\w*)[ \t]*(?:\|\|)?=(?![=~>])/gm;

type Place = readonly [name: string, source: RubySource];

/**
 * Constants that function files set in a compile. Ruby has one global table: the file loaded last
 * determines the value for the functions of all files.
 */
class FileConstants {
  /** The files that set a constant, by its name. */
  readonly #places = new Map<string, Place[]>();
  /** Texts of files that set a constant which another file sets too. */
  readonly #contested = new Set<string>();

  clear(): void {
    this.#places.clear();
    this.#contested.clear();
  }

  /** Records the constants of a function's file. */
  note(name: string, source: RubySource): void {
    for (const constant of constantsIn(source)) {
      const places = this.#places.get(constant) ?? [];
      this.#places.set(constant, places);
      if (places.some(([, { text }]) => text === source.text)) continue;
      places.push([name, source]);
      if (places.length > 1) for (const [, { text }] of places) this.#contested.add(text);
    }
  }

  areContested(text: string): boolean {
    return this.#contested.has(text);
  }

  /** Returns the other files that set a constant of this one. */
  rivalsOf(source: RubySource): readonly Place[] {
    if (!this.areContested(source.text)) return [];
    const places = constantsIn(source).flatMap((constant) => this.#places.get(constant) ?? []);
    return places.filter(([, { text }]) => text !== source.text);
  }
}

function constantsIn({ text }: RubySource): readonly string[] {
  return Array.from(text.matchAll(SET), ([, constant = '']) => constant);
}
