import type { Environment } from '../environment/environment.ts';
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { RubyCallbacks } from '../evaluator/ruby-port.ts';
import { DEFAULT_LANGUAGE } from '../levels/language.ts';

/**
 * Creates callbacks without a compile: they provide the environment's files and the settings
 * derived from it.
 */
export function environmentCallbacks(environment: Environment): RubyCallbacks {
  const settings = new Map([
    ['environment', environment.name],
    ['modulepath', environment.modulepath.join(':')],
  ]);
  return {
    language: DEFAULT_LANGUAGE,
    callFunction: (name, [argument = null]) => {
      // Puppet::Module.find, which code of types and providers calls when it is loaded.
      if (name === 'module_directory') return environment.findModule(String(argument))?.root ?? null;
      return refuse(`the function ${name}`);
    },
    callQuietly: (name) => refuse(`the function ${name}`),
    callMethod: (_object, name) => refuse(`the method ${name}`),
    getVariable: () => undefined,
    explainAbsence: () => null,
    getVariables: () => ({ get: () => undefined, all: () => new Map() }),
    getDefaults: () => new Map(),
    replaceDefaults: () => undefined,
    getStack: () => [],
    setVariable: (name) => refuse(`the variable ${name}`),
    unsetVariable: (name) => refuse(`the variable ${name}`),
    functionKind: () => 'other',
    isLogged: () => false,
    log: () => undefined,
    readKept: () => false,
    writeKept: (path) => refuse(`the value ${path}`),
    readFile: (path) => environment.readText(path),
    kindOf: (path) => environment.kindOf(path),
    list: (path) => environment.list(path),
    findResource: () => null,
    resourceNames: () => [],
    scopeNames: () => [],
    removeResource: ([type, title]) => refuse(`the resource ${type}[${title}]`),
    changeResource: ([type, title]) => refuse(`the resource ${type}[${title}]`),
    findDefinition: () => null,
    resourceType: () => null,
    listModules: () => new Map(environment.listModules().map((module) => [module.name, module.root])),
    listTags: () => [],
    getSetting: (name) => settings.get(name),
    describeMismatch: ({ name }) => `'${name}' expects other arguments than it got`,
    titleAttributes: () => new Map(),
    isInstance: (type) => refuse(`the type ${type}`),
    typeOf: () => refuse('the type of a value'),
    toRichData: () => refuse('rich data'),
    fromRichData: () => refuse('rich data'),
    functionSource: () => null,
    recordVolatile: () => undefined,
    readClock: () => 0n,
  };
}

function refuse(what: string): never {
  throw new PuppetError(ISSUES.RUBY_OUTSIDE_COMPILE({ what }));
}
