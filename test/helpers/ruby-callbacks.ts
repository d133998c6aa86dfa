import { PuppetError } from '../../shared/puppet/errors/puppet-error.ts';
import type { RubyCallbacks, RubyEnvironment } from '../../shared/puppet/evaluator/ruby-callbacks.ts';
import { callbacksOutside } from '../../shared/puppet/ruby/callbacks.ts';

const EMPTY_ENVIRONMENT: RubyEnvironment = {
  name: 'production',
  root: '/environments/production',
  modulepath: [],
  readText: () => null,
  kindOf: () => null,
  list: () => null,
  isLink: () => false,
  findModule: () => null,
  listModules: () => [],
};

/** Returns these callbacks with others in place of some. */
export function withCallbacks(callbacks: RubyCallbacks, others: Partial<RubyCallbacks>): RubyCallbacks {
  const made: RubyCallbacks = Object.create(callbacks);
  return Object.defineProperties(made, Object.getOwnPropertyDescriptors(others));
}

/** The callbacks of an empty compile. */
export const NO_CALLBACKS: RubyCallbacks = withCallbacks(callbacksOutside(EMPTY_ENVIRONMENT), {
  callFunction: (name) => {
    throw new PuppetError(`Unknown function: '${name}'`);
  },
  callQuietly: () => undefined,
  callMethod: () => null,
  setVariable: () => undefined,
  unsetVariable: () => undefined,
  isLogged: () => true,
  writeKept: () => undefined,
  changeResource: () => undefined,
  removeResource: () => undefined,
  getSetting: () => undefined,
  isInstance: () => true,
  typeOf: () => 'Any',
  toRichData: (value) => value,
  fromRichData: (data) => data,
});
