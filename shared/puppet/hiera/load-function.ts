import { RubyFault } from '../errors/lookup-error.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { isFatalRubyError, rubyClassBehind } from '../errors/ruby-error.ts';
import type { PuppetFunction } from '../evaluator/ports.ts';
import type { Invocation } from './invocation.ts';

/**
 * Finds the function of a hierarchy's entry in the code; null when there is none. Ruby code that
 * fails while it is loaded is a Ruby exception here, as in Puppet (ArgumentError).
 */
export function loadFunction({ scope }: Invocation, name: string): PuppetFunction | null {
  try {
    return scope.context.definitions.findFunction(name);
  } catch (error) {
    if (!(error instanceof PuppetError) || rubyClassBehind(error) === null || isFatalRubyError(error)) throw error;
    throw new RubyFault(error.basic, { cause: error });
  }
}
