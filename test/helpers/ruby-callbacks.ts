import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import type { RubyCallbacks } from '../../shared/puppet/evaluator/ruby-port.ts';
import { DEFAULT_LANGUAGE } from '../../shared/puppet/levels/language.ts';

/** The callbacks of an empty compile. */
export const NO_CALLBACKS: RubyCallbacks = {
  language: DEFAULT_LANGUAGE,
  callFunction: (name) => {
    throw new PuppetError(`Unknown function: '${name}'`);
  },
  callQuietly: () => undefined,
  callMethod: () => null,
  getVariable: () => undefined,
  explainAbsence: () => null,
  getVariables: () => ({ get: () => undefined, all: () => new Map() }),
  setVariable: () => undefined,
  unsetVariable: () => undefined,
  functionKind: () => 'other',
  isLogged: () => true,
  log: () => undefined,
  readKept: () => false,
  writeKept: () => undefined,
  readFile: () => null,
  kindOf: () => null,
  list: () => null,
  findResource: () => null,
  resourceNames: () => [],
  changeResource: () => undefined,
  removeResource: () => undefined,
  scopeNames: () => [],
  findDefinition: () => null,
  resourceType: () => null,
  listModules: () => new Map(),
  listTags: () => [],
  getSetting: () => undefined,
  describeMismatch: ({ name }) => `'${name}' expects other arguments than it got`,
  titleAttributes: () => new Map(),
  isInstance: () => true,
  typeOf: () => 'Any',
  toRichData: (value) => value,
  fromRichData: (data) => data,
  functionSource: () => null,
  recordVolatile: () => undefined,
  readClock: () => 0n,
  getStack: () => [],
  getDefaults: () => new Map(),
  replaceDefaults: () => undefined,
};
