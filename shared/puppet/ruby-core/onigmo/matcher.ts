/**
 * A backtracking matcher in continuation-passing style: each part gets the continuation that
 * matches the rest.
 */
import { foldCharacter, longFoldOf, longFoldsAt } from './case-folding.ts';
import { isWordCharacter } from './charsets.ts';
import { lookBehindLengths } from './look-behind.ts';
import { type AnchorType, type Charset, ENDLESS, type Pattern, type PatternNode } from './pattern.ts';

/** A match: its range, and the ranges of its groups (-1 for groups that did not participate). */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Start and end of each group, from group 1 on. */
  readonly groups: readonly number[];
}

interface State {
  readonly text: string;
  readonly searchStart: number;
  /** Starts and ends, by group number. */
  readonly groups: number[];
  /** The start of the match as set by `\K`. */
  keep: number;
}

type Next = (at: number) => boolean;
type Matcher = (state: State, at: number, next: Next) => boolean;

/** A compiled pattern that can search texts. */
export class PatternProgram {
  readonly pattern: Pattern;
  readonly #groups = new Map<number, Matcher>();
  readonly #root: Matcher;

  constructor(pattern: Pattern) {
    this.pattern = pattern;
    this.#root = this.#compile(pattern.root);
    this.#groups.set(0, this.#root);
  }

  /** Finds the first match that starts at `from` or later. */
  search(text: string, from: number): PatternMatch | null {
    for (let start = from; start <= text.length; start += sizeAt(text, start)) {
      const state: State = { text, searchStart: from, groups: noGroups(this.pattern.groupCount), keep: -1 };
      let end = -1;
      const found = this.#root(state, start, (at) => {
        end = at;
        return true;
      });
      if (found) return { start: state.keep < 0 ? start : state.keep, end, groups: state.groups.slice(2) };
    }
    return null;
  }

  #compile(node: PatternNode): Matcher {
    switch (node.kind) {
      case 'sequence':
        return this.#compileSequence(node.items);
      case 'alternatives': {
        const items = node.items.map((item) => this.#compile(item));
        return (state, at, next) => items.some((item) => item(state, at, next));
      }
      case 'literal':
      case 'set':
        return matchSingle(charsetOf(node));
      case 'repeat':
        return this.#repeat(node);
      case 'capture':
        return this.#compileCapture(node.index, this.#compile(node.body));
      case 'atomic':
        return matchAtomic(this.#compile(node.body));
      case 'ahead':
        return lookAround(this.#compile(node.body), node.negative);
      case 'behind':
        return lookAround(
          matchBehind(this.#compile(node.body), lookBehindLengths(node.body, node.negative)),
          node.negative,
        );
      case 'anchor':
        return matchAnchor(node.type, node.ascii);
      case 'backreference':
        return matchBackreference(node.groups, node.ignoreCase);
      case 'call':
        return (state, at, next) => this.#groups.get(node.group)?.(state, at, next) ?? false;
      case 'conditional': {
        const [yes, no] = [this.#compile(node.yes), this.#compile(node.no)];
        return (state, at, next) => {
          const isSet = node.groups.some((group) => (state.groups[group * 2 + 1] ?? -1) >= 0);
          return (isSet ? yes : no)(state, at, next);
        };
      }
      case 'absent':
        return matchAbsent(this.#compile(node.body));
      case 'grapheme':
        return grapheme;
    }
  }

  #compileSequence(items: readonly PatternNode[]): Matcher {
    const matchers: Matcher[] = [];
    for (let index = 0; index < items.length; ) {
      const run = findFoldedRun(items, index);
      const item = items[index];
      if (item === undefined) break;
      matchers.push(run.length > 0 ? matchFoldedText(run) : this.#compile(item));
      index += Math.max(run.length, 1);
    }
    return matchers.reduceRight<Matcher>(
      (rest, first) => (state, at, next) => first(state, at, (after) => rest(state, after, next)),
      (_, at, next) => next(at),
    );
  }

  #compileCapture(index: number, body: Matcher): Matcher {
    const matcher: Matcher = (state, at, next) => {
      const { groups } = state;
      const [start = -1, end = -1] = [groups[index * 2], groups[index * 2 + 1]];
      const found = body(state, at, (after) => {
        const before = [groups[index * 2] ?? -1, groups[index * 2 + 1] ?? -1] as const;
        [groups[index * 2], groups[index * 2 + 1]] = [at, after];
        if (next(after)) return true;
        [groups[index * 2], groups[index * 2 + 1]] = before;
        return false;
      });
      if (!found) [groups[index * 2], groups[index * 2 + 1]] = [start, end];
      return found;
    };
    this.#groups.set(index, matcher);
    return matcher;
  }

  #repeat({ body, min, max, mode }: Extract<PatternNode, { kind: 'repeat' }>): Matcher {
    const isSingle = body.kind === 'set' || (body.kind === 'literal' && !hasLongFold(body));
    if (isSingle && mode !== 'lazy') return matchSingles(charsetOf(body), min, max, mode === 'possessive');
    const matcher = this.#compile(body);
    if (mode === 'possessive') return matchAtomic(matchRepeated(matcher, min, max, false));
    return matchRepeated(matcher, min, max, mode === 'lazy');
  }
}

function noGroups(count: number): number[] {
  return new Array<number>((count + 1) * 2).fill(-1);
}

function sizeAt(text: string, at: number): number {
  return (text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
}

function matchSingle(includes: Charset): Matcher {
  return ({ text }, at, next) => {
    const code = text.codePointAt(at);
    return code !== undefined && includes(code) && next(at + (code > 0xffff ? 2 : 1));
  };
}

function charsetOf(node: Extract<PatternNode, { kind: 'literal' | 'set' }>): Charset {
  if (node.kind === 'set') return node.includes;
  if (!node.ignoreCase) return (code) => code === node.code;
  const folded = foldCharacter(node.code);
  return (code) => foldCharacter(code) === folded;
}

function hasLongFold(node: PatternNode): boolean {
  return node.kind === 'literal' && node.ignoreCase && longFoldOf(node.code) !== undefined;
}

/**
 * The run of adjacent characters that ignore case; a folding such as that of `ß` may span several
 * of them.
 */
function findFoldedRun(items: readonly PatternNode[], start: number): readonly number[] {
  const codes: number[] = [];
  for (let index = start; ; index += 1) {
    const item = items[index];
    if (item?.kind !== 'literal' || !item.ignoreCase) return codes;
    codes.push(item.code);
  }
}

function matchFoldedText(codes: readonly number[]): Matcher {
  const folded = codes.flatMap((code) => longFoldOf(code) ?? [foldCharacter(code)]);
  const long = folded.map((_, index) => [...longFoldsAt(folded, index)]);
  const matchFrom = (index: number, { text }: State, at: number, next: Next): boolean => {
    if (index === folded.length) return next(at);
    const code = text.codePointAt(at);
    if (code === undefined) return false;
    const after = at + (code > 0xffff ? 2 : 1);
    for (const [length, includes] of long[index] ?? []) {
      if (includes(code) && matchFrom(index + length, { text } as State, after, next)) return true;
    }
    return foldCharacter(code) === folded[index] && matchFrom(index + 1, { text } as State, after, next);
  };
  return (state, at, next) => matchFrom(0, state, at, next);
}

function matchSingles(includes: Charset, min: number, max: number, isPossessive: boolean): Matcher {
  return ({ text }, at, next) => {
    const ends = [at];
    for (let end = at; ends.length <= max; ) {
      const code = text.codePointAt(end);
      if (code === undefined || !includes(code)) break;
      end += code > 0xffff ? 2 : 1;
      ends.push(end);
    }
    const least = isPossessive ? Math.max(min, ends.length - 1) : min;
    for (let count = ends.length - 1; count >= least; count -= 1) if (next(ends[count] ?? at)) return true;
    return false;
  };
}

function matchRepeated(body: Matcher, min: number, max: number, isLazy: boolean): Matcher {
  const round = (state: State, at: number, count: number, next: Next): boolean => {
    const more = (): boolean =>
      count < max &&
      body(state, at, (after) => {
        // A round that consumes nothing is the last one.
        if (after === at && count >= min) return !isLazy && next(after);
        return round(state, after, count + 1, next);
      });
    if (count < min) return more();
    return isLazy ? next(at) || more() : more() || next(at);
  };
  return (state, at, next) => round(state, at, max === ENDLESS || max > 0 ? 0 : max, next);
}

/** Matches the body once, without backtracking into it. */
function matchAtomic(body: Matcher): Matcher {
  return (state, at, next) => {
    const before = [...state.groups];
    let end = -1;
    const found = body(state, at, (after) => {
      end = after;
      return true;
    });
    if (found && next(end)) return true;
    restore(state, before);
    return false;
  };
}

function restore(state: State, groups: readonly number[]): void {
  for (const [index, value] of groups.entries()) state.groups[index] = value;
}

function lookAround(body: Matcher, negative: boolean): Matcher {
  return (state, at, next) => {
    const before = [...state.groups];
    const { keep } = state;
    const found = body(state, at, () => true);
    if (negative) {
      restore(state, before);
      state.keep = keep;
    }
    if (found !== negative && next(at)) return true;
    restore(state, before);
    return false;
  };
}

function matchBehind(body: Matcher, lengths: readonly number[]): Matcher {
  return (state, at, next) =>
    lengths.some((length) => {
      const start = stepBack(state.text, at, length);
      return start !== null && body(state, start, (end) => end === at && next(at));
    });
}

function stepBack(text: string, at: number, count: number): number | null {
  let start = at;
  for (let left = count; left > 0; left -= 1) {
    if (start === 0) return null;
    start -= start > 1 && (text.codePointAt(start - 2) ?? 0) > 0xffff ? 2 : 1;
  }
  return start;
}

function matchAnchor(type: AnchorType, ascii: boolean): Matcher {
  if (type === 'keep') {
    return (state, at, next) => {
      const before = state.keep;
      state.keep = at;
      if (next(at)) return true;
      state.keep = before;
      return false;
    };
  }
  return (state, at, next) => isAtAnchor(type, state, at, ascii) && next(at);
}

function isAtAnchor(type: AnchorType, { text, searchStart }: State, at: number, ascii: boolean): boolean {
  switch (type) {
    case 'lineStart':
      return at === 0 || (text[at - 1] === '\n' && at < text.length);
    case 'lineEnd':
      return at === text.length || text[at] === '\n';
    case 'textStart':
      return at === 0;
    case 'textEnd':
      return at === text.length;
    case 'textEndBeforeNewline':
      return at === text.length || (at === text.length - 1 && text[at] === '\n');
    case 'searchStart':
      return at === searchStart;
    default: {
      const start = stepBack(text, at, 1);
      const before = start !== null && isWordCharacter(text.codePointAt(start) ?? 0, ascii);
      const after = at < text.length && isWordCharacter(text.codePointAt(at) ?? 0, ascii);
      return (before !== after) === (type === 'wordBoundary');
    }
  }
}

function matchBackreference(groups: readonly number[], ignoreCase: boolean): Matcher {
  return (state, at, next) => {
    const group = [...groups].reverse().find((each) => (state.groups[each * 2 + 1] ?? -1) >= 0);
    if (group === undefined) return false;
    const wanted = state.text.slice(state.groups[group * 2], state.groups[group * 2 + 1]);
    const given = state.text.slice(at, at + wanted.length);
    const same = ignoreCase ? foldCase(given) === foldCase(wanted) : given === wanted;
    return same && next(at + wanted.length);
  };
}

function foldCase(text: string): string {
  return [...text].map((char) => String.fromCodePoint(foldCharacter(char.codePointAt(0) ?? 0))).join('');
}

/** `(?~...)`: the longest text that does not contain a match of the body. */
function matchAbsent(body: Matcher): Matcher {
  return (state, at, next) => {
    const { text } = state;
    const before = [...state.groups];
    let limit = text.length;
    for (let start = at; start === at || start < Math.min(limit + 1, text.length); start += sizeAt(text, start)) {
      body(state, start, (end) => {
        limit = Math.min(limit, end - 1);
        return true;
      });
    }
    restore(state, before);
    for (let end = limit; end >= at; end -= 1) {
      const splits = /^[\uDC00-\uDFFF]/.test(text.slice(end, end + 1)) && end > at;
      if (!splits && next(end)) return true;
    }
    return false;
  };
}

/** Created lazily, because the start image cannot contain a segmenter. */
let graphemes: Intl.Segmenter | undefined;

const grapheme: Matcher = ({ text }, at, next) => {
  graphemes ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  const [first] = graphemes.segment(text.slice(at));
  return first !== undefined && next(at + first.segment.length);
};
