import type { Environment } from '../environment/environment.ts';
import type { Language } from '../levels/language.ts';
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
  'name' | 'root' | 'modulepath' | 'readText' | 'kindOf' | 'list' | 'isLink' | 'findModule' | 'listModules'
>;

/**
 * The parts of the compile that Ruby may read during a call. Every read goes through the compile's
 * recorders. Each method is one row of `ruby/callbacks.ts`, which answers it in a compile and
 * outside of one, and to Ruby's side.
 */
export interface RubyCallbacks {
  readonly environment: RubyEnvironment;
  readonly language: Language;

  /**
   * Calls a function. `isOwn`: a 4.x function calls it by its own `call_function`, so its module's
   * functions come first.
   */
  callFunction(
    name: string,
    args: readonly Value[],
    block: GivenBlock | null,
    where: ScopeName,
    isOwn?: boolean,
  ): Value;

  /**
   * Calls a method of a compile object (`context.not_found`); `block` takes `blockArity` arguments.
   */
  callMethod(
    object: Value,
    name: string,
    args: readonly Value[],
    block: ((args: readonly Value[]) => Value) | null,
    blockArity: number,
  ): Value;

  /**
   * Returns a variable by name, as templates and `scope.lookupvar` do; undefined when it is not
   * set. With `demanded`, an unset variable is an error or a warning as the `strict` setting says.
   */
  getVariable(name: string, demanded: boolean, where: ScopeName): Value | undefined;

  /** Returns why a variable is not set; null without a reason beyond that. */
  explainAbsence(name: string, where: ScopeName): string | null;

  /** Returns the variables visible in the scope (`scope.to_hash`). */
  getVariables(where: ScopeName): VisibleVariables;

  /**
   * Returns the defaults for resources of a type (`Foo::Bar`) declared in the scope, by parameter.
   */
  getDefaults(type: string, where: ScopeName): ReadonlyMap<string, Value>;

  /** From now on the Ruby object with that number decides on the defaults in the scope. */
  replaceDefaults(object: number, where: ScopeName): void;

  setVariable(name: string, value: Value, where: ScopeName): void;

  /** Undoes the last `setVariable` of that name. */
  unsetVariable(name: string, where: ScopeName): void;

  /**
   * Calls a function without a block. When it writes to the log, its lines are taken back, and the
   * result is undefined.
   */
  callQuietly(name: string, args: readonly Value[], where: ScopeName): Value | undefined;

  /**
   * Returns the origin of a function: Puppet (`built-in`), a module with the Ruby 4.x API (`ruby`)
   * or with Puppet code (`puppet`), or anything else, a missing function included (`other`).
   */
  functionKind(name: string, isOwn?: boolean): 'built-in' | 'ruby' | 'puppet' | 'other';

  /** Whether the log of the compile keeps lines of that level. */
  isLogged(level: string): boolean;

  /** Logs a message. With a key, only the first message for that key is logged. */
  log(level: string, message: string, key: string | null, source: string | null): void;

  /**
   * Reads a value that is kept on the server, by the path of its file: null when there is none,
   * false for the path of another kind of file.
   */
  readKept(path: string): string | null | false;

  /** Creates or replaces such a value; null removes it. */
  writeKept(path: string, text: string | null): void;

  /** Reads a file of the environment and records it. */
  readFile(path: string): string | null;

  kindOf(path: string): 'file' | 'directory' | null;

  list(path: string): readonly string[] | null;

  /** Returns the absolute paths that match a pattern of Ruby's `Dir.glob`, in its order. */
  glob(pattern: string): readonly string[];

  /** Returns a catalog resource; without a name, the scope's resource. */
  findResource(name: ResourceName | null): ResourceView | null;

  resourceNames(): readonly ResourceName[];

  changeResource(name: ResourceName, change: ResourceChange): void;

  /**
   * Removes a resource from the catalog, or from the compiler's list of resources still to be
   * evaluated and finished.
   */
  removeResource(name: ResourceName, from: 'catalog' | 'compiler'): void;

  /**
   * Returns the names of the resources that contain the scope, innermost first. The last is the top
   * scope's resource.
   */
  scopeNames(): readonly ResourceName[];

  /** Returns the definition of that name, or null. */
  findDefinition(kind: DefinitionKind, name: string): DefinitionPlaceView | null;

  /** Returns the attributes of a resource type, or null. */
  resourceType(name: string): ResourceAttributes | null;

  /** Returns the folders of all modules, by module name. */
  listModules(): ReadonlyMap<string, string>;

  /** Returns tags: `scope.tags`, the catalog's `all_tags`, or `classes`. */
  listTags(which: 'scope' | 'all' | 'classes'): readonly string[];

  getSetting(name: string): Value | undefined;

  /** Returns the file and line of the calls in progress, innermost first. */
  getStack(): readonly (readonly [file: string, line: number])[];

  /** Returns Puppet's message for arguments that no dispatch of the function accepts. */
  describeMismatch(description: RubyFunctionDescription, args: readonly Value[]): string;

  /** Returns the attributes parsed from a resource title. */
  titleAttributes(type: string, title: string): ReadonlyMap<string, string | null>;

  /** Whether `value` is an instance of the type with that text. */
  isInstance(type: string, value: Value): boolean;

  /** Returns the text of a value's type; `isSet` includes a type for each element. */
  typeOf(value: Value, isSet: boolean): string;

  /** Converts a value to rich data (JSON with `__ptype` for other types). */
  toRichData(value: Value, localReferences: boolean): Value;

  fromRichData(data: Value): Value;

  /**
   * Returns the source of another module file that defines a function Ruby asks for (3.x
   * `function_x`, autoload).
   */
  functionSource(name: string): RubySource | null;

  /** Records a call of a function whose result does not depend on its inputs alone. */
  recordVolatile(name: string): void;

  /** Returns nanoseconds since 1970, recorded under that name. */
  readClock(name: string): bigint;
}
