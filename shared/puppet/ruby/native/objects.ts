/** Ruby objects that are not Puppet values. */

import type { VisibleVariables } from '../../evaluator/ruby-port.ts';
import { InternalValue, type Value } from '../../types/values/values.ts';
import type { CompileWorld } from './compile-world.ts';
import { fallBack } from './fallback.ts';
import type { Block, DefinedMethod, MethodCall } from './runtime.ts';

export class RubyRange extends InternalValue {
  readonly from: Value;
  readonly to: Value;
  readonly excludesEnd: boolean;

  constructor(from: Value, to: Value, excludesEnd: boolean) {
    super();
    this.from = from;
    this.to = to;
    this.excludesEnd = excludesEnd;
  }

  equalityKey(): string {
    return `range:${typeof this.from}:${this.from}${this.excludesEnd ? '...' : '..'}${typeof this.to}:${this.to}`;
  }
}

/** A class or module, by its name. */
export class RubyClass extends InternalValue {
  readonly name: string;

  constructor(name: string) {
    super();
    this.name = name;
  }

  equalityKey(): string {
    return `class:${this.name}`;
  }
}

/**
 * A module that a file of a module defines, with the methods that are called on it; or a class,
 * with those of its objects.
 */
export class DefinedModule extends InternalValue {
  readonly name: string;
  readonly isClass: boolean;
  readonly methods: ReadonlyMap<string, DefinedMethod>;
  /** Methods that read what another method of the module sets: only its own code calls them. */
  readonly dependent: ReadonlySet<string>;

  constructor(
    name: string,
    isClass: boolean,
    methods: ReadonlyMap<string, DefinedMethod>,
    dependent: ReadonlySet<string>,
  ) {
    super();
    this.name = name;
    this.isClass = isClass;
    this.methods = methods;
    this.dependent = dependent;
  }

  equalityKey(): string {
    return fallBack('a module compared');
  }
}

/** An object of such a class; it has no variables. */
export class DefinedObject extends InternalValue {
  readonly class: DefinedModule;

  constructor(its: DefinedModule) {
    super();
    this.class = its;
  }

  equalityKey(): string {
    return fallBack('an object compared');
  }
}

export class RubyMatch extends InternalValue {
  readonly match: RegExpExecArray;

  constructor(match: RegExpExecArray) {
    super();
    this.match = match;
  }

  group(index: number): Value {
    return this.match.at(index) ?? null;
  }

  equalityKey(): string {
    return `match:${JSON.stringify(this.match)}`;
  }
}

/** An object that only the template's own code can name: its scope, the text so far. */
export class RubySpecial extends InternalValue {
  readonly what:
    | 'scope'
    | 'catalog'
    | 'variables'
    | 'resource'
    | 'parameters'
    | 'parameter'
    | 'output'
    | 'template'
    | 'function'
    | 'unknown';

  constructor(what: RubySpecial['what']) {
    super();
    this.what = what;
  }

  equalityKey(): string {
    return `special:${this.what}`;
  }
}

/** A scope passed to code. */
export class RubyScope extends RubySpecial {
  readonly world: CompileWorld;

  constructor(world: CompileWorld) {
    super('scope');
    this.world = world;
  }
}

/** The result of `->(name) { ... }`. */
export class RubyLambda extends RubySpecial {
  readonly code: Block;

  constructor(code: Block) {
    super('unknown');
    this.code = code;
  }
}

/** The result of `scope.to_hash`. */
export class RubyVariables extends RubySpecial {
  readonly visible: VisibleVariables;

  constructor(visible: VisibleVariables) {
    super('variables');
    this.visible = visible;
  }
}

/** An object of Puppet of which only these methods are known, by name. */
export class RubyFacade extends RubySpecial {
  readonly methods: ReadonlyMap<string, (call: MethodCall) => Value>;

  constructor(methods: Readonly<Record<string, (call: MethodCall) => Value>>) {
    super('unknown');
    this.methods = new Map(Object.entries(methods));
  }
}

/** The parameters of a resource that are set. Objects of Puppet among the values are not known. */
type RubyParameters = ReadonlyMap<string, Value>;

/** The result of `scope.resource` and `catalog.resource`. */
export class RubyResource extends RubySpecial {
  readonly type: string;
  readonly title: string;
  readonly parameters: RubyParameters;

  constructor(type: string, title: string, parameters: RubyParameters) {
    super('resource');
    this.type = type;
    this.title = title;
    this.parameters = parameters;
  }
}

/** The result of `resource.parameters`. */
export class HeldParameters extends RubySpecial {
  readonly parameters: RubyParameters;

  constructor(parameters: RubyParameters) {
    super('parameters');
    this.parameters = parameters;
  }
}

/** A parameter of such a table. */
export class HeldParameter extends RubySpecial {
  readonly held: Value;

  constructor(held: Value) {
    super('parameter');
    this.held = held;
  }
}

export const SCOPE = new RubySpecial('scope');
export const CATALOG = new RubySpecial('catalog');
export const OUTPUT = new RubySpecial('output');
export const TEMPLATE = new RubySpecial('template');
export const FUNCTION = new RubySpecial('function');
/** An object on which no operation is allowed. */
export const UNKNOWN = new RubySpecial('unknown');

/** A call of a function that is made in the end: what it gives is not known before. */
export class DeferredCall extends InternalValue {
  readonly #make: () => Value;
  #made: readonly [Value] | null = null;

  constructor(make: () => Value) {
    super();
    this.#make = make;
  }

  make(): Value {
    this.#made ??= [this.#make()];
    return this.#made[0];
  }

  equalityKey(): string {
    return fallBack('what a function gives');
  }
}
