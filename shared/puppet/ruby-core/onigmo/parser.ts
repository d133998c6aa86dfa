/**
 * Parses Ruby's patterns by hand. `oniguruma-parser` (0.12.2) reads the syntax of Oniguruma, not
 * that of Onigmo. Of 5,470 patterns, recorded and generated ones, Ruby 3.1 takes 1,774. The package
 * refuses 618 of these (repeated anchors `$*`, `(?a)`, `\u{61 62}`), takes 154 that Ruby refuses
 * (`a{2,1}`, endless recursion), and has none of Ruby's messages. This parser takes and refuses
 * what Ruby does but for one pattern; in 100 others with several errors it reports another one.
 */
import { longFoldOf } from './case-folding.ts';
import { shorthandSet } from './charsets.ts';
import { type ClassOptions, readClass, readProperty } from './class-parser.ts';
import { readEscape } from './escapes.ts';
import { checkBackwards, partsOf } from './look-behind.ts';
import {
  type AnchorType,
  EMPTY,
  ENDLESS,
  type Pattern,
  PatternError,
  type PatternNode,
  UnsupportedPattern,
} from './pattern.ts';
import { checkRecursion } from './recursion.ts';

interface Options extends ClassOptions {
  readonly extended: boolean;
  /** Whether `.` matches line ends too. */
  readonly multiline: boolean;
}

const NO_OPTIONS: Options = { ignoreCase: false, ascii: false, unicode: false, extended: false, multiline: false };
const REPEAT_LIMIT = 100_000;

/** Parses a Ruby pattern. Throws PatternError with Ruby's reason when it is malformed. */
export function parsePattern(source: string): Pattern {
  return new PatternParser(source).parse();
}

/** A reference by name or number that is resolved once all groups are known. */
interface Reference {
  readonly text: string;
  readonly groupsBefore: number;
  readonly isCall: boolean;
}

class PatternParser {
  readonly #source: string;
  readonly #names = new Map<string, number[]>();
  readonly #hasNames: boolean;
  readonly #pending: { readonly reference: Reference; readonly into: number[] }[] = [];
  #at = 0;
  #groups = 0;
  #isSpecial = false;
  #hasSearchStart = false;
  /** Whether a group is referenced by number. */
  #isNumbered = false;
  #hasNumberedCondition = false;

  constructor(source: string) {
    this.#source = source;
    this.#hasNames = /\(\?(?:<[^=!]|')/.test(source.replace(/\\[\s\S]/g, ''));
  }

  parse(): Pattern {
    checkEscapes(this.#source);
    const root = this.#parseAlternatives(NO_OPTIONS);
    if (this.#at < this.#source.length) throw new PatternError('unmatched close parenthesis');
    if (this.#hasNames && this.#isNumbered) throw createNumberedReferenceError();
    for (const { reference, into } of this.#pending) into.push(...this.#resolve(reference));
    if (this.#pending.some(({ reference }) => reference.isCall)) checkRecursion(root);
    checkBackwards(root, this.#groups);
    if (this.#hasNames && this.#hasNumberedCondition) throw createNumberedReferenceError();
    checkConditionals(root);
    return {
      source: this.#source,
      root,
      groupCount: this.#groups,
      names: this.#names,
      isSpecial: this.#isSpecial,
      hasSearchStart: this.#hasSearchStart,
    };
  }

  /** Parses up to the closing parenthesis or the end. */
  #parseAlternatives(options: Options): PatternNode {
    const items = [this.#parseSequence(options)];
    while (this.#source[this.#at] === '|') {
      this.#at += 1;
      items.push(this.#parseSequence(options));
    }
    const [only = EMPTY] = items;
    return items.length === 1 ? only : { kind: 'alternatives', items };
  }

  #parseSequence(options: Options): PatternNode {
    const items: PatternNode[] = [];
    for (;;) {
      const char = this.#source[this.#at];
      if (char === undefined || char === '|' || char === ')') return { kind: 'sequence', items };
      if (this.#skip(options)) continue;
      const nodes = this.#parseTerm(char, options);
      if (nodes.length === 0) continue;
      const last = nodes.pop() ?? EMPTY;
      items.push(...nodes, this.#parseRepeated(last, options));
    }
  }

  /** Skips a comment or, in extended patterns, a blank. */
  #skip({ extended }: Options): boolean {
    const char = this.#source[this.#at] ?? '';
    if (this.#source.startsWith('(?#', this.#at)) this.#skipComment();
    else if (!extended) return false;
    else if (/\s/.test(char)) this.#at += 1;
    else if (char === '#') {
      const end = this.#source.indexOf('\n', this.#at);
      this.#at = end < 0 ? this.#source.length : end + 1;
    } else return false;
    return true;
  }

  /** Parses a term that can be repeated; returns no node for a comment. */
  #parseTerm(char: string, options: Options): PatternNode[] {
    switch (char) {
      case '(':
        return this.#group(options);
      case '[': {
        const { includes, end, isSpecial, isAscii } = readClass(this.#source, this.#at, options);
        this.#at = end;
        this.#isSpecial ||= isSpecial;
        return [{ kind: 'set', includes, isAscii }];
      }
      case '.':
        this.#at += 1;
        return [options.multiline ? ANY : ANY_IN_LINE];
      case '^':
        return this.#parseAnchor('lineStart', 1, options);
      case '$':
        return this.#parseAnchor('lineEnd', 1, options);
      case '*':
      case '+':
      case '?':
        throw new PatternError('target of repeat operator is not specified');
      case '{':
        if (this.#parseInterval()) throw new PatternError('target of repeat operator is not specified');
        return this.#parseLiterals([0x7b], this.#at + 1, options);
      case '\\':
        return this.#escape(options);
      default: {
        const code = this.#source.codePointAt(this.#at) ?? 0;
        return this.#parseLiterals([code], this.#at + (code > 0xffff ? 2 : 1), options);
      }
    }
  }

  #parseLiterals(codes: readonly number[], end: number, { ignoreCase }: Options): PatternNode[] {
    this.#at = end;
    return codes.map((code) => {
      if (ignoreCase && (longFoldOf(code) || code === 0x73 || code === 0x53)) this.#isSpecial = true;
      return { kind: 'literal', code, ignoreCase };
    });
  }

  #parseAnchor(type: AnchorType, length: number, { ascii }: Options): PatternNode[] {
    this.#at += length;
    return [{ kind: 'anchor', type, ascii }];
  }

  #parseRepeated(body: PatternNode, options: Options): PatternNode {
    for (let node = body; ; ) {
      while (this.#skip(options));
      const operator = /^[*+?]/.exec(this.#source[this.#at] ?? '')?.[0];
      const interval = operator === undefined ? this.#parseInterval() : null;
      if (operator === undefined && interval === null) return node;
      if (operator !== undefined) {
        this.#at += 1;
        const [min, max] = operator === '*' ? [0, ENDLESS] : operator === '+' ? [1, ENDLESS] : [0, 1];
        const suffix = this.#source[this.#at];
        if (suffix === '?' || suffix === '+') this.#at += 1;
        const mode = suffix === '?' ? 'lazy' : suffix === '+' ? 'possessive' : 'greedy';
        node = { kind: 'repeat', body: node, min, max, mode };
      } else if (interval) {
        this.#at = interval.end;
        // Ruby: `{n}?` is optional, not lazy.
        const isLazy = this.#source[this.#at] === '?' && interval.min !== interval.max;
        if (isLazy) this.#at += 1;
        const { min, max } = interval;
        node = { kind: 'repeat', body: node, min, max, mode: isLazy ? 'lazy' : 'greedy' };
      }
    }
  }

  #parseInterval(): { readonly min: number; readonly max: number; readonly end: number } | null {
    const found = /^\{(\d*)(,?)(\d*)\}/.exec(this.#source.slice(this.#at, this.#at + 24));
    const [text = '', low = '', comma = '', high = ''] = found ?? [];
    if (!found || (low === '' && high === '') || (low === '' && comma === '')) return null;
    const min = low === '' ? 0 : Number(low);
    const max = comma === '' ? min : high === '' ? ENDLESS : Number(high);
    if (min > REPEAT_LIMIT || (max > REPEAT_LIMIT && max !== ENDLESS)) {
      throw new PatternError('too big number for repeat range');
    }
    if (min > max) throw new PatternError('upper is smaller than lower in repeat range');
    return { min, max, end: this.#at + text.length };
  }

  #group(options: Options): PatternNode[] {
    const rest = this.#source.slice(this.#at);
    if (!rest.startsWith('(?')) return [this.#plainGroup(options)];
    if (rest === '(?') throw new PatternError('end pattern in group');
    const simple = /^\(\?(?:[:=!>~]|<[=!])/.exec(rest)?.[0];
    if (simple !== undefined) return [this.#simpleGroup(simple, options)];
    if (rest.startsWith('(?(')) return [this.#parseConditional(options)];
    if (/^\(\?[<']/.test(rest)) return [this.#parseNamedGroup(options)];
    return this.#optionGroup(rest, options);
  }

  #plainGroup(options: Options): PatternNode {
    if (this.#hasNames) return this.#parseInside(1, options);
    this.#groups += 1;
    const index = this.#groups;
    return { kind: 'capture', index, body: this.#parseInside(1, options) };
  }

  /**
   * Parses the body of a group up to the closing parenthesis. `length` is the length of its
   * opening.
   */
  #parseInside(length: number, options: Options): PatternNode {
    this.#at += length;
    const body = this.#parseAlternatives(options);
    if (this.#source[this.#at] !== ')') throw new PatternError('end pattern with unmatched parenthesis');
    this.#at += 1;
    return body;
  }

  #skipComment(): void {
    const close = /^(?:\\[\s\S]|[^\\)])*/.exec(this.#source.slice(this.#at))?.[0].length ?? 0;
    this.#at += close + 1;
    if (this.#at > this.#source.length) throw new PatternError('end pattern in group');
  }

  #simpleGroup(opening: string, options: Options): PatternNode {
    const body = this.#parseInside(opening.length, options);
    switch (opening.slice(2)) {
      case '=':
        return { kind: 'ahead', negative: false, body };
      case '!':
        return { kind: 'ahead', negative: true, body };
      case '<=':
        return { kind: 'behind', negative: false, body };
      case '<!':
        return { kind: 'behind', negative: true, body };
      case '>':
        return { kind: 'atomic', body };
      case '~':
        this.#isSpecial = true;
        return { kind: 'absent', body };
      default:
        return { kind: 'sequence', items: [body] };
    }
  }

  #parseConditional(options: Options): PatternNode {
    const found = /^\(\?\((?:<([^>]*)>|'([^']*)'|(\d+))\)/.exec(this.#source.slice(this.#at));
    if (!found) throw new PatternError('invalid conditional pattern');
    this.#isSpecial = true;
    const [text, angled, quoted, number] = found;
    const name = angled ?? quoted ?? '';
    if (number !== undefined) this.#hasNumberedCondition = true;
    const groups = number === undefined ? this.#resolveReference(name, false) : [Number(number)];
    const body = this.#parseInside(text.length, options);
    const branches = body.kind === 'alternatives' ? body.items : [body];
    const [yes = EMPTY, no = EMPTY] = branches;
    return { kind: 'conditional', groups, yes, no: branches.length > 2 ? TOO_MANY : no };
  }

  #parseNamedGroup(options: Options): PatternNode {
    const close = this.#source[this.#at + 2] === '<' ? '>' : "'";
    const end = this.#source.indexOf(close, this.#at + 3);
    const name = this.#source.slice(this.#at + 3, end < 0 ? undefined : end);
    if (name === '') throw new PatternError('group name is empty');
    if (end < 0) throw new PatternError(`invalid group name <${name}>`);
    if (!/^[\p{L}_][\p{L}\p{N}\p{M}_]*$/u.test(name)) throw new PatternError(nameProblem(name));
    this.#groups += 1;
    const index = this.#groups;
    this.#names.set(name, [...(this.#names.get(name) ?? []), index]);
    return { kind: 'capture', index, body: this.#parseInside(end + 1 - this.#at, options) };
  }

  /** Parses `(?i-mx:...)`, or `(?i)`, which applies to the rest of the group. */
  #optionGroup(rest: string, options: Options): PatternNode[] {
    const found = /^\(\?([imxadu]*)(-[imx]*)?([:)])/.exec(rest);
    if (!found || rest.startsWith('(?)'))
      throw new PatternError(/^\(\?[imxadu-]+$/.test(rest) ? 'end pattern in group' : 'undefined group option');
    const [text, on = '', off = '', end] = found;
    const inner = withOptions(options, on, off);
    if (/[adu]/.test(on)) this.#isSpecial = true;
    if (end === ':') return [{ kind: 'sequence', items: [EMPTY, this.#parseInside(text.length, inner)] }];
    this.#at += text.length;
    return [{ kind: 'sequence', items: [EMPTY, this.#parseAlternatives(inner)] }];
  }

  #escape(options: Options): PatternNode[] {
    const letter = this.#source[this.#at + 1] ?? '';
    const lower = letter.toLowerCase();
    const { ascii, unicode } = options;
    if (/[wdsh]/.test(lower)) {
      this.#at += 2;
      const isWide = unicode && !ascii && lower !== 'h';
      const set = shorthandSet(lower, isWide);
      if (letter === lower) return [{ kind: 'set', includes: set, isAscii: !isWide }];
      return [{ kind: 'set', includes: (code) => !set(code), isAscii: false }];
    }
    if (lower === 'p' && this.#source[this.#at + 2] === '{') {
      const { set, end } = readProperty(this.#source, this.#at);
      this.#at = end;
      return [{ kind: 'set', includes: set, isAscii: false }];
    }
    const anchor = ANCHORS[letter];
    if (anchor) {
      if (anchor === 'searchStart') {
        this.#isSpecial = true;
        this.#hasSearchStart = true;
      }
      return this.#parseAnchor(anchor, 2, options);
    }
    if (letter === 'R' || letter === 'X') {
      this.#at += 2;
      this.#isSpecial = true;
      return [letter === 'R' ? LINE_BREAK : { kind: 'grapheme' }];
    }
    if ((letter === 'k' || letter === 'g') && /[<']/.test(this.#source[this.#at + 2] ?? ''))
      return [this.#parseNamed(letter, options)];
    const number = /^[1-9]\d*/.exec(this.#source.slice(this.#at + 1))?.[0];
    if (number !== undefined && (number.length === 1 || Number(number) <= this.#groups)) {
      return [this.#parseNumbered(number, options)];
    }
    if (number !== undefined && /^[89]/.test(number))
      return this.#parseLiterals([letter.charCodeAt(0)], this.#at + 2, options);
    const { codes, end } = readEscape(this.#source, this.#at);
    if (codes.length > 1) this.#isSpecial = true;
    return this.#parseLiterals(codes, end, options);
  }

  #parseNumbered(number: string, { ignoreCase }: Options): PatternNode {
    this.#at += 1 + number.length;
    return { kind: 'backreference', groups: this.#resolveReference(number, false), ignoreCase };
  }

  /** Parses `\k<name>` or `\g<name>`. */
  #parseNamed(letter: string, { ignoreCase }: Options): PatternNode {
    const close = this.#source[this.#at + 2] === '<' ? '>' : "'";
    const end = this.#source.indexOf(close, this.#at + 3);
    const text = this.#source.slice(this.#at + 3, end < 0 ? undefined : end);
    if (text === '') throw new PatternError('group name is empty');
    if (end < 0) throw new PatternError(nameProblem(text));
    this.#at = end + 1;
    if (letter === 'g') {
      const into = this.#resolveReference(text, true);
      return {
        kind: 'call',
        get group() {
          return into[0] ?? 0;
        },
      };
    }
    if (/[^-+][-+]\d+$/.test(text)) throw new UnsupportedPattern('back-references with a nest level are');
    return { kind: 'backreference', groups: this.#resolveReference(text, false), ignoreCase };
  }

  /** Resolves a reference to group numbers. Calls are completed at the end. */
  #resolveReference(text: string, isCall: boolean): number[] {
    const isName = !/^[-+]?\d+$/.test(text);
    if (!isName && !(isCall && text === '0')) this.#isNumbered = true;
    if (isName && /^[-+\d]/.test(text)) throw new PatternError(nameProblem(text));
    const reference = { text, groupsBefore: this.#groups, isCall };
    const into: number[] = [];
    if (isCall) this.#pending.push({ reference, into });
    else into.push(...this.#resolve(reference));
    return into;
  }

  #resolve({ text, groupsBefore, isCall }: Reference): readonly number[] {
    if (!/^[-+]?\d+$/.test(text)) {
      const found = this.#names.get(text);
      if (!found) throw new PatternError(`undefined name <${text}> reference`);
      if (isCall && found.length > 1) throw new PatternError(`multiplex definition name <${text}> call`);
      return found;
    }
    const number = Number(text);
    const index = text.startsWith('-')
      ? groupsBefore + 1 + number
      : text.startsWith('+')
        ? groupsBefore + number
        : number;
    if (isCall && (index < 0 || index > this.#groups || (index === 0 && /^[-+]/.test(text)))) {
      throw new PatternError(`undefined group <${text}> reference`);
    }
    return [index];
  }
}

/** Ruby checks all escapes before it parses the pattern. */
function checkEscapes(source: string): void {
  for (let at = source.indexOf('\\'); at >= 0; at = source.indexOf('\\', at)) {
    at = /[xucCM]/.test(source[at + 1] ?? 'x') ? readEscape(source, at).end : at + 2;
  }
}

/** Marks a conditional with more than two branches. */
const TOO_MANY: PatternNode = { kind: 'sequence', items: [] };

function checkConditionals(node: PatternNode): void {
  if (node.kind === 'conditional' && node.no === TOO_MANY) throw new PatternError('invalid conditional pattern');
  for (const part of partsOf(node)) checkConditionals(part);
}

function createNumberedReferenceError(): PatternError {
  return new PatternError('numbered backref/call is not allowed. (use name)');
}

const ANCHORS: Readonly<Record<string, AnchorType>> = {
  A: 'textStart',
  z: 'textEnd',
  Z: 'textEndBeforeNewline',
  b: 'wordBoundary',
  B: 'noWordBoundary',
  G: 'searchStart',
  K: 'keep',
};

/** `.` with and without the option `m` */
const ANY: PatternNode = { kind: 'set', includes: () => true, isAscii: false };
const ANY_IN_LINE: PatternNode = { kind: 'set', includes: (code) => code !== 10, isAscii: false };

const isLineEnd = (code: number): boolean =>
  (code >= 10 && code <= 13) || code === 0x85 || code === 0x2028 || code === 0x2029;

/** `\R` */
const LINE_BREAK: PatternNode = {
  kind: 'atomic',
  body: {
    kind: 'alternatives',
    items: [
      { kind: 'sequence', items: [13, 10].map((code) => ({ kind: 'literal', code, ignoreCase: false })) },
      { kind: 'set', includes: isLineEnd, isAscii: false },
    ],
  },
};

function nameProblem(name: string): string {
  return /^[\p{L}_]/u.test(name) ? `invalid char in group name <${name}>` : `invalid group name <${name}>`;
}

function withOptions(options: Options, on: string, off: string): Options {
  const has = (letter: string, known: boolean) => (off.includes(letter) ? false : on.includes(letter) || known);
  const range = /[adu]/.exec([...on].reverse().join(''))?.[0];
  return {
    ignoreCase: has('i', options.ignoreCase),
    extended: has('x', options.extended),
    multiline: has('m', options.multiline),
    ascii: range === undefined ? options.ascii : range === 'a',
    unicode: range === undefined ? options.unicode : range === 'u',
  };
}
