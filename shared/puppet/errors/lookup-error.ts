import { PreformattedError, PuppetError, type SourceLocation } from './puppet-error.ts';

/**
 * What a lookup fails with: it reaches the user in these words, without the place of the expression
 * that started the lookup.
 */
export class LookupError extends PreformattedError {
  override completedBy(other: SourceLocation): LookupError {
    return new LookupError(this.basic, this.optionsWith(other));
  }
}

/**
 * What Puppet's own code would fail with as a Ruby exception rather than as one of its errors. A
 * lookup passes it on as it is, to be reported as an evaluation error of the expression that
 * started it.
 */
export class RubyFault extends PuppetError {}

/**
 * What code fails with on purpose, as one of Puppet's own errors: a type assertion, `raise
 * Puppet::Error` in Ruby code, a lookup that failed. Of a function that a lookup calls it becomes a
 * LookupError.
 */
export class RaisedError extends PuppetError {}
