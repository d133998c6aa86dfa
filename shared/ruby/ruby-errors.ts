import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import { RubyError } from './port.ts';

/** Ruby's exceptions that are no StandardError: Puppet's evaluation adds nothing to them. */
const BARE: ReadonlySet<string> = new Set([
  'LoadError',
  'NoMemoryError',
  'NotImplementedError',
  'SyntaxError',
  'SystemStackError',
]);

/** Runs what may call Ruby. Errors of Ruby code become Puppet's. */
export function withRubyErrors<T>(body: () => T): T {
  try {
    return body();
  } catch (error) {
    if (!(error instanceof RubyError)) throw error;
    const { message, rubyClass } = error;
    throw BARE.has(rubyClass)
      ? new PreformattedError(message, { cause: error })
      : new PuppetError(message, { cause: error });
  }
}
