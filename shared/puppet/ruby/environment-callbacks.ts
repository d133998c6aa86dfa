import type { Environment } from '../environment/environment.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { RubyCallbacks } from '../evaluator/ruby-port.ts';

/** What Ruby may ask where nothing is compiled: files of the environment, and the settings that follow from it. */
export function environmentCallbacks(environment: Environment): RubyCallbacks {
  const settings = new Map([
    ['environment', environment.name],
    ['modulepath', environment.modulepath.join(':')],
  ]);
  return {
    callFunction: (name) => refuse(`the function ${name}`),
    callMethod: (_object, name) => refuse(`the method ${name}`),
    variable: () => undefined,
    variables: () => ({ get: () => undefined, all: () => new Map() }),
    defaults: () => new Map(),
    stack: () => [],
    setVariable: (name) => refuse(`the variable ${name}`),
    unsetVariable: (name) => refuse(`the variable ${name}`),
    functionKind: () => 'other',
    log: () => undefined,
    readFile: (path) => environment.readText(path),
    kindOf: (path) => environment.kindOf(path),
    list: (path) => environment.list(path),
    resource: () => null,
    resourceNames: () => [],
    scopeNames: () => [],
    removeResource: ([type, title]) => refuse(`the resource ${type}[${title}]`),
    changeResource: ([type, title]) => refuse(`the resource ${type}[${title}]`),
    definition: () => null,
    resourceType: () => null,
    modules: () => new Map(environment.modules().map((module) => [module.name, module.root])),
    tags: () => [],
    setting: (name) => settings.get(name),
    mismatch: ({ name }) => `'${name}' expects other arguments than it got`,
    titleAttributes: () => new Map(),
    isInstance: (type) => refuse(`the type ${type}`),
    typeOf: () => refuse('the type of a value'),
    toRichData: () => refuse('rich data'),
    fromRichData: () => refuse('rich data'),
    functionSource: () => null,
    volatile: () => undefined,
    now: () => 0n,
  };
}

function refuse(what: string): never {
  throw new PuppetError(`Ruby asked for ${what} where nothing is compiled`);
}
