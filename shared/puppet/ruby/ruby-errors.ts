import { LookupError, RaisedError } from '../errors/lookup-error.ts';
import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from '../evaluator/ruby-port.ts';

/** Others that the evaluation lets through. */
const LET_THROUGH: ReadonlySet<string> = new Set(['Puppet::PreformattedError', 'StopIteration']);

const LOOKUP_ERRORS: ReadonlySet<string> = new Set([
  'Puppet::DataBinding::LookupError',
  'Puppet::DataBinding::RecursiveLookupError',
]);

/** Runs what may call Ruby. Errors of Ruby code become Puppet's. */
export function withRubyErrors<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof RubyError)) throw error;
    const { message, rubyClass, traits } = error;
    if (LOOKUP_ERRORS.has(rubyClass)) throw new LookupError(message, { cause: error });
    const { given, isPuppets } = traits;
    if (given) throw new PreformattedError(given.basic, { ...given, cause: error });
    if (LET_THROUGH.has(rubyClass)) throw new PreformattedError(message, { cause: error });
    throw fatalError(error) ?? new (isPuppets ? RaisedError : PuppetError)(message, { cause: error });
  }
}

/**
 * What an exception that is no StandardError is to Puppet, which adds nothing to it; null for
 * others.
 */
export function fatalError(error: RubyError): PreformattedError | null {
  return error.traits.isBare ? new PreformattedError(error.message, { cause: error }) : null;
}

/** Whether it is such an error on its way: Puppet does not even add the node's name. */
export function isFatalRubyError(error: PuppetError): boolean {
  return error instanceof PreformattedError && error.cause instanceof RubyError && error.cause.traits.isBare;
}
