/**
 * The interfaces between the evaluator, its environment and the built-in functions. Nothing here
 * has state. The evaluator never imports the compiler, Hiera or the functions: it reaches them
 * through `CompileContext`.
 *
 * Errors that leave the evaluator (Puppet: EvaluatorImpl#evaluate): a PuppetError with an
 * `issueCode` or a line passes unchanged. A PuppetError with neither gets the location of the
 * innermost node and becomes RUNTIME_ERROR (`Evaluation Error: Error while evaluating a Resource
 * Statement, <basic>`).
 */
import type { Environment, InputRecorder } from '../environment/environment.ts';
import type { OperatorVariables } from '../environment/operator-variables.ts';
import type { CompileLog } from '../errors/compile-log.ts';
import type {
  ApplyExpression,
  CollectExpression,
  Expression,
  HostClassDefinition,
  LambdaExpression,
  Positioned,
  ResourceForm,
  ResourceTypeDefinition,
} from '../language/ast.ts';
import type { Language, LevelName } from '../levels/language.ts';
import type { PuppetObject } from '../types/objects/puppet-object.ts';
import type { PType } from '../types/ptype.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { CallStack } from './call-stack.ts';
import type { CompileClock } from './compile-clock.ts';
import type { ReplacedDefaults, RubyPort } from './ruby-port.ts';
import type { Scope } from './scope.ts';

/**
 * Settings that change the result of a compile. Puppet 8's defaults: `strict` error,
 * `strictVariables` true.
 */
export interface CompileSettings {
  /** The releases whose language code is compiled in. */
  readonly language: LevelName;
  /** Kinds of warnings that are not logged, as in Puppet's setting `disable_warnings`. */
  readonly disableWarnings?: readonly string[] | undefined;
  readonly strict: 'off' | 'warning' | 'error';
  readonly strictVariables: boolean;
  readonly tasks: boolean;
  readonly storeconfigs: boolean;
  /** Further settings that are texts, by name: code reads them as `$settings::name`. */
  readonly texts?: Readonly<Record<string, string>>;
}

/** The node whose catalog is compiled. */
export interface NodeInput {
  readonly certname: string;
  readonly environment: string;
  /** Recorded as an input on each read: see `puppet/environment/inputs.ts`. */
  readonly facts: PuppetHash;
  readonly trusted: PuppetHash;
  /** The value of `$server_facts`; null when the variable is not set. */
  readonly serverFacts: PuppetHash | null;
  /** Top-scope parameters of the external node classifier; they override facts. */
  readonly parameters: PuppetHash;
  /** Classes of the external node classifier: names, or names with their parameters. */
  readonly classes: readonly string[] | PuppetHash;
  /**
   * Configuration data of node groups, by key; the data function `classifier_data` gives it to
   * Hiera.
   */
  readonly configData?: PuppetHash;
  /** Whether code runs for no node, as plans do: then it has no variables of one. */
  readonly isAbsent?: boolean;
}

/** The state shared within one compile. There is one object for each compile and no globals. */
export interface CompileContext {
  readonly clock: CompileClock;
  /** Returns a new random UUID; a caller records the call as volatile. */
  readonly drawUuid: (() => string) | null;
  readonly settings: CompileSettings;
  /** The language at the level of the settings. */
  readonly language: Language;
  readonly node: NodeInput;
  readonly environment: Environment;
  readonly inputs: InputRecorder;
  /**
   * Environment variables of the operator. A reader records the read with `inputs.setting`: see
   * `puppet/environment/operator-variables.ts`.
   */
  readonly variables: OperatorVariables;
  readonly log: CompileLog;
  readonly definitions: Definitions;
  readonly catalog: CatalogOperations;
  readonly lookup: LookupService;
  readonly evaluator: Evaluation;
  /** Runs the Ruby code of modules; null when Ruby is not available. */
  readonly ruby: RubyPort | null;
  /** Data of all nodes; null without an inventory. */
  readonly inventory: InventoryPort | null;
  readonly keptValues: KeptValuesPort;
  /** Evaluates `apply` expressions; absent where no plan runs. */
  readonly apply?: ApplyPort | undefined;
  readonly topScope: Scope;
}

/** Applies the block of an `apply` expression to targets; `args` are evaluated. */
export type ApplyPort = (node: ApplyExpression, args: readonly Value[], scope: Scope) => Value;

/** Answers queries to the inventory (PuppetDB's), and records them as inputs. */
export interface InventoryPort {
  /** The answer to a query in PQL, or in AST form as JSON. Throws PuppetError for a wrong query. */
  ask(query: string): Value;
}

/** Texts that code of modules keeps on the server between compiles, by name. */
export interface KeptValuesPort {
  /** The text as this compile left it; null when there is none. */
  read(name: string): string | null;
  /** Creates or replaces a text; null removes it. */
  write(name: string, text: string | null): void;
}

/**
 * The evaluator's interface for the compiler and for functions. Implemented by
 * `puppet/evaluator/evaluator.ts`.
 */
export interface Evaluation {
  readonly stack: CallStack;
  /**
   * Evaluates a node of the AST in `scope`; errors carry the location of the innermost node that
   * failed.
   */
  evaluate(node: Expression, scope: Scope): Value;
  /** Calls a function by name, as Puppet code does; `site` is the location for errors. */
  callFunction(
    name: string,
    args: readonly Value[],
    scope: Scope,
    site: Positioned | null,
    block?: Callable | null,
  ): Value;
  /** Creates a lambda closed over `scope`. */
  createClosure(lambda: LambdaExpression, scope: Scope): Callable;
}

/** A lambda or function that can be called with values. */
export interface Callable {
  /** Calls with argument checking, as `Puppet::Pops::Evaluator::Closure#call` does. */
  call(...args: readonly Value[]): Value;
  /** Parameter names in order. */
  readonly parameterNames: readonly string[];
  /** The Callable[...] type. */
  readonly type: PType;
  /** Number of accepted arguments: [required, maximum or Infinity]. */
  readonly arity: readonly [number, number];
  /**
   * False where its body calls nothing that could end an iteration or a function early: `break()`,
   * `return()`, or a function that is not named.
   */
  readonly endsIterations?: boolean;
}

/** An object with methods that Puppet code can call: `$context.not_found`. */
export interface MethodReceiver {
  hasMethod(name: string): boolean;
  callMethod(name: string, args: readonly Value[], block: Callable | null): Value;
}

/** A function that Puppet code can call: built in, written in Puppet, or written in Ruby. */
export interface PuppetFunction {
  readonly name: string;
  /** Set for a Ruby function of a module: `ruby` for the 4.x API, `other` for another API. */
  readonly source?: 'ruby' | 'other';
  /** Calls the first dispatch that accepts the arguments. */
  call(site: CallSite, args: readonly Value[], block: Callable | null): Value;
  /** Returns the type of each dispatch, for errors and reflection. */
  getSignatures(): readonly PType[];
}

/** The place of a call: the parts of the compile that an implementation may use. */
export interface CallSite {
  readonly context: CompileContext;
  /** The calling scope. */
  readonly scope: Scope;
  /** The calling expression; null for a call from the compiler itself. */
  readonly node: Positioned | null;
}

/**
 * Finds definitions by name and loads module files on demand. Names are lower case, without leading
 * `::`.
 */
export interface Definitions {
  findClass(name: string): ClassDefinition | null;
  findDefine(name: string): DefineDefinition | null;
  /**
   * Finds the function that a name means in a file; null for code in no file. A module sees its own
   * functions first, then those of the modules that it depends on.
   */
  findFunction(name: string, file?: string | null): PuppetFunction | null;
  /**
   * Finds a type alias, Object type or TypeSet written in Puppet, resolved. Names have no leading
   * `::`; case is ignored.
   */
  findType(name: string): PType | null;
  /** Finds a resource type that is not written in Puppet (File, or a module's type). */
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

/** The parts of a resource type that the catalog compiler needs. */
export interface ResourceTypeInfo {
  /** Lower case, e.g. `ssh_authorized_key`. */
  readonly name: string;
  /** Attributes except metaparameters, in the type's order. */
  readonly attributes: readonly ResourceAttribute[];
  readonly namevars: readonly string[];
  /** Split a title into namevars; null when the title is the (only) namevar. */
  readonly titlePatterns: readonly TitlePattern[] | null;
  readonly isomorphic: boolean;
  /** `compilable_type` when the compiler knows the complete definition (catalog field `kind`). */
  readonly kind: 'compilable_type' | 'unknown';
  /** Whether the type has providers, and so the parameter `provider`. Evaluated on demand. */
  hasProviders(): boolean;
}

export interface ResourceAttribute {
  readonly name: string;
  readonly kind: 'property' | 'parameter';
}

export interface TitlePattern {
  /** A regular expression in Ruby syntax. */
  readonly pattern: string;
  readonly groups: readonly string[];
}

/** One evaluated `name => value` of a resource expression. */
export interface ResourceParameter {
  readonly name: string;
  readonly value: Value;
  /** `+>` */
  readonly append: boolean;
  /** Source position; null for a parameter created by a function. */
  readonly node: Positioned | null;
}

/** Type and title of a resource. */
export type ResourceName = readonly [type: string, title: string];

/** A catalog resource as a module's Ruby code sees it. */
export interface ResourceView {
  readonly name: ResourceName;
  /** Whether the code behind the resource was evaluated. */
  readonly evaluated: boolean;
  readonly file: string | null;
  readonly line: number | null;
  readonly virtual: boolean;
  readonly exported: boolean;
  readonly tags: readonly string[];
  /** The parameters that are set. */
  readonly parameters: ReadonlyMap<string, Value>;
}

/**
 * A change by a module's Ruby code to a catalog resource: sets a parameter, removes one (null),
 * adds tags, sets the place that the catalog names, or takes the resource out of its container and
 * of the further steps of the compile (`loose`).
 */
export type ResourceChange =
  | { readonly kind: 'set'; readonly parameter: string; readonly value: Value }
  | { readonly kind: 'tag'; readonly tags: readonly string[] }
  | { readonly kind: 'place'; readonly file: string | undefined; readonly line: number | undefined }
  | { readonly kind: 'loose' };

/**
 * The operations of resource expressions, collectors and relationships on the catalog under
 * construction. Implemented by `compiler/`.
 */
export interface CatalogOperations {
  /**
   * Declares `type { titles: parameters }`. Returns references (Resource or Class types) to the
   * created resources.
   */
  createResources(
    scope: Scope,
    node: Positioned | null,
    form: ResourceForm,
    typeName: string,
    /** Strings, or the values that `create_resources` received in their place. */
    titles: readonly Value[],
    parameters: readonly ResourceParameter[],
  ): readonly PType[];
  /** Sets the resource defaults `Type { parameters }`. */
  createDefaults(scope: Scope, node: Positioned, typeName: string, parameters: readonly ResourceParameter[]): void;
  /** Returns the defaults for resources of a type (`Foo::Bar`) declared in `scope`. */
  defaultsOf(scope: Scope, typeName: string): ReadonlyMap<string, Value>;
  /**
   * From now on `lookUp` decides on the defaults in force in `scope`. While it runs, it sees those
   * without itself.
   */
  replaceDefaults(scope: Scope, lookUp: (type: string) => ReplacedDefaults): void;
  /**
   * Overrides `Type[title] { parameters }`; `reference` is a Resource or Class type with a title.
   */
  overrideResource(scope: Scope, node: Positioned, reference: PType, parameters: readonly ResourceParameter[]): void;
  /**
   * Registers the collector `Type <| query |> { parameters }`; it evaluates the query for each
   * resource. Returns the collector's value.
   */
  collect(scope: Scope, node: CollectExpression, typeName: string, parameters: readonly ResourceParameter[]): Value;
  /**
   * Adds the relationship `source -> target`. Operands are references, arrays of them, or
   * collectors (returned by `collect`).
   */
  relate(scope: Scope, node: Positioned, source: Value, target: Value, kind: 'before' | 'notify'): void;
  /**
   * Returns the value of a resource's parameter (`File['/x']['mode']`); undefined when the resource
   * does not exist.
   */
  resourceParameter(scope: Scope, reference: PType, parameter: string, node: Positioned): Value | undefined;
  /** Whether the resource accepts a parameter of that name (metaparameters included). */
  isParameterOf(reference: PType, parameter: string): boolean;
  /**
   * Implements `include`: names as written in Puppet code, checked and absolute. Returns references
   * to the classes.
   */
  includeClasses(scope: Scope, names: readonly string[]): readonly PType[];
  containClasses(scope: Scope, names: readonly string[]): readonly PType[];
  requireClasses(scope: Scope, names: readonly string[]): readonly PType[];
  /** Whether the catalog so far has a resource (or evaluated class) of that type and title. */
  hasResource(typeName: string, title: string): boolean;
  /** Returns references to all resources of a type (lower case) in the catalog so far. */
  resourcesOfType(typeName: string): readonly PType[];
  /** Implements `realize`: takes references, or strings that name them. */
  realize(scope: Scope, references: readonly Value[]): void;
  /** Implements `tag`: adds tags to the scope's resource. */
  tag(scope: Scope, tags: readonly string[]): void;
  /**
   * Returns a resource or class of the catalog so far; without a name, the scope's resource.
   * Returns null when there is none.
   */
  resourceView(scope: Scope, name: ResourceName | null): ResourceView | null;
  /** Changes a resource of the catalog so far; a missing resource is ignored. */
  changeResource(name: ResourceName, change: ResourceChange): void;
  /**
   * Removes a resource from the catalog, or from the compiler's list of resources still to be
   * evaluated and finished.
   */
  removeResource(name: ResourceName, from: 'catalog' | 'compiler'): void;
  /** Returns the names of the resources that contain `scope`, innermost first. */
  scopeNames(scope: Scope): readonly ResourceName[];
  /** Returns the names of all resources in the catalog so far, in order. */
  resourceNames(): readonly ResourceName[];
  /**
   * Returns tags: of the scope's resource (`scope`), of the catalog so far (`all`), or the names of
   * the classes evaluated so far (`classes`).
   */
  tagsOf(scope: Scope, which: 'scope' | 'all' | 'classes'): readonly string[];
  /** Implements `tagged`: whether the scope's resource or the catalog has all these tags. */
  isTagged(scope: Scope, tags: readonly string[]): boolean;
}

/** Hiera. Implemented by `hiera/`. */
export interface LookupService {
  /**
   * Implements the `lookup` function. Throws Puppet's error when there is neither a value nor a
   * default.
   */
  lookup(scope: Scope, request: LookupRequest): Value;
  /** Looks up one name, with default options. */
  lookupKey(scope: Scope, key: string): Value;
  /** Automatic parameter lookup of `class::parameter`; undefined when there is no value. */
  lookupClassParameter(scope: Scope, key: string): Value | undefined;
  /**
   * Returns the methods of a `Puppet::LookupContext` created by Puppet code; null for other
   * objects.
   */
  methodsOf(scope: Scope, object: PuppetObject): MethodReceiver | null;
}

export interface LookupRequest {
  readonly names: readonly string[];
  readonly valueType: PType | null;
  /**
   * `first`, `unique`, `hash`, `deep`, or a hash of merge options. Null selects the merge of
   * lookup_options.
   */
  readonly merge: Value;
  readonly defaultValue: Value | undefined;
  readonly defaultBlock: Callable | null;
  readonly defaultValues: PuppetHash;
  readonly override: PuppetHash;
  /**
   * Whether the call came from `hiera`, `hiera_array`, `hiera_hash` or `hiera_include`. Such a call
   * searches only the global layer, unless the environment has its own data. Puppet:
   * Hiera::PuppetFunction#lookup.
   */
  readonly fromHieraFunction?: boolean;
  /** Locations that such a call puts before those of a Hiera 3 hierarchy. */
  readonly locations?: readonly string[];
}

/**
 * Evaluates child nodes for the functions that evaluate one kind of node. `null` (no node)
 * evaluates to undef.
 */
export interface ExpressionEvaluator {
  evaluate(node: Expression | null, scope: Scope): Value;
}
