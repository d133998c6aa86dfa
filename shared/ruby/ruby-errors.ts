import { LookupError, RaisedError } from '../errors/lookup-error.ts';
import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from './port.ts';

/** Exceptions that are no StandardError: neither Puppet's evaluation nor a template adds anything to them. */
const FATAL: ReadonlySet<string> = new Set([
  'Exception',
  'Interrupt',
  'LoadError',
  'NoMemoryError',
  'NotImplementedError',
  'SecurityError',
  'SyntaxError',
  'SystemExit',
  'SystemStackError',
]);

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
    const { message, rubyClass, isPuppets } = error;
    if (LOOKUP_ERRORS.has(rubyClass)) throw new LookupError(message, { cause: error });
    if (LET_THROUGH.has(rubyClass)) throw new PreformattedError(message, { cause: error });
    throw fatalError(error) ?? new (isPuppets ? RaisedError : PuppetError)(message, { cause: error });
  }
}

/** What such an exception is to Puppet; null for one that is a StandardError. */
export function fatalError(error: RubyError): PreformattedError | null {
  return FATAL.has(error.rubyClass) ? new PreformattedError(error.message, { cause: error }) : null;
}

/** Whether it is such an error on its way: Puppet does not even add the node's name. */
export function isFatalRubyError(error: PuppetError): boolean {
  return error instanceof PreformattedError && error.cause instanceof RubyError && FATAL.has(error.cause.rubyClass);
}
