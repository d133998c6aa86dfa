import { PreformattedError, PuppetError, type SourceLocation } from './puppet-error.ts';

/**
 * The failure of a lookup. Its text reaches the user unchanged, without the place of the expression
 * that started the lookup.
 */
export class LookupError extends PreformattedError {
  override completedBy(other: SourceLocation): LookupError {
    return new LookupError(this.basic, this.optionsWith(other));
  }
}

/**
 * A failure that Puppet's own code raises as a Ruby exception, not as a Puppet error. A lookup
 * passes it on unchanged, and it becomes an evaluation error of the expression that started the
 * lookup.
 */
export class RubyFault extends PuppetError {}

/**
 * A failure that code raises on purpose as a Puppet error: a type assertion, `raise Puppet::Error`
 * in Ruby code, a failed lookup. Raised in a function that a lookup calls, it becomes a
 * LookupError.
 */
export class RaisedError extends PuppetError {}
