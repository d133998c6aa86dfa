import { LookupError, RaisedError } from '../errors/lookup-error.ts';
import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from '../errors/ruby-error.ts';

/** Further errors that the evaluation passes unchanged. */
const LET_THROUGH: ReadonlySet<string> = new Set(['Puppet::PreformattedError', 'StopIteration']);

const LOOKUP_ERRORS: ReadonlySet<string> = new Set([
  'Puppet::DataBinding::LookupError',
  'Puppet::DataBinding::RecursiveLookupError',
]);

/** Runs `body`, which may call Ruby, and converts errors of Ruby code to Puppet's. */
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
 * Converts an exception that is not a StandardError to an error that Puppet does not extend; null
 * for other exceptions.
 */
export function fatalError(error: RubyError): PreformattedError | null {
  return error.traits.isBare ? new PreformattedError(error.message, { cause: error }) : null;
}
