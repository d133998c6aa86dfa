import { foldCharacter, longFoldOf } from './case-folding.ts';
import { bracketSet, propertySet, shorthandSet, startsWithBracketName } from './charsets.ts';
import { type EscapedCharacter, readEscape } from './escapes.ts';
import { type Charset, PatternError } from './pattern.ts';

export interface ClassOptions {
  readonly ignoreCase: boolean;
  /** The option `a`. */
  readonly ascii: boolean;
  /** The option `u`. */
  readonly unicode: boolean;
}

interface ReadClass {
  readonly includes: Charset;
  readonly end: number;
  /** Whether a translation to JavaScript would be wrong. */
  readonly isSpecial: boolean;
  /** Whether all members are certainly ASCII. */
  readonly isAscii: boolean;
}

/** A class of ASCII characters, their ranges and ASCII shorthands. */
const PLAIN_CLASS = /^\[(?:[\0-Z\]_-\x7f]|\\[wdshntrfva!-/:-@[-`{-~])*$/;

/** Parses the class `[...]` whose bracket is at `start`. Throws PatternError with Onigmo's text. */
export function readClass(source: string, start: number, options: ClassOptions): ReadClass {
  const reader = new ClassReader(source, start + 1, options);
  const includes = reader.read();
  const isAscii = !options.ignoreCase && !options.unicode && PLAIN_CLASS.test(source.slice(start, reader.at));
  return { includes, end: reader.at, isSpecial: reader.isSpecial, isAscii };
}

class ClassReader {
  readonly #source: string;
  readonly #options: ClassOptions;
  at: number;
  isSpecial = false;

  constructor(source: string, at: number, options: ClassOptions) {
    this.#source = source;
    this.at = at;
    this.#options = options;
  }

  /** Parses the members up to the closing bracket. `&&` makes the intersection of its parts. */
  read(): Charset {
    const negated = this.#source[this.at] === '^';
    if (negated) this.at += 1;
    const parts: Charset[] = [];
    let members: Charset[] = [];
    let isFirst = true;
    for (;;) {
      const char = this.#source[this.at];
      if (char === undefined) throw new PatternError('premature end of char-class');
      if (char === ']' && !(isFirst && this.#closesLater())) {
        if (isFirst) throw new PatternError('empty char-class');
        this.at += 1;
        parts.push(anyOf(members));
        return this.#finish(parts, negated);
      }
      if (this.#source.startsWith('&&', this.at)) {
        this.at += 2;
        parts.push(anyOf(members));
        members = [];
      } else members.push(this.#readMember());
      isFirst = false;
    }
  }

  #finish(parts: readonly Charset[], negated: boolean): Charset {
    const all: Charset = (code) => parts.every((part) => part(code));
    const cased = this.#options.ignoreCase ? inAnyCase(all) : all;
    return negated ? (code) => !cased(code) : cased;
  }

  #closesLater(): boolean {
    return this.#source.includes(']', this.at + 1);
  }

  #readMember(): Charset {
    const first = this.#readItem();
    if (typeof first === 'function') {
      return first;
    }
    if (this.#source[this.at] !== '-' || this.#source[this.at + 1] === ']' || this.at + 1 >= this.#source.length) {
      return (code) => code === first;
    }
    if (this.#source.startsWith('-&&', this.at)) return (code) => code === first;
    const dash = this.at;
    this.at += 1;
    if (this.#source[this.at] === '[') {
      this.at = dash;
      return (code) => code === first;
    }
    const last = this.#readItem();
    if (typeof last === 'function') {
      // Ruby: a class cannot end a range; the dash is then a literal.
      return (code) => code === first || code === 0x2d || last(code);
    }
    if (first > last) throw new PatternError('empty range in char class');
    return (code) => code >= first && code <= last;
  }

  /** Parses one item: a character or a set. */
  #readItem(): number | Charset {
    const source = this.#source;
    if (source[this.at] === '[') return this.#readBracket();
    if (source[this.at] !== '\\') {
      const code = source.codePointAt(this.at) ?? 0;
      this.at += code > 0xffff ? 2 : 1;
      if (this.#options.ignoreCase && longFoldOf(code)) this.isSpecial = true;
      return code;
    }
    const letter = source[this.at + 1] ?? '';
    const { ascii, unicode } = this.#options;
    if (/[wdsh]/i.test(letter)) {
      this.at += 2;
      const lower = letter.toLowerCase();
      const set = shorthandSet(lower, unicode && !ascii && lower !== 'h');
      return letter === lower ? set : (code) => !set(code);
    }
    if (/[pP]/.test(letter) && source[this.at + 2] === '{') return this.#readPropertyClass();
    if (letter === 'R' || letter === 'X') {
      this.at += 2;
      return letter.charCodeAt(0);
    }
    const { codes, end }: EscapedCharacter =
      letter === 'b' ? { codes: [8], end: this.at + 2 } : readEscape(source, this.at);
    this.at = end;
    const [code = 0] = codes;
    return codes.length > 1 ? (each) => codes.includes(each) : code;
  }

  #readPropertyClass(): Charset {
    const { set, end } = readProperty(this.#source, this.at);
    this.at = end;
    return set;
  }

  #readBracket(): Charset {
    const start = this.#source.slice(this.at);
    const found = /^\[:(\^?)([^:\]\\]*):\]/.exec(start.slice(0, 24));
    if (!found) {
      if (isMisspelt(start)) throw new PatternError('invalid POSIX bracket type');
      const { includes, end, isSpecial } = readClass(this.#source, this.at, this.#options);
      this.at = end;
      this.isSpecial ||= isSpecial;
      return includes;
    }
    const [text, caret, name = ''] = found;
    const set = bracketSet(name, this.#options.ascii);
    if (!set) throw new PatternError('invalid POSIX bracket type');
    this.at += text.length;
    if (name === 'punct') this.isSpecial = true;
    return caret ? (code) => !set(code) : set;
  }
}

/**
 * Whether a closed bracket starts with a known name but continues differently, as a misspelled
 * `[:name:]`.
 */
function isMisspelt(start: string): boolean {
  const name = /^\[:\^?([a-z]+)/.exec(start)?.[1] ?? '';
  const isClosed = /^\[:(?:\\[\s\S]|[^\\\]])*?:\]/.test(start);
  return isClosed && startsWithBracketName(name);
}

/** Parses `\p{name}`, `\p{^name}` or `\P{name}` at `start`. */
export function readProperty(source: string, start: number): { readonly set: Charset; readonly end: number } {
  const close = source.indexOf('}', start);
  if (close < 0) throw new PatternError('invalid character property name {}');
  const text = source.slice(start + 3, close);
  const hasCaret = text.startsWith('^');
  const set = propertySet(hasCaret ? text.slice(1) : text);
  const negated = (source[start + 1] === 'P') !== hasCaret;
  return { set: negated ? (code) => !set(code) : set, end: close + 1 };
}

function anyOf(sets: readonly Charset[]): Charset {
  return (code) => sets.some((set) => set(code));
}

function inAnyCase(set: Charset): Charset {
  return (code) => set(code) || caseVariants(code).some(set);
}

function caseVariants(code: number): readonly number[] {
  const text = String.fromCodePoint(code);
  const variants = [foldCharacter(code)];
  for (const each of [text.toLowerCase(), text.toUpperCase()]) {
    if ([...each].length === 1) variants.push(each.codePointAt(0) ?? code);
  }
  return variants;
}
