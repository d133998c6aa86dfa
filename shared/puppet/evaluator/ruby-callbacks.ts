import type { Environment } from '../environment/environment.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { DEFAULT_LANGUAGE, type Language } from '../levels/language.ts';
import type { Value } from '../types/values/values.ts';
import type { ResourceChange, ResourceName, ResourceView } from './ports.ts';
import type {
  DefinitionKind,
  DefinitionPlaceView,
  GivenBlock,
  ResourceAttributes,
  RubyFunctionDescription,
  RubySource,
  ScopeName,
  VisibleVariables,
} from './ruby-port.ts';

/** The parts of an environment that Ruby reads. */
export type RubyEnvironment = Pick<
  Environment,
  'name' | 'root' | 'modulepath' | 'readText' | 'kindOf' | 'list' | 'findModule' | 'listModules'
>;

/**
 * The parts of the compile that Ruby may read during a call. Every read goes through the compile's
 * recorders. These are the answers outside of a compile: the environment's files and the settings
 * derived from it; all else is absent, or an error.
 */
export class RubyCallbacks {
  readonly environment: RubyEnvironment;

  constructor(environment: RubyEnvironment) {
    this.environment = environment;
  }

  get language(): Language {
    return DEFAULT_LANGUAGE;
  }

  /**
   * Calls a function. `isOwn`: a 4.x function calls it by its own `call_function`, so its module's
   * functions come first.
   */
  callFunction(
    name: string,
    args: readonly Value[],
    _block: GivenBlock | null,
    _where: ScopeName,
    _isOwn?: boolean,
  ): Value {
    // Puppet::Module.find, which code of types and providers calls when it is loaded.
    if (name === 'module_directory') return this.environment.findModule(String(args[0] ?? null))?.root ?? null;
    return refuse(`the function ${name}`);
  }

  /**
   * Calls a method of a compile object (`context.not_found`); `block` takes `blockArity` arguments.
   */
  callMethod(
    _object: Value,
    name: string,
    _args: readonly Value[],
    _block: ((args: readonly Value[]) => Value) | null,
    _blockArity: number,
  ): Value {
    return refuse(`the method ${name}`);
  }

  /**
   * Returns a variable by name, as templates and `scope.lookupvar` do; undefined when it is not
   * set. With `demanded`, an unset variable is an error or a warning as the `strict` setting says.
   */
  getVariable(_name: string, _demanded: boolean, _where: ScopeName): Value | undefined {
    return undefined;
  }

  /** Returns why a variable is not set; null without a reason beyond that. */
  explainAbsence(_name: string, _where: ScopeName): string | null {
    return null;
  }

  /** Returns the variables visible in the scope (`scope.to_hash`). */
  getVariables(_where: ScopeName): VisibleVariables {
    return { get: () => undefined, all: () => new Map() };
  }

  /**
   * Returns the defaults for resources of a type (`Foo::Bar`) declared in the scope, by parameter.
   */
  getDefaults(_type: string, _where: ScopeName): ReadonlyMap<string, Value> {
    return new Map();
  }

  /** From now on the Ruby object with that number decides on the defaults in the scope. */
  replaceDefaults(_object: number, _where: ScopeName): void {}

  setVariable(name: string, _value: Value, _where: ScopeName): void {
    refuse(`the variable ${name}`);
  }

  /** Undoes the last `setVariable` of that name. */
  unsetVariable(name: string, _where: ScopeName): void {
    refuse(`the variable ${name}`);
  }

  /**
   * Calls a function without a block. When it writes to the log, its lines are taken back, and the
   * result is undefined.
   */
  callQuietly(name: string, _args: readonly Value[], _where: ScopeName): Value | undefined {
    return refuse(`the function ${name}`);
  }

  /**
   * Returns the origin of a function: Puppet (`built-in`), a module with the Ruby 4.x API (`ruby`)
   * or with Puppet code (`puppet`), or anything else, a missing function included (`other`).
   */
  functionKind(_name: string, _isOwn?: boolean): 'built-in' | 'ruby' | 'puppet' | 'other' {
    return 'other';
  }

  /** Whether the log of the compile keeps lines of that level. */
  isLogged(_level: string): boolean {
    return false;
  }

  /** Logs a message. With a key, only the first message for that key is logged. */
  log(_level: string, _message: string, _key: string | null, _source: string | null): void {}

  /**
   * Reads a value that is kept on the server, by the path of its file: null when there is none,
   * false for the path of another kind of file.
   */
  readKept(_path: string): string | null | false {
    return false;
  }

  /** Creates or replaces such a value; null removes it. */
  writeKept(path: string, _text: string | null): void {
    refuse(`the value ${path}`);
  }

  /** Reads a file of the environment and records it. */
  readFile(path: string): string | null {
    return this.environment.readText(path);
  }

  kindOf(path: string): 'file' | 'directory' | null {
    return this.environment.kindOf(path);
  }

  list(path: string): readonly string[] | null {
    return this.environment.list(path);
  }

  /** Returns a catalog resource; without a name, the scope's resource. */
  findResource(_name: ResourceName | null): ResourceView | null {
    return null;
  }

  resourceNames(): readonly ResourceName[] {
    return [];
  }

  changeResource([type, title]: ResourceName, _change: ResourceChange): void {
    refuse(`the resource ${type}[${title}]`);
  }

  /**
   * Removes a resource from the catalog, or from the compiler's list of resources still to be
   * evaluated and finished.
   */
  removeResource([type, title]: ResourceName, _from: 'catalog' | 'compiler'): void {
    refuse(`the resource ${type}[${title}]`);
  }

  /**
   * Returns the names of the resources that contain the scope, innermost first. The last is the top
   * scope's resource.
   */
  scopeNames(): readonly ResourceName[] {
    return [];
  }

  /** Returns the definition of that name, or null. */
  findDefinition(_kind: DefinitionKind, _name: string): DefinitionPlaceView | null {
    return null;
  }

  /** Returns the attributes of a resource type, or null. */
  resourceType(_name: string): ResourceAttributes | null {
    return null;
  }

  /** Returns the folders of all modules, by module name. */
  listModules(): ReadonlyMap<string, string> {
    return new Map(this.environment.listModules().map((module) => [module.name, module.root]));
  }

  /** Returns tags: `scope.tags`, the catalog's `all_tags`, or `classes`. */
  listTags(_which: 'scope' | 'all' | 'classes'): readonly string[] {
    return [];
  }

  getSetting(name: string): Value | undefined {
    if (name === 'environment') return this.environment.name;
    return name === 'modulepath' ? this.environment.modulepath.join(':') : undefined;
  }

  /** Returns the file and line of the calls in progress, innermost first. */
  getStack(): readonly (readonly [file: string, line: number])[] {
    return [];
  }

  /** Returns Puppet's message for arguments that no dispatch of the function accepts. */
  describeMismatch({ name }: RubyFunctionDescription, _args: readonly Value[]): string {
    return `'${name}' expects other arguments than it got`;
  }

  /** Returns the attributes parsed from a resource title. */
  titleAttributes(_type: string, _title: string): ReadonlyMap<string, string> {
    return new Map();
  }

  /** Whether `value` is an instance of the type with that text. */
  isInstance(type: string, _value: Value): boolean {
    return refuse(`the type ${type}`);
  }

  /** Returns the text of a value's type; `isSet` includes a type for each element. */
  typeOf(_value: Value, _isSet: boolean): string {
    return refuse('the type of a value');
  }

  /** Converts a value to rich data (JSON with `__ptype` for other types). */
  toRichData(_value: Value, _localReferences: boolean): Value {
    return refuse('rich data');
  }

  fromRichData(_data: Value): Value {
    return refuse('rich data');
  }

  /**
   * Returns the source of another module file that defines a function Ruby asks for (3.x
   * `function_x`, autoload).
   */
  functionSource(_name: string): RubySource | null {
    return null;
  }

  /** Records a call of a function whose result does not depend on its inputs alone. */
  recordVolatile(_name: string): void {}

  /** Returns nanoseconds since 1970, recorded under that name. */
  readClock(_name: string): bigint {
    return 0n;
  }
}

function refuse(what: string): never {
  throw new PuppetError(ISSUES.RUBY_OUTSIDE_COMPILE({ what }));
}
