import { posix } from 'node:path';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { PuppetFunction } from '../evaluator/ports.ts';
import { PuppetLanguageFunction } from '../evaluator/puppet-function.ts';
import { fallBackToRuby } from '../functions/stdlib/left-to-ruby.ts';
import { findStdlibFunction } from '../functions/stdlib/pack.ts';
import type { FunctionDefinition, Positioned, Program } from '../language/ast.ts';
import { type DescribedFiles, loadRubyFunction } from '../ruby/ruby-functions.ts';
import { type FunctionApi, findFunctionFile, findSeenFunctionFile } from '../ruby/ruby-sources.ts';
import type { DefinitionSources } from './definitions.ts';
import { recordOutsideCalls } from './outside-functions.ts';

/** In the order of the search. */
const APIS: readonly FunctionApi[] = ['4.x', '3.x'];

/**
 * The functions that code can call. Functions of the site manifest take precedence over built-in
 * ones; these take precedence over functions in files of the environment and of modules, written in
 * Puppet or Ruby. Of functions in Ruby with the same name, a module sees its own first, then those
 * of its dependencies, then the first on the modulepath. Puppet: lib/puppet/pops/loader/,
 * ModuleResolver in lib/puppet/pops/loaders.rb
 */
export class FunctionDefinitions {
  readonly #sources: DefinitionSources;
  /** Null for a name that was not found. */
  readonly #functions = new Map<string, PuppetFunction | null>();
  /** Functions of a file's own view, by file and name; null where the general one is meant. */
  readonly #views = new Map<string, Map<string, PuppetFunction | null>>();
  /** By the path of the file. */
  readonly #seen = new Map<string, PuppetFunction>();
  /** Functions of the 3.x API by name: the file that is loaded first serves all modules. */
  readonly #legacy = new Map<string, PuppetFunction>();
  readonly #described: DescribedFiles = new Map();
  readonly #origins = new Map<string, string>();

  constructor(sources: DefinitionSources) {
    this.#sources = sources;
  }

  /** Adds a function; throws when the name is taken. */
  add(definition: FunctionDefinition): void {
    const { name } = definition;
    const origin = this.#origins.get(name);
    if (origin !== undefined) throw redefinitionError(`function/${name}`, `Originally set ${origin}.`);
    this.#origins.set(name, originOf(definition));
    this.#functions.set(name, new PuppetLanguageFunction(definition, this.#sources.context()));
  }

  /** Finds the function that a name without leading `::` means in a file. */
  find(name: string, file: string | null): PuppetFunction | null {
    const known = this.#origins.has(name) ? this.#functions.get(name) : this.#sources.functions.get(name);
    if (known) return known;
    return (file === null || name.includes('::') ? null : this.#findSeenFrom(file, name)) ?? this.#findFirst(name);
  }

  #findFirst(name: string): PuppetFunction | null {
    const known = this.#functions.get(name);
    if (known !== undefined) return known;
    const api = name.includes('::') ? null : findFunctionFile(this.#sources.environment, name, APIS)?.api;
    const loaded = (api === '3.x' ? this.#legacy.get(name) : null) ?? this.#load(name);
    this.#functions.set(name, loaded);
    if (api === '3.x' && loaded) this.#legacy.set(name, loaded);
    return loaded;
  }

  /** Returns the function that the module of a file sees instead of the path's first one. */
  #findSeenFrom(file: string, name: string): PuppetFunction | null {
    const view = this.#views.get(file) ?? new Map<string, PuppetFunction | null>();
    this.#views.set(file, view);
    const known = view.get(name);
    if (known !== undefined) return known;
    const found = this.#loadSeenFrom(file, name);
    view.set(name, found);
    return found;
  }

  #loadSeenFrom(file: string, name: string): PuppetFunction | null {
    const { environment } = this.#sources;
    const seen = findSeenFunctionFile(environment, file, name);
    if (seen === null) return null;
    const known = seen.api === '3.x' ? this.#legacy.get(name) : this.#seen.get(seen.path);
    if (known) return known;
    if (seen.path === findFunctionFile(environment, name, APIS)?.path) return null;
    const inRuby = loadRubyFunction(this.#sources.context(), name, seen, this.#described);
    const loaded = recordOutsideCalls(inRuby, environment, seen);
    if (seen.api === '3.x') this.#legacy.set(name, loaded);
    else this.#seen.set(seen.path, loaded);
    return loaded;
  }

  #load(name: string): PuppetFunction | null {
    const context = this.#sources.context();
    const path = this.#findPath(name);
    const program = path === null ? null : this.#sources.parser.parseFile(path);
    if (path !== null && program) return new PuppetLanguageFunction(requireOnlyFunction(program, name, path), context);
    const inRuby = () => {
      const file = findFunctionFile(context.environment, name, APIS);
      return (
        file && recordOutsideCalls(loadRubyFunction(context, name, file, this.#described), context.environment, file)
      );
    };
    const written = findStdlibFunction(context.environment, name);
    return written ? fallBackToRuby(written, () => (context.ruby ? inRuby() : null)) : inRuby();
  }

  /**
   * Returns the path of a Puppet function's file. `mod::a::b` is `functions/a/b.pp` of the module;
   * any other name is a path below the environment's `functions`. Null when the file does not
   * exist, or when the module has a Ruby function of that name, which takes precedence.
   */
  #findPath(name: string): string | null {
    const { environment } = this.#sources;
    const [moduleName = '', ...rest] = name.split('::');
    if (rest.length === 0 || moduleName === 'environment') {
      return posix.join(environment.root, 'functions', `${name.replaceAll('::', '/')}.pp`);
    }
    const module = environment.findModule(moduleName);
    // Puppet: the search order of a module's paths, lib/puppet/pops/loader/loader_paths.rb
    // (FunctionPath4x).
    if (!module) return null;
    const inRuby = posix.join(module.root, 'lib/puppet/functions', `${name.replaceAll('::', '/')}.rb`);
    if (environment.kindOf(inRuby) === 'file') return null;
    return posix.join(module.root, 'functions', `${rest.join('/')}.pp`);
  }
}

export function redefinitionError(entity: string, origin: string): PuppetError {
  return new PuppetError(ISSUES.ENTITY_REDEFINED({ entity, origin }));
}

/** Returns the location of a definition in the format of Puppet's loaders. */
export function originOf(definition: Positioned): string {
  const { locator, offset } = definition;
  const place = `?line=${locator.lineAt(offset)}&pos=${locator.columnAt(offset)}`;
  return `at ${locator.file === null ? 'string:' : `file:${locator.file}`}${place}`;
}

function requireOnlyFunction(program: Program, name: string, path: string): FunctionDefinition {
  const [definition, second] = program.definitions;
  const from = `The code loaded from ${path}`;
  if (!definition) throw new PuppetError(ISSUES.FUNCTION_FILE_EMPTY({ from, name }));
  if (second) throw new PuppetError(ISSUES.FUNCTION_FILE_WITH_MORE({ from, name }));
  if (definition.kind !== 'FunctionDefinition') {
    throw new PuppetError(ISSUES.FUNCTION_FILE_WITHOUT_FUNCTION({ from, name }));
  }
  if (definition.name !== name) {
    const actual = definition.name;
    throw new PuppetError(ISSUES.FUNCTION_WITH_WRONG_NAME({ from, name, actual }));
  }
  if (program.body !== definition) {
    throw new PuppetError(ISSUES.FUNCTION_FILE_WITH_LOGIC({ from, name }));
  }
  return definition;
}
