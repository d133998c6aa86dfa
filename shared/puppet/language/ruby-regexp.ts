import { parsePattern } from '../ruby-core/onigmo/parser.ts';
import { PatternError, patternProblem, UnsupportedPattern } from '../ruby-core/onigmo/pattern.ts';

/** The text of Ruby's error about `pattern` as a regular expression; null when Ruby accepts it. */
export function rubyRegexpProblem(pattern: string): string | null {
  try {
    parsePattern(pattern);
    return null;
  } catch (error) {
    if (error instanceof UnsupportedPattern) return null;
    if (error instanceof PatternError) return patternProblem(error.message, pattern);
    throw error;
  }
}
