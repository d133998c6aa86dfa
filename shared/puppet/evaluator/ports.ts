/**
 * What the evaluator gets from outside, and what built-in functions get from the evaluator. Nothing
 * here has state. The evaluator never imports the compiler, Hiera or the functions: it reaches them
 * through `CompileContext`.
 *
 * How errors cross the evaluator (Puppet: EvaluatorImpl#evaluate): a PuppetError that has an
 * `issueCode` or a line passes as it is; one with neither gets the place of the innermost node and
 * becomes RUNTIME_ERROR (`Evaluation Error: Error while evaluating a Resource Statement, <basic>`).
 */
import type { Environment, InputRecorder } from '../environment/environment.ts';
import type { OperatorVariables } from '../environment/operator-variables.ts';
import type { CompileLog } from '../errors/compile-log.ts';
import type {
  CollectExpression,
  Expression,
  HostClassDefinition,
  LambdaExpression,
  Positioned,
  ResourceForm,
  ResourceTypeDefinition,
} from '../language/ast.ts';
import type { PuppetObject } from '../types/objects/puppet-object.ts';
import type { PType } from '../types/ptype.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { CallStack } from './call-stack.ts';
import type { RubyPort } from './ruby-port.ts';
import type { Scope } from './scope.ts';

/**
 * Settings that change what a compile does. Puppet 8's defaults: `strict` error, `strictVariables`
 * true.
 */
export interface CompileSettings {
  readonly strict: 'off' | 'warning' | 'error';
  readonly strictVariables: boolean;
  readonly tasks: boolean;
  readonly storeconfigs: boolean;
}

/** The node that is compiled. */
export interface NodeInput {
  readonly certname: string;
  readonly environment: string;
  /** Recorded when read: see `puppet/environment/inputs.ts`. */
  readonly facts: PuppetHash;
  readonly trusted: PuppetHash;
  /** `$server_facts`, or null to have none. */
  readonly serverFacts: PuppetHash | null;
  /** Top-scope parameters of the external node classifier, over the facts. */
  readonly parameters: PuppetHash;
  /** Classes of the external node classifier: names, or names with their parameters. */
  readonly classes: readonly string[] | PuppetHash;
}

/** Everything one compile shares. One object a compile; no globals. */
export interface CompileContext {
  /**
   * Nanoseconds since 1970. Who reads it notes it with `inputs.volatile`. Throws PuppetError when
   * there is no clock.
   */
  readonly clock: () => bigint;
  readonly settings: CompileSettings;
  readonly node: NodeInput;
  readonly environment: Environment;
  readonly inputs: InputRecorder;
  /**
   * Who reads one notes it with `inputs.setting`: see `puppet/environment/operator-variables.ts`.
   */
  readonly variables: OperatorVariables;
  readonly log: CompileLog;
  readonly definitions: Definitions;
  readonly catalog: CatalogOperations;
  readonly lookup: LookupService;
  readonly evaluator: Evaluation;
  /** Runs the Ruby code of modules; null when there is none. */
  readonly ruby: RubyPort | null;
  readonly topScope: Scope;
}

/**
 * What the evaluator offers to the compiler and to functions. Implemented by
 * `puppet/evaluator/evaluator.ts`.
 */
export interface Evaluation {
  readonly stack: CallStack;
  /**
   * Evaluates a node of the AST in `scope`; errors carry the location of the innermost node that
   * failed.
   */
  evaluate(node: Expression, scope: Scope): Value;
  /** Calls a function by name as Puppet code would; `site` gives errors their place. */
  callFunction(
    name: string,
    args: readonly Value[],
    scope: Scope,
    site: Positioned | null,
    block?: Callable | null,
  ): Value;
  /** A lambda closed over `scope`. */
  createClosure(lambda: LambdaExpression, scope: Scope): Callable;
}

/**
 * A lambda or function that can be called with values. `instanceof Callable` is done through
 * `isCallable` of closure.ts.
 */
export interface Callable {
  /** Calls with argument checking, as `Puppet::Pops::Evaluator::Closure#call`. */
  call(...args: readonly Value[]): Value;
  /** Parameter names in order. */
  readonly parameterNames: readonly string[];
  /** The Callable[...] type. */
  readonly type: PType;
  /** Number of arguments accepted: [required, maximum or Infinity]. */
  readonly arity: readonly [number, number];
}

/** An object with methods that Puppet code can call: `$context.not_found`. */
export interface MethodReceiver {
  hasMethod(name: string): boolean;
  callMethod(name: string, args: readonly Value[], block: Callable | null): Value;
}

/** A function that Puppet code can call: built in, written in Puppet, or written in Ruby. */
export interface PuppetFunction {
  readonly name: string;
  /** Given for one of a module in Ruby: `ruby` with the 4.x API, `other` with another. */
  readonly source?: 'ruby' | 'other';
  /** Checks the arguments against the dispatches and calls the one that fits. */
  call(site: CallSite, args: readonly Value[], block: Callable | null): Value;
  /** The type of each dispatch, for error texts and reflection. */
  getSignatures(): readonly PType[];
}

/** Where a function was called from: what an implementation may use of the compile. */
export interface CallSite {
  readonly context: CompileContext;
  /** The calling scope. */
  readonly scope: Scope;
  /** The calling expression, null when called from the compiler itself. */
  readonly node: Positioned | null;
}

/**
 * Finds definitions by name, loading module files on the way. Names are lower case, without leading
 * `::`.
 */
export interface Definitions {
  findClass(name: string): ClassDefinition | null;
  findDefine(name: string): DefineDefinition | null;
  findFunction(name: string): PuppetFunction | null;
  /**
   * A type alias, Object type or TypeSet written in Puppet, resolved; names keep no leading `::`,
   * case is ignored.
   */
  findType(name: string): PType | null;
  /** A resource type that is not written in Puppet (File, or one of a module). */
  findResourceType(name: string): ResourceTypeInfo | null;
}

export interface ClassDefinition {
  readonly name: string;
  readonly node: HostClassDefinition;
  readonly moduleName: string;
}

export interface DefineDefinition {
  readonly name: string;
  readonly node: ResourceTypeDefinition;
  readonly moduleName: string;
}

/** A resource type as a catalog compiler needs to know it. */
export interface ResourceTypeInfo {
  /** Lower case, e.g. `ssh_authorized_key`. */
  readonly name: string;
  /** Attributes that are no metaparameters, in the type's order. */
  readonly attributes: readonly ResourceAttribute[];
  readonly namevars: readonly string[];
  /** Splits a title into namevars; null when the title is the (only) namevar. */
  readonly titlePatterns: readonly TitlePattern[] | null;
  readonly isomorphic: boolean;
  /**
   * `compilable_type` for those whose definition the compiler knows in full (catalog field `kind`).
   */
  readonly kind: 'compilable_type' | 'unknown';
  /**
   * Whether it has providers, and with them the parameter `provider`; looked for when that is used.
   */
  hasProviders(): boolean;
}

export interface ResourceAttribute {
  readonly name: string;
  readonly kind: 'property' | 'parameter';
}

export interface TitlePattern {
  /** Ruby syntax. */
  readonly pattern: string;
  readonly groups: readonly string[];
}

/** One evaluated `name => value` of a resource expression. */
export interface ResourceParameter {
  readonly name: string;
  readonly value: Value;
  /** `+>` */
  readonly append: boolean;
  /** Where it stands; null for one that a function made. */
  readonly node: Positioned | null;
}

/** Type and title of a resource. */
export type ResourceName = readonly [type: string, title: string];

/** A resource of the catalog as Ruby code of modules sees it. */
export interface ResourceView {
  readonly name: ResourceName;
  /** Whether the code behind it was evaluated. */
  readonly evaluated: boolean;
  readonly file: string | null;
  readonly line: number | null;
  readonly virtual: boolean;
  readonly exported: boolean;
  readonly tags: readonly string[];
  /** Those that are set. */
  readonly parameters: ReadonlyMap<string, Value>;
}

/**
 * What Ruby code of modules does to a resource of the catalog: sets a parameter, takes one away
 * (null), or adds tags.
 */
export type ResourceChange =
  | { readonly kind: 'set'; readonly parameter: string; readonly value: Value }
  | { readonly kind: 'tag'; readonly tags: readonly string[] };

/**
 * What resource expressions, collectors and relationships do to the catalog being built.
 * Implemented by `compiler/`.
 */
export interface CatalogOperations {
  /**
   * `type { titles: parameters }`; returns references (Resource or Class types) to what was
   * created.
   */
  createResources(
    scope: Scope,
    node: Positioned | null,
    form: ResourceForm,
    typeName: string,
    /** Texts, or what `create_resources` was given in place of a text. */
    titles: readonly Value[],
    parameters: readonly ResourceParameter[],
  ): readonly PType[];
  /** `Type { parameters }` */
  createDefaults(scope: Scope, node: Positioned, typeName: string, parameters: readonly ResourceParameter[]): void;
  /**
   * What resources of a type (`Foo::Bar`) that are declared in `scope` get for parameters that they
   * do not set.
   */
  defaultsOf(scope: Scope, typeName: string): ReadonlyMap<string, Value>;
  /** `Type[title] { parameters }`; `reference` is a Resource or Class type with a title. */
  overrideResource(scope: Scope, node: Positioned, reference: PType, parameters: readonly ResourceParameter[]): void;
  /**
   * `Type <| query |> { parameters }`; the query is evaluated per resource by the collector.
   * Returns the collector's value.
   */
  collect(scope: Scope, node: CollectExpression, typeName: string, parameters: readonly ResourceParameter[]): Value;
  /**
   * `source -> target`; operands are references, arrays of them, or collectors (what `collect`
   * returned).
   */
  relate(scope: Scope, node: Positioned, source: Value, target: Value, kind: 'before' | 'notify'): void;
  /**
   * The value of a parameter of a resource (`File['/x']['mode']`); undefined when there is no such
   * resource.
   */
  resourceParameter(scope: Scope, reference: PType, parameter: string, node: Positioned): Value | undefined;
  /** Whether the resource is one that may have that parameter (metaparameters too). */
  isParameterOf(reference: PType, parameter: string): boolean;
  /**
   * `include`: names as Puppet code gave them, checked and absolute. Returns references to the
   * classes.
   */
  includeClasses(scope: Scope, names: readonly string[]): readonly PType[];
  containClasses(scope: Scope, names: readonly string[]): readonly PType[];
  requireClasses(scope: Scope, names: readonly string[]): readonly PType[];
  /** Whether a resource (or evaluated class) of that type and title is in the catalog so far. */
  hasResource(typeName: string, title: string): boolean;
  /** References to all resources of a type (lower case) that are in the catalog so far. */
  resourcesOfType(typeName: string): readonly PType[];
  /** `realize`: references, or texts of them. */
  realize(scope: Scope, references: readonly Value[]): void;
  /** `tag`: adds tags to the scope's resource. */
  tag(scope: Scope, tags: readonly string[]): void;
  /**
   * A resource or class of the catalog so far; without a name, that of the scope. Null when there
   * is none.
   */
  resourceView(scope: Scope, name: ResourceName | null): ResourceView | null;
  /** Changes a resource of the catalog so far; nothing when there is none. */
  changeResource(name: ResourceName, change: ResourceChange): void;
  /**
   * Takes a resource out of the catalog, or off the list of what is yet to be evaluated and
   * finished.
   */
  removeResource(name: ResourceName, from: 'catalog' | 'compiler'): void;
  /** The resources whose bodies `scope` and those around it are, from within. */
  scopeNames(scope: Scope): readonly ResourceName[];
  /** All that is in the catalog so far, in order. */
  resourceNames(): readonly ResourceName[];
  /**
   * `scope`: tags of the scope's resource; `all`: of the catalog so far; `classes`: names of the
   * classes evaluated so far.
   */
  tagsOf(scope: Scope, which: 'scope' | 'all' | 'classes'): readonly string[];
  /** `tagged`: whether the scope's resource or the catalog has all these tags. */
  isTagged(scope: Scope, tags: readonly string[]): boolean;
}

/** Hiera. Implemented by `hiera/`. */
export interface LookupService {
  /**
   * The `lookup` function's work; throws Puppet's error when nothing is found and there is no
   * default.
   */
  lookup(scope: Scope, request: LookupRequest): Value;
  /** As `lookup` of one name with nothing else asked for. */
  lookupKey(scope: Scope, key: string): Value;
  /** Automatic parameter lookup of `class::parameter`; undefined when there is no value. */
  lookupClassParameter(scope: Scope, key: string): Value | undefined;
  /**
   * The methods of a `Puppet::LookupContext` that Puppet code made itself; null for other objects.
   */
  methodsOf(scope: Scope, object: PuppetObject): MethodReceiver | null;
}

export interface LookupRequest {
  readonly names: readonly string[];
  readonly valueType: PType | null;
  /**
   * `first`, `unique`, `hash`, `deep`, a hash of merge options, or null for what lookup_options
   * say.
   */
  readonly merge: Value;
  readonly defaultValue: Value | undefined;
  readonly defaultBlock: Callable | null;
  readonly defaultValues: PuppetHash;
  readonly override: PuppetHash;
  /**
   * The call came from `hiera`, `hiera_array`, `hiera_hash` or `hiera_include`: only the global
   * layer is looked into unless the environment has data of its own. Puppet:
   * Hiera::PuppetFunction#lookup.
   */
  readonly fromHieraFunction?: boolean;
  /** Locations that such a call puts before those of a Hiera 3 hierarchy. */
  readonly locations?: readonly string[];
}
