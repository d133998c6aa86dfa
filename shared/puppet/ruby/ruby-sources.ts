import { posix } from 'node:path';
import type { Environment, ModuleInfo } from '../environment/environment.ts';
import type { RubySource } from '../evaluator/ruby-port.ts';

export type FunctionApi = '3.x' | '4.x';

/** A file that defines a function in Ruby. */
export interface RubyFunctionFile {
  readonly api: FunctionApi;
  readonly path: string;
}

const FOLDERS: Readonly<Record<FunctionApi, string>> = {
  '3.x': 'lib/puppet/parser/functions',
  '4.x': 'lib/puppet/functions',
};
const NAME = /^[a-z_]\w*(::[a-z_]\w*)*$/;

/**
 * Finds the Ruby file of a function in the environment's own `lib`, or in that of modules. A name
 * with a namespace exists only in the module of that name, and only with the 4.x API. Puppet:
 * lib/puppet/pops/loader/{loader_paths,module_loaders}.rb
 */
export function findFunctionFile(
  environment: Environment,
  name: string,
  apis: readonly FunctionApi[],
): RubyFunctionFile | null {
  return environment.memoize(`function ${apis.join(' ')} ${name}`, () => functionFile(environment, name, apis));
}

function functionFile(environment: Environment, name: string, apis: readonly FunctionApi[]): RubyFunctionFile | null {
  return fileBelow(environment, rootsFor(environment, name), name, apis);
}

/**
 * Finds the Ruby file of the function that a name without namespace means in a file of a module:
 * the environment's own, that of the module, or that of the modules which its metadata.json lists.
 * Null when none of them has it, and for a file outside modules. Puppet: ModuleResolver,
 * lib/puppet/pops/loaders.rb
 */
export function findSeenFunctionFile(environment: Environment, file: string, name: string): RubyFunctionFile | null {
  const module = NAME.test(name) ? findModuleOf(environment, file) : null;
  if (!module) return null;
  return environment.memoize(`function ${name} seen from ${module.name}`, () => {
    // Only the listing of modules is an input, not the metadata of each dependency.
    const modules = environment.listModules();
    const needed = (module.metadata?.dependencies ?? []).map((each) => modules.find((one) => one.name === each));
    const roots = [module, ...needed].flatMap((each) => (each ? [each.root] : []));
    return fileBelow(environment, [environment.root, ...roots], name, ['4.x', '3.x']);
  });
}

/** The module that a file belongs to. */
function findModuleOf(environment: Environment, file: string): ModuleInfo | null {
  const folder = environment.modulepath.find((one) => file.startsWith(`${one}/`));
  if (folder === undefined) return null;
  const [name = ''] = file.slice(folder.length + 1).split('/', 1);
  const module = environment.findModule(name);
  return module?.root === posix.join(folder, name) ? module : null;
}

function fileBelow(
  environment: Environment,
  roots: Iterable<string>,
  name: string,
  apis: readonly FunctionApi[],
): RubyFunctionFile | null {
  for (const root of roots) {
    for (const api of apis) {
      if (api === '3.x' && name.includes('::')) continue;
      const folder = posix.join(root, FOLDERS[api]);
      // Few modules have functions in Ruby: one read of the folder stands for all names.
      if (environment.kindOf(folder) !== 'directory') continue;
      const path = posix.join(folder, `${name.replaceAll('::', '/')}.rb`);
      if (environment.kindOf(path) === 'file') return { api, path };
    }
  }
  return null;
}

/**
 * Finds the Ruby file of a data type; `name` is lower case. Module folders are tested first, so
 * that most compiles need no further reads. Puppet:
 * ModuleLoaders::AbstractPathBasedModuleLoader#find, lib/puppet/pops/loader/module_loaders.rb
 */
export function findDataTypeFile(environment: Environment, name: string): RubySource | null {
  return environment.memoize(`data type ${name}`, () => dataTypeFile(environment, name));
}

function dataTypeFile(environment: Environment, name: string): RubySource | null {
  const isQualified = name.includes('::');
  for (const root of rootsFor(environment, name)) {
    const folder = posix.join(root, 'lib/puppet/datatypes');
    if (!isQualified && posix.basename(root) === name) continue;
    if (environment.kindOf(folder) !== 'directory') continue;
    const path = posix.join(folder, `${name.replaceAll('::', '/')}.rb`);
    if (environment.kindOf(path) === 'file') return readRuby(environment, path);
  }
  return null;
}

/** Reads the text of such a file. */
export function readRuby(environment: Environment, path: string): RubySource {
  return { path, text: environment.readText(path) ?? '' };
}

function* rootsFor(environment: Environment, name: string): Iterable<string> {
  if (!NAME.test(name)) return;
  const separator = name.indexOf('::');
  if (separator < 0) {
    yield environment.root;
    for (const { root } of environment.listModules()) yield root;
    return;
  }
  const namespace = name.slice(0, separator);
  if (namespace === 'environment') yield environment.root;
  const module = environment.findModule(namespace);
  if (module) yield module.root;
}
