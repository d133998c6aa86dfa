import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import type { RubyCallbacks } from '../../shared/puppet/evaluator/ruby-port.ts';

/** A compile in which there is nothing. */
export const NO_CALLBACKS: RubyCallbacks = {
  callFunction: (name) => {
    throw new PuppetError(`Unknown function: '${name}'`);
  },
  callMethod: () => null,
  variable: () => undefined,
  variables: () => ({ get: () => undefined, all: () => new Map() }),
  setVariable: () => undefined,
  unsetVariable: () => undefined,
  functionKind: () => 'other',
  log: () => undefined,
  readFile: () => null,
  kindOf: () => null,
  list: () => null,
  resource: () => null,
  resourceNames: () => [],
  changeResource: () => undefined,
  removeResource: () => undefined,
  scopeNames: () => [],
  definition: () => null,
  resourceType: () => null,
  modules: () => new Map(),
  tags: () => [],
  setting: () => undefined,
  mismatch: ({ name }) => `'${name}' expects other arguments than it got`,
  titleAttributes: () => new Map(),
  isInstance: () => true,
  typeOf: () => 'Any',
  toRichData: (value) => value,
  fromRichData: (data) => data,
  functionSource: () => null,
  volatile: () => undefined,
  now: () => 0n,
  stack: () => [],
  defaults: () => new Map(),
};
