import { LookupError, RaisedError } from '../errors/lookup-error.ts';
import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from './port.ts';

/** Exceptions that Puppet's evaluation adds nothing to: those that are no StandardError, and some that it lets through. */
const BARE: ReadonlySet<string> = new Set([
  'LoadError',
  'NoMemoryError',
  'NotImplementedError',
  'Puppet::PreformattedError',
  'StopIteration',
  'SyntaxError',
  'SystemStackError',
]);

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
    const { message, rubyClass, isPuppets } = error;
    if (LOOKUP_ERRORS.has(rubyClass)) throw new LookupError(message, { cause: error });
    if (BARE.has(rubyClass)) throw new PreformattedError(message, { cause: error });
    throw isPuppets ? new RaisedError(message, { cause: error }) : new PuppetError(message, { cause: error });
  }
}
