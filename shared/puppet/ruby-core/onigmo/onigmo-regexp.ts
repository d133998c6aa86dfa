import { type PatternMatch, PatternSearch } from './matcher.ts';
import { type Pattern, PatternError } from './pattern.ts';
import { compileProgram, type PatternProgram } from './program.ts';

/** A Ruby pattern with the interface of a JavaScript RegExp, for the flag `g` or no flags. */
export class OnigmoRegExp extends RegExp {
  readonly #program: PatternProgram;
  #last: PatternSearch | null = null;

  constructor(pattern: Pattern | OnigmoRegExp, flags = '') {
    super('(?:)', flags);
    this.#program = pattern instanceof OnigmoRegExp ? pattern.#program : compileProgram(pattern);
  }

  /** The steps that the searches in the last text took, from its start on. */
  get steps(): number {
    return this.#last?.steps ?? 0;
  }

  /**
   * Throws MatchLimitError when searches in the same text, from its start on, take too many steps
   * together, and PatternError when the match exceeds the recursion depth.
   */
  override exec(text: string): RegExpExecArray | null {
    const found = this.#search(text, this.global ? this.lastIndex : 0);
    if (this.global) this.lastIndex = found?.end ?? 0;
    return found && this.#toResult(text, found);
  }

  #search(text: string, from: number): PatternMatch | null {
    if (from === 0 || this.#last?.text !== text) this.#last = new PatternSearch(this.#program, text);
    try {
      return from > text.length ? null : this.#last.search(from);
    } catch (cause) {
      if (cause instanceof RangeError) throw new PatternError('Stack overflow in regexp matcher', { cause });
      throw cause;
    }
  }

  #toResult(text: string, { start, end, groups }: PatternMatch): RegExpExecArray {
    const { groupCount, names } = this.#program.pattern;
    const captured = Array.from({ length: groupCount }, (_, index) => {
      const [from = -1, to = -1] = groups.slice(index * 2, index * 2 + 2);
      return to < 0 ? undefined : text.slice(from, to);
    });
    const named = [...names].map(([name, indices]) => {
      const set = [...indices].reverse().find((index) => captured[index - 1] !== undefined);
      return [name, set === undefined ? undefined : captured[set - 1]] as const;
    });
    // The standard library types all groups as strings, although groups that did not participate
    // are undefined.
    const result = [text.slice(start, end), ...captured] as unknown as RegExpExecArray;
    result.index = start;
    result.input = text;
    if (names.size > 0) result.groups = Object.fromEntries(named) as Record<string, string>;
    return result;
  }
}
