import { LookupError, RaisedError } from '../errors/lookup-error.ts';
import { PreformattedError, PuppetError } from '../errors/puppet-error.ts';
import { RubyError, rubyClassBehind } from '../errors/ruby-error.ts';

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

/** Classes of what Puppet raises without an issue code, by its text; ParseError for others. */
const CLASSES: readonly (readonly [text: RegExp, name: string])[] = [
  [/^'[\w:]+' (?:expects|parameter|block|The |Value )/, 'ArgumentError'],
  [/^The function '[\w:]+' was called with arguments/, 'ArgumentError'],
  [/^Function [\w:]+\(\): Unknown function: |^Unknown resource type: /, 'ArgumentError'],
  [/^invalid value for (?:Integer|Float)\(\)/, 'ArgumentError'],
  [/^Could not find class /, 'Puppet::Error'],
  [/^The given data requires /, 'Puppet::ErrorWithData'],
  [/^Failed to parse (?:inline )?template/, 'Puppet::ParseError'],
  [
    /^(?:end pattern|premature end|unmatched|invalid|target of|undefined|too |char-class|empty)[^\n]*: \/[^\n]*\/$/,
    'RegexpError',
  ],
  [/^assert_type\(\): /, 'Puppet::Pops::Types::TypeAssertionError'],
];

/**
 * The class by which Ruby code that called into the compile can rescue an error. Errors of Ruby
 * code keep theirs; an error with a place is one of the evaluation.
 */
export function rubyClassOf(error: unknown): string {
  if (error instanceof LookupError) return 'Puppet::DataBinding::LookupError';
  if (error instanceof PuppetError && error.location.line !== undefined) return 'Puppet::PreformattedError';
  const text = error instanceof Error ? error.message : '';
  const [, known] = CLASSES.find(([pattern]) => pattern.test(text)) ?? [];
  return known ?? rubyClassBehind(error) ?? 'Puppet::ParseError';
}
