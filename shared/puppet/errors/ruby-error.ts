import { PreformattedError, type PuppetError, type SourceLocation } from './puppet-error.ts';

/** Properties of a Ruby exception. */
export interface RubyErrorTraits {
  /** Whether the class is one of Puppet's own. */
  readonly isPuppets: boolean;
  /** Whether it is not a StandardError, so that a plain `rescue` does not catch it. */
  readonly isBare: boolean;
  /** The location that the code set, and the message without it. */
  readonly given: (SourceLocation & { readonly basic: string }) | null;
  /** The frames in modules' files, innermost first: `PATH:LINE:in 'NAME'`; at most 10. */
  readonly frames: readonly string[];
}

/** An exception of Ruby code: its class, message and innermost location in a module's file. */
export class RubyError extends Error {
  readonly rubyClass: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly traits: RubyErrorTraits;
  /** The Puppet error that passed through Ruby, to be rethrown unchanged. */
  readonly original: unknown;

  constructor(
    rubyClass: string,
    message: string,
    place: { file: string | null; line: number | null },
    original?: unknown,
    traits: Partial<RubyErrorTraits> = {},
  ) {
    super(message);
    this.name = 'RubyError';
    this.rubyClass = rubyClass;
    this.file = place.file;
    this.line = place.line;
    this.original = original;
    this.traits = { isPuppets: false, isBare: false, given: null, frames: [], ...traits };
  }
}

/**
 * Whether an error is an exception of Ruby code that is not a StandardError, as that of a file that
 * `require` does not find. Puppet extends it by nothing, not even by the name of the node.
 */
export function isFatalRubyError(error: PuppetError): boolean {
  return error instanceof PreformattedError && error.cause instanceof RubyError && error.cause.traits.isBare;
}

/** The class of the Ruby exception that an error follows from; null for an error without one. */
export function rubyClassBehind(error: unknown): string | null {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof RubyError) return cause.rubyClass;
  return null;
}
