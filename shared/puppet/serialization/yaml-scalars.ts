import type { YamlText } from './yaml-text.ts';
import { type Mark, YamlSyntaxError } from './yaml-tokens.ts';

/** The gap between two words of a scalar: blanks on a line, or line breaks to fold. */
class Gap {
  #blanks = '';
  #firstBreak = '';
  #moreBreaks = '';

  get broken(): boolean {
    return this.#firstBreak !== '';
  }

  addBlank(character: string): void {
    if (!this.broken) this.#blanks += character;
  }

  lineBreak(text: string): void {
    if (this.broken) this.#moreBreaks += text;
    else {
      this.#blanks = '';
      this.#firstBreak = text;
    }
  }

  /** The text that replaces the gap. */
  fold(): string {
    if (!this.broken) return this.#blanks;
    if (this.#firstBreak !== '\n') return this.#firstBreak + this.#moreBreaks;
    return this.#moreBreaks === '' ? ' ' : this.#moreBreaks;
  }
}

/**
 * Scans a plain scalar in a collection indented by `indent`. `endedByBreak` is true when a new line
 * follows, where keys may start. Like all scanners of this file, it follows libyaml.
 */
export function scanPlainScalar(
  text: YamlText,
  indent: number,
  inFlow: boolean,
): { readonly value: string; readonly endedByBreak: boolean } {
  const start = text.mark;
  let value = '';
  let gap = new Gap();
  while (!text.isDocumentIndicator() && text.charAt() !== '#') {
    const word = plainWord(text, inFlow, start);
    if (word !== '') {
      value += gap.fold() + word;
      gap = new Gap();
    }
    if (!text.isBlank() && !text.isBreak()) break;
    while (text.isBlank() || text.isBreak()) {
      if (text.isBreak()) gap.lineBreak(text.takeBreak());
      else if (gap.broken && text.column <= indent && text.charAt() === '\t') {
        throw new YamlSyntaxError(
          'found a tab character that violates indentation',
          'while scanning a plain scalar',
          start,
        );
      } else gap.addBlank(text.take());
    }
    if (!inFlow && text.column <= indent) break;
  }
  return { value, endedByBreak: gap.broken };
}

function plainWord(text: YamlText, inFlow: boolean, start: Mark): string {
  let word = text.takePlainRun();
  while (!text.isBlankOrEnd()) {
    const character = text.charAt();
    if (inFlow && character === ':' && ',?[]{}'.includes(text.charAt(1) || ' ')) {
      throw new YamlSyntaxError("found unexpected ':'", 'while scanning a plain scalar', start);
    }
    if (character === ':' && text.isBlankOrEnd(1)) break;
    if (inFlow && ',[]{}'.includes(character)) break;
    word += text.take() + text.takePlainRun();
  }
  return word;
}

/** Scans a scalar in single or double quotes; the cursor is on the opening quote. */
export function scanQuotedScalar(text: YamlText): string {
  const start = text.mark;
  const quote = text.take();
  let value = '';
  for (;;) {
    if (text.isDocumentIndicator()) throw createQuotedError('found unexpected document indicator', start);
    if (text.isAtEnd()) throw createQuotedError('found unexpected end of stream', start);
    const word = readQuotedWord(text, quote, start);
    value += word.value;
    if (text.charAt() === quote) break;
    const gap = new Gap();
    while (text.isBlank() || text.isBreak()) {
      if (text.isBreak()) gap.lineBreak(text.takeBreak());
      else gap.addBlank(text.take());
    }
    // An escaped line break adds nothing; blank lines behind it do.
    value += word.escapedBreak ? (gap.broken ? gap.fold().replace(/^ $/, '') : gap.fold()) : gap.fold();
  }
  text.skip();
  return value;
}

function readQuotedWord(
  text: YamlText,
  quote: string,
  start: Mark,
): { readonly value: string; readonly escapedBreak: boolean } {
  let value = '';
  while (!text.isBlankOrEnd()) {
    if (quote === "'" && text.startsWith("''")) {
      value += "'";
      text.skip(2);
    } else if (text.charAt() === quote) break;
    else if (quote === '"' && text.charAt() === '\\' && text.isBreak(1)) {
      text.skip();
      text.takeBreak();
      return { value: value + skipIndentation(text), escapedBreak: true };
    } else if (quote === '"' && text.charAt() === '\\') value += scanEscape(text, start);
    else value += text.take();
  }
  return { value, escapedBreak: false };
}

function skipIndentation(text: YamlText): string {
  let breaks = '';
  while (text.isBlank() || text.isBreak()) {
    if (text.isBreak()) breaks += text.takeBreak();
    else text.skip();
  }
  return breaks;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  '/': '/',
  '\\': '\\',
  N: '\u0085',
  _: '\u00a0',
  L: '\u2028',
  P: '\u2029',
};
const HEX_LENGTHS: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

function scanEscape(text: YamlText, start: Mark): string {
  text.skip();
  const character = text.take();
  const plain = ESCAPES[character];
  if (plain !== undefined) return plain;
  const length = HEX_LENGTHS[character];
  if (length === undefined) throw escapeError('found unknown escape character', start);
  let digits = '';
  while (digits.length < length) {
    if (!/[0-9a-fA-F]/.test(text.charAt())) throw escapeError('did not find expected hexdecimal number', start);
    digits += text.take();
  }
  const code = Number.parseInt(digits, 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff) {
    throw escapeError('found invalid Unicode character escape code', start);
  }
  return String.fromCodePoint(code);
}

function createQuotedError(problem: string, start: Mark): YamlSyntaxError {
  return new YamlSyntaxError(problem, 'while scanning a quoted scalar', start);
}

function escapeError(problem: string, start: Mark): YamlSyntaxError {
  return new YamlSyntaxError(problem, 'while parsing a quoted scalar', start);
}

/**
 * Scans a literal (`|`) or folded (`>`) scalar in a collection indented by `parentIndent`; the
 * cursor is on the indicator.
 */
export function scanBlockScalar(text: YamlText, parentIndent: number): string {
  const start = text.mark;
  const literal = text.take() === '|';
  const header = scanBlockHeader(text, start);
  const given = header.increment === 0 ? 0 : Math.max(parentIndent, 0) + header.increment;
  const leading = scanBlockBreaks(text, given, parentIndent, start);
  const { indent } = leading;
  let value = '';
  let pendingBreak = '';
  let emptyLines = leading.breaks;
  let afterBlank = false;
  while (text.column === indent && !text.isAtEnd()) {
    const startsBlank = text.isBlank();
    const folds = !literal && pendingBreak === '\n' && !afterBlank && !startsBlank;
    if (!folds) value += pendingBreak;
    else if (emptyLines === '') value += ' ';
    value += emptyLines;
    afterBlank = startsBlank;
    while (!text.isLineEnd()) value += text.take();
    pendingBreak = text.isBreak() ? text.takeBreak() : '';
    emptyLines = scanBlockBreaks(text, indent, parentIndent, start).breaks;
  }
  if (header.chomping !== '-') value += pendingBreak;
  return header.chomping === '+' ? value + emptyLines : value;
}

function scanBlockHeader(text: YamlText, start: Mark): { readonly chomping: string; readonly increment: number } {
  let chomping = '';
  let increment = 0;
  for (let count = 0; count < 2; count += 1) {
    const character = text.charAt();
    if (chomping === '' && (character === '+' || character === '-')) chomping = text.take();
    else if (increment === 0 && /[0-9]/.test(character)) {
      if (character === '0') throw blockError('found an indentation indicator equal to 0', start);
      increment = Number(text.take());
    }
  }
  text.takeWhile((character) => character === ' ' || character === '\t');
  if (text.charAt() === '#') while (!text.isLineEnd()) text.skip();
  if (!text.isLineEnd()) throw blockError('did not find expected comment or line break', start);
  if (text.isBreak()) text.takeBreak();
  return { chomping, increment };
}

/** Consumes empty lines and indentation. Detects the indentation when `indent` is 0. */
function scanBlockBreaks(
  text: YamlText,
  indent: number,
  parentIndent: number,
  start: Mark,
): { readonly breaks: string; readonly indent: number } {
  let breaks = '';
  let widest = 0;
  for (;;) {
    while ((indent === 0 || text.column < indent) && text.charAt() === ' ') text.skip();
    widest = Math.max(widest, text.column);
    if ((indent === 0 || text.column < indent) && text.charAt() === '\t') {
      throw blockError('found a tab character where an indentation space is expected', start);
    }
    if (!text.isBreak()) break;
    breaks += text.takeBreak();
  }
  return { breaks, indent: indent === 0 ? Math.max(widest, parentIndent + 1, 1) : indent };
}

function blockError(problem: string, start: Mark): YamlSyntaxError {
  return new YamlSyntaxError(problem, 'while scanning a block scalar', start);
}
