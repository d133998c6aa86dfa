/**
 * The port to the Ruby code of modules: functions of the 4.x and 3.x API, ERB templates. Two hosts
 * implement it (`wasm-host.ts`, `process-host.ts`) and run the same Ruby code (`side/*.rb`). Calls
 * are synchronous. During a call, Ruby reads the compile through `RubyCallbacks`. The first call
 * starts the host.
 */
import type { BytesText } from '../types/values/bytes-text.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { Callable } from './ports.ts';
import type { RubyCallbacks } from './ruby-callbacks.ts';

/** A parameter of a 4.x dispatch, as registered with `Puppet::Functions`. */
export interface RubyParameter {
  readonly name: string;
  /** Puppet type text. */
  readonly type: string;
  readonly kind: 'required' | 'optional' | 'repeated' | 'required_repeated';
}

export interface RubyDispatch {
  /** The Ruby method that implements the dispatch. */
  readonly method: string;
  readonly parameters: readonly RubyParameter[];
  readonly block: { readonly name: string; readonly type: string; readonly isOptional: boolean } | null;
  readonly returns: string | null;
  /** Whether it is an `argument_mismatch` handler. */
  readonly isMismatch: boolean;
}

export interface RubyFunctionDescription {
  /** The function name that the file defines. */
  readonly name: string;
  readonly dispatches: readonly RubyDispatch[];
  /** `local_types`: texts of the form `Name = Type`. */
  readonly localTypes: readonly string[];
}

export interface LegacyFunctionDescription {
  readonly name: string;
  readonly type: 'statement' | 'rvalue';
  /** The arity given to `newfunction`; -1 when absent. */
  readonly arity: number;
}

/** The contents of a resource type's Ruby definition. Attribute names are in the type's order. */
export interface RubyTypeDescription {
  readonly properties: readonly string[];
  readonly parameters: readonly string[];
  /** Parameters that are namevars or called `name`; may be empty. */
  readonly namevars: readonly string[];
  readonly titlePatterns: readonly RubyTitlePattern[];
  /** The error raised by the title patterns; null when they are valid. */
  readonly titleError: string | null;
  readonly isomorphic: boolean;
  readonly applyTo: 'host' | 'device' | 'both';
  /** Whether the definition itself declares a provider. */
  readonly hasProvider: boolean;
}

export interface RubyTitlePattern {
  /** As `Regexp#to_s` prints it. */
  readonly pattern: string;
  readonly groups: readonly string[];
  /** Whether Ruby code converts the text of a matched group. */
  readonly converts: boolean;
}

/** A data type that a module defines in Ruby. */
export interface RubyDataTypeDescription {
  readonly name: string;
  /** Puppet text of the type's attributes and functions, without braces. */
  readonly interface: string;
  /** Names of the Ruby methods of its objects. */
  readonly methods: readonly string[];
  /**
   * Whether the module brings its own class for the objects, and whether that class can be created
   * from a hash.
   */
  readonly hasOwnClass: boolean;
  readonly takesHash: boolean;
}

/** Kinds of definitions that a module's Ruby code may look up by name. */
export type DefinitionKind = 'class' | 'define' | 'function' | 'type';

/** The location and parameters of a definition; functions and types have only a name. */
export interface DefinitionPlaceView {
  readonly name: string;
  readonly module?: string;
  readonly file?: string;
  readonly line?: number;
  readonly arguments?: readonly string[];
  readonly parent?: string;
}

/** Attribute names of a resource type, without metaparameters. */
export interface ResourceAttributes {
  readonly properties: readonly string[];
  readonly parameters: readonly string[];
  readonly namevars: readonly string[];
}

/** A template or a piece of Ruby code, and its path in errors. */
export interface RubySource {
  readonly path: string;
  readonly text: string;
}

/** A Puppet lambda that Ruby may call. */
export interface PuppetBlock {
  (args: readonly Value[]): Value;
  /** Ruby's parameter kind (`req`, `opt`, `rest`) and name of each parameter. */
  readonly parameters?: readonly (readonly [kind: string, name: string])[];
  /** The lambda itself, for Ruby code that passes it to another function. */
  readonly lambda?: Callable;
}

/** The block that Ruby passes to a function: its own block, or a lambda that it received. */
export interface GivenBlock {
  (args: readonly Value[]): Value;
  /** Minimum and maximum number of arguments of a Ruby block. */
  readonly arity?: readonly [least: number, most: number];
  readonly lambda?: Callable;
}

/** An object of a data type that is defined in Ruby. */
export interface RubyDataObjectState {
  readonly number: number;
  /** The constructor's arguments, in order. */
  readonly attributes: PuppetHash;
}

/**
 * A scope, as Ruby names it: the scope of the current call (null), the top scope (empty), or the
 * scope of an evaluated class, by its name.
 */
export type ScopeName = string | null;

/** A snapshot of variables without those that are undef. Each read is recorded. */
export interface VisibleVariables {
  get(name: string): Value | undefined;
  all(): ReadonlyMap<string, Value>;
}

/** The defaults that Ruby code gives for a type. */
export interface ReplacedDefaults {
  /** All in force, by parameter. */
  readonly values: ReadonlyMap<string, Value>;
  /** The names of those that the code entered into the scope's own. */
  readonly entered: readonly string[];
}

/**
 * Runs Ruby code synchronously. Throws `RubyError` for errors of the user's Ruby code,
 * MachineryFault when Ruby itself cannot run.
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
  /** Renders ERB as Puppet's TemplateWrapper does; `variables` become `@name`. */
  renderTemplate(template: RubySource, callbacks: RubyCallbacks): string | BytesText;
  /**
   * Compiles a template without rendering it. Throws the errors that rendering would throw before
   * any of the template's code runs.
   */
  checkTemplate(template: RubySource): void;
  /** Runs the definition of a resource type (`lib/puppet/type/<name>.rb`). */
  describeType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyTypeDescription;
  /** Runs the definition of a data type (`lib/puppet/datatypes/<name>.rb`). */
  describeDataType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyDataTypeDescription;
  /**
   * Calls a method of the object with that number. The object lives in Ruby until the compile ends.
   * With null, the object is only created from its attributes; its class may reject them.
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
   * Asks the object with that number for the defaults of a type (`Foo::Bar`) in its scope, which is
   * the one of the callbacks.
   */
  lookUpDefaults(object: number, type: string, callbacks: RubyCallbacks): ReplacedDefaults;
  /**
   * Starts another compile, of the code with that id: code of the same id has the same files and
   * the same language. The compile sees no state of earlier compiles, except module code that is
   * the same.
   */
  beginCompile(codeId: string): void;
  /** Ends a compile. Gives memory back when it needed much. */
  endCompile(): void;
  /**
   * Returns and clears the failures of native code since the last call: the file and the error, at
   * most 100. Ruby ran the file instead. Each failure is a defect of ours.
   */
  takeNativeDefects(): readonly string[];
  /** Whether the current call still waits for Ruby to start and runs no module code yet. */
  readonly isStarting: boolean;
}
