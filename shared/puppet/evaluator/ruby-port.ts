/**
 * The border to Ruby in modules: functions of the 4.x and 3.x API, ERB templates. One port, two
 * hosts (`wasm-host.ts`, `process-host.ts`) that run the same Ruby code (`side/*.rb`). Calls are
 * synchronous; what Ruby needs of the compile comes back through `RubyCallbacks` while the call is
 * under way. A host is started by the first call.
 */
import type { SourceLocation } from '../errors/puppet-error.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { Callable, ResourceChange, ResourceName, ResourceView } from './ports.ts';

/** A parameter of a 4.x dispatch, as `Puppet::Functions` was told of it. */
export interface RubyParameter {
  readonly name: string;
  /** Puppet type text. */
  readonly type: string;
  readonly kind: 'required' | 'optional' | 'repeated' | 'required_repeated';
}

export interface RubyDispatch {
  /** The Ruby method. */
  readonly method: string;
  readonly parameters: readonly RubyParameter[];
  readonly block: { readonly name: string; readonly type: string; readonly isOptional: boolean } | null;
  readonly returns: string | null;
  /** Whether it is an `argument_mismatch` handler. */
  readonly isMismatch: boolean;
}

export interface RubyFunctionDescription {
  /** The name that the file defines. */
  readonly name: string;
  readonly dispatches: readonly RubyDispatch[];
  /** `local_types`: `Name = Type` texts. */
  readonly localTypes: readonly string[];
}

export interface LegacyFunctionDescription {
  readonly name: string;
  readonly type: 'statement' | 'rvalue';
  /** As given to `newfunction`; -1 when it was not. */
  readonly arity: number;
}

/** What the definition of a resource type says. Names of attributes are in the type's order. */
export interface RubyTypeDescription {
  readonly properties: readonly string[];
  readonly parameters: readonly string[];
  /** Parameters that are namevars, or called `name`; there may be none. */
  readonly namevars: readonly string[];
  readonly titlePatterns: readonly RubyTitlePattern[];
  /** What asking for the title patterns raised; null when it did not. */
  readonly titleError: string | null;
  readonly isomorphic: boolean;
  readonly applyTo: 'host' | 'device' | 'both';
  /** Whether the definition declares a provider itself. */
  readonly hasProvider: boolean;
}

export interface RubyTitlePattern {
  /** As `Regexp#to_s` gives it. */
  readonly pattern: string;
  readonly groups: readonly string[];
  /** Whether Ruby code changes what a group matched. */
  readonly converts: boolean;
}

/** A data type that a module defines in Ruby. */
export interface RubyDataTypeDescription {
  readonly name: string;
  /** Puppet's text of the type's attributes and functions, without braces. */
  readonly interface: string;
  /** What its objects can do in Ruby. */
  readonly methods: readonly string[];
  /**
   * Whether its objects are of a class that the module brings, and whether that can be made of a
   * hash.
   */
  readonly hasOwnClass: boolean;
  readonly takesHash: boolean;
}

/** Kinds of code that Ruby code of modules may ask for by name. */
export type DefinitionKind = 'class' | 'define' | 'function' | 'type';

/** Where code is, and what parameters it has; of functions and types the name alone. */
export interface DefinitionPlaceView {
  readonly name: string;
  readonly module?: string;
  readonly file?: string;
  readonly line?: number;
  readonly arguments?: readonly string[];
  readonly parent?: string;
}

/** Names of the attributes of a resource type that are no metaparameters. */
export interface ResourceAttributes {
  readonly properties: readonly string[];
  readonly parameters: readonly string[];
  readonly namevars: readonly string[];
}

/** A template or a piece of Ruby code, and the path that errors show for it. */
export interface RubySource {
  readonly path: string;
  readonly text: string;
}

/** A Puppet lambda that Ruby may call. */
export interface PuppetBlock {
  (args: readonly Value[]): Value;
  /** Ruby's kind (`req`, `opt`, `rest`) and the name of each parameter. */
  readonly parameters?: readonly (readonly [kind: string, name: string])[];
  /** The lambda itself, for where Ruby gives it to another function. */
  readonly lambda?: Callable;
}

/**
 * What Ruby gives to a function that it calls: a block of its own, or a lambda that it was given
 * itself.
 */
export interface GivenBlock {
  (args: readonly Value[]): Value;
  /** How many arguments a block of Ruby takes at least and at most. */
  readonly arity?: readonly [least: number, most: number];
  readonly lambda?: Callable;
}

/** An object of a data type that is defined in Ruby. */
export interface RubyDataObjectState {
  readonly number: number;
  /** What its constructor takes, in that order. */
  readonly attributes: PuppetHash;
}

/**
 * A scope for Ruby: that of the call under way (null), the top scope (empty), or that of a class
 * that was evaluated, by its name.
 */
export type ScopeName = string | null;

/**
 * Variables as they were at one moment, without those that are undef; what of them is read is
 * recorded.
 */
export interface VisibleVariables {
  get(name: string): Value | undefined;
  all(): ReadonlyMap<string, Value>;
}

/**
 * What Ruby may ask of the compile while a call is under way. Every read goes through the recorders
 * of the compile.
 */
export interface RubyCallbacks {
  callFunction(name: string, args: readonly Value[], block: GivenBlock | null, where: ScopeName): Value;
  /**
   * A method of an object of the compile (`context.not_found`); `block` takes `blockArity`
   * arguments.
   */
  callMethod(
    object: Value,
    name: string,
    args: readonly Value[],
    block: ((args: readonly Value[]) => Value) | null,
    blockArity: number,
  ): Value;
  /**
   * A variable by name as templates and `scope.lookupvar` give it; undefined when it is not set.
   * With `demanded`, one that is not set is an error or a warning as the `strict` setting says.
   */
  getVariable(name: string, demanded: boolean, where: ScopeName): Value | undefined;
  /** The variables that the scope sees now (`scope.to_hash`). */
  getVariables(where: ScopeName): VisibleVariables;
  /**
   * What resources of a type (`Foo::Bar`) that are declared in the scope get by default, by
   * parameter.
   */
  getDefaults(type: string, where: ScopeName): ReadonlyMap<string, Value>;
  setVariable(name: string, value: Value, where: ScopeName): void;
  /** Takes back the last `setVariable` of that name. */
  unsetVariable(name: string, where: ScopeName): void;
  /**
   * Who wrote the function of that name, if there is one: Puppet, a module in Ruby with the 4.x
   * API, or somebody else.
   */
  functionKind(name: string): 'built-in' | 'ruby' | 'other';
  /** With a key, only what comes first for that key is logged. */
  log(level: string, message: string, key: string | null, source: string | null): void;
  /** A file of the environment, recorded. */
  readFile(path: string): string | null;
  kindOf(path: string): 'file' | 'directory' | null;
  list(path: string): readonly string[] | null;
  /** A resource of the catalog, or without a name that of the scope. */
  findResource(name: ResourceName | null): ResourceView | null;
  resourceNames(): readonly ResourceName[];
  changeResource(name: ResourceName, change: ResourceChange): void;
  /**
   * Takes a resource out of the catalog, or off the compiler's list of what is yet to be evaluated
   * and finished.
   */
  removeResource(name: ResourceName, from: 'catalog' | 'compiler'): void;
  /**
   * The resources whose bodies the scope and those around it are, from within; the last is that of
   * the top scope.
   */
  scopeNames(): readonly ResourceName[];
  /** What has that name, or null. */
  findDefinition(kind: DefinitionKind, name: string): DefinitionPlaceView | null;
  /** The attributes of a resource type, or null. */
  resourceType(name: string): ResourceAttributes | null;
  /** Modules by name, each with its folder. */
  listModules(): ReadonlyMap<string, string>;
  /** `scope.tags`, `all_tags` of the catalog, and `classes`. */
  listTags(which: 'scope' | 'all' | 'classes'): readonly string[];
  getSetting(name: string): Value | undefined;
  /** The calls under way, the innermost first: file and line of each. */
  getStack(): readonly (readonly [file: string, line: number])[];
  /** What Puppet says of arguments that no dispatch of the function takes. */
  describeMismatch(description: RubyFunctionDescription, args: readonly Value[]): string;
  /** The attributes that the title of a resource stands for. */
  titleAttributes(type: string, title: string): ReadonlyMap<string, string>;
  /**
   * Questions about the type system, answered by ours: is `value` an instance of the type text, its
   * type's text.
   */
  isInstance(type: string, value: Value): boolean;
  /** `isSet`: with a type for each element. */
  typeOf(value: Value, isSet: boolean): string;
  /**
   * Rich data: what JSON can hold, with `__ptype` for all else; and the value that it stands for.
   */
  toRichData(value: Value, localReferences: boolean): Value;
  fromRichData(data: Value): Value;
  /**
   * Source of another module file that defines a function Ruby asks for (3.x `function_x`,
   * autoload).
   */
  functionSource(name: string): RubySource | null;
  /** A function whose result is not determined by its inputs was called. */
  recordVolatile(name: string): void;
  /** Nanoseconds since 1970, asked for by that name. */
  readClock(name: string): bigint;
}

/**
 * Ruby, synchronously. Errors of the user's Ruby code are thrown as `RubyError`; MachineryFault
 * where Ruby itself can't run.
 */
export interface RubyPort {
  describeFunction(name: string, source: RubySource, callbacks: RubyCallbacks): RubyFunctionDescription;
  callFunction(
    description: RubyFunctionDescription,
    method: string,
    args: readonly Value[],
    block: PuppetBlock | null,
    callbacks: RubyCallbacks,
  ): Value;
  describeLegacyFunction(name: string, source: RubySource, callbacks: RubyCallbacks): LegacyFunctionDescription;
  callLegacyFunction(name: string, args: readonly Value[], callbacks: RubyCallbacks): Value;
  /** Renders ERB as Puppet's TemplateWrapper does; `variables` are given as `@name`. */
  renderTemplate(template: RubySource, callbacks: RubyCallbacks): string;
  /**
   * Compiles a template without rendering it. Throws what rendering would throw before any of its
   * code runs.
   */
  checkTemplate(template: RubySource): void;
  /** Runs the definition of a resource type (`lib/puppet/type/<name>.rb`). */
  describeType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyTypeDescription;
  /** Runs the definition of a data type (`lib/puppet/datatypes/<name>.rb`). */
  describeDataType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyDataTypeDescription;
  /**
   * Calls a method of the object with that number, which stays in Ruby for as long as the compile;
   * null only makes it from the attributes, which its class may refuse.
   */
  callDataType(
    type: RubyDataTypeDescription,
    object: RubyDataObjectState,
    method: string | null,
    args: readonly Value[],
    block: PuppetBlock | null,
    callbacks: RubyCallbacks,
  ): Value;
  /**
   * The calls that follow belong to another compile, of code with that id: they see nothing of what
   * Ruby did and was given before, but for code of modules that is the same.
   */
  beginCompile(codeId: string): void;
  /**
   * What native code failed at since this was last asked, so that Ruby ran it instead: the file
   * that ran and the error, at most 100. Each is a defect of ours.
   */
  takeNativeDefects(): readonly string[];
  /** Whether the call under way waits for Ruby to be ready, and runs no code of modules yet. */
  readonly isStarting: boolean;
}

/** What kind of exception it is. */
export interface RubyErrorTraits {
  /** One of Puppet's own classes. */
  readonly isPuppets: boolean;
  /** No StandardError: nothing rescues it. */
  readonly isBare: boolean;
  /** The place that the code gave it, and the message without that. */
  readonly given: (SourceLocation & { readonly basic: string }) | null;
}

/** An exception of Ruby code: its class, message and the innermost place in a module's file. */
export class RubyError extends Error {
  readonly rubyClass: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly traits: RubyErrorTraits;
  /** A Puppet error that crossed Ruby on its way, to be raised again as it was. */
  readonly original: unknown;

  constructor(
    rubyClass: string,
    message: string,
    place: { file: string | null; line: number | null },
    original?: unknown,
    traits: Partial<RubyErrorTraits> = {},
  ) {
    super(message);
    this.name = 'RubyError';
    this.rubyClass = rubyClass;
    this.file = place.file;
    this.line = place.line;
    this.original = original;
    this.traits = { isPuppets: false, isBare: false, given: null, ...traits };
  }
}
