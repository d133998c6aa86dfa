import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { isBlank } from './char-codes.ts';
import { lineOf } from './locator.ts';

/** The parsed content of the parentheses in `@(…)`. */
export interface HeredocSpec {
  readonly endtag: string;
  readonly syntax: string;
  readonly interpolates: boolean;
  readonly escapes: ReadonlySet<string>;
}

const SPEC = /@\(([^:/\r\n)]+)(?::[\p{Zs}\t]*([a-z][a-zA-Z0-9_+]+)[\p{Zs}\t]*)?(?:\/((?:\w|[$])*)[\p{Zs}\t]*)?\)/u;
const ALL_ESCAPES = 'trnsuL$';

/** Parses `@(END:syntax/escapes)`; `text` includes the `@` and the parentheses. */
export function parseHeredocSpec(text: string): HeredocSpec | Issue {
  const match = SPEC.exec(text);
  if (!match) return ISSUES.HEREDOC_INVALID_SYNTAX();
  let endtag = (match[1] ?? '').trim();
  const quoted = /^"(.*)"$/.exec(endtag);
  if (quoted) endtag = (quoted[1] ?? '').trim();
  if (endtag.length === 0) return ISSUES.HEREDOC_EMPTY_ENDTAG();
  const escapes = heredocEscapes(match[3]);
  if ('text' in escapes) return escapes;
  return { endtag, syntax: match[2] ?? '', interpolates: quoted !== null, escapes };
}

function heredocEscapes(text: string | undefined): ReadonlySet<string> | Issue {
  if (text === undefined) return new Set();
  const chars = [...(text.length === 0 ? ALL_ESCAPES : text)];
  if (new Set(chars).size !== chars.length) {
    return ISSUES.HEREDOC_MULTIPLE_AT_ESCAPES({ escapes: chars.join(', ') });
  }
  const result = new Set(['\\']);
  for (const char of chars) {
    if (!ALL_ESCAPES.includes(char)) {
      return ISSUES.HEREDOC_INVALID_ESCAPE({ actual: char });
    }
    if (char === 'L') result.add('\n').add('\r\n');
    else result.add(char);
  }
  return result;
}

/** The text of a heredoc as the lexer sees it, and the position where the source continues. */
interface HeredocText {
  readonly text: string;
  readonly hasMargin: boolean;
  /** The number of margin characters removed from each line. */
  readonly margins: readonly number[];
  /** The offset of the line after the end tag. */
  readonly end: number;
  /** The lines as in the source, with their margins. */
  readonly lines: readonly string[];
}

/** The heredoc text from `from` up to the line with the end tag; null when that line is missing. */
export function heredocText(source: string, from: number, endtag: string): HeredocText | null {
  const lines: string[] = [];
  let at = from;
  while (at < source.length) {
    const newline = source.indexOf('\n', at);
    const next = newline < 0 ? source.length : newline + 1;
    const line = source.slice(at, next);
    const tag = endTag(line, endtag);
    if (tag) return { ...withoutMargin(lines, tag), end: next, lines };
    lines.push(line);
    at = next;
  }
  return null;
}

interface EndTag {
  readonly leading: string;
  readonly hasMargin: boolean;
  readonly removesBreak: boolean;
}

/**
 * Parses the end tag line `  | - END`, from right to left. Text before the tag is permitted and
 * dropped.
 */
function endTag(line: string, endtag: string): EndTag | null {
  let end = line.length;
  if (end > 0 && line[end - 1] === '\n') end--;
  if (end > 0 && line[end - 1] === '\r') end--;
  end = blankStart(line, end);
  if (!line.startsWith(endtag, end - endtag.length) || end < endtag.length) return null;
  let marker = end - endtag.length;
  let blank = blankStart(line, marker);
  const removesBreak = blank > 0 && line[blank - 1] === '-';
  if (removesBreak) {
    marker = blank - 1;
    blank = blankStart(line, marker);
  }
  const hasMargin = blank > 0 && line[blank - 1] === '|';
  if (hasMargin) {
    marker = blank - 1;
    blank = blankStart(line, marker);
  }
  return { leading: line.slice(blank, marker), hasMargin, removesBreak };
}

function blankStart(line: string, end: number): number {
  let at = end;
  while (at > 0 && isBlank(line.charCodeAt(at - 1))) at--;
  return at;
}

/**
 * Puppet: a line with text in the margin keeps all its white space,
 * lib/puppet/pops/parser/heredoc_support.rb.
 */
function withoutMargin(lines: readonly string[], tag: EndTag): Pick<HeredocText, 'text' | 'hasMargin' | 'margins'> {
  const { leading, hasMargin, removesBreak } = tag;
  const strips = hasMargin && leading.length > 0;
  const margins = lines.map((line) => (strips && line.startsWith(leading) ? leading.length : 0));
  const text = lines.map((line, index) => line.slice(margins[index])).join('');
  return { text: removesBreak ? text.replace(/\r?\n$/, '') : text, hasMargin, margins };
}

/** Maps positions in a heredoc's text (without margins) to positions in the enclosing text. */
export class HeredocSpace {
  readonly #parent: HeredocSpace | null;
  readonly #start: number;
  readonly #hasMargin: boolean;
  readonly #lineStarts: number[] = [0];
  /** Total margin removed before a position on line n (from 1). */
  readonly #marginBefore: number[] = [0];

  constructor(parent: HeredocSpace | null, start: number, { text, hasMargin, margins }: HeredocText) {
    this.#parent = parent;
    this.#start = start;
    this.#hasMargin = hasMargin;
    for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) this.#lineStarts.push(at + 1);
    let sum = 0;
    for (const margin of margins) {
      sum += margin;
      this.#marginBefore.push(sum);
    }
    this.#marginBefore.push(sum);
  }

  /** Maps offset and length to the enclosing text. */
  toParent(offset: number, length: number): { offset: number; length: number } {
    if (!this.#hasMargin) return { offset: offset + this.#start, length };
    const before = this.#marginAt(offset);
    return {
      offset: offset === 0 ? this.#start : offset + this.#start + before,
      length: length + this.#marginAt(offset + length) - before,
    };
  }

  /** Maps an offset to the source text. */
  toSource(offset: number, length: number): number {
    const outer = this.toParent(offset, length);
    return this.#parent ? this.#parent.toSource(outer.offset, outer.length) : outer.offset;
  }

  #marginAt(offset: number): number {
    return this.#marginBefore[lineOf(this.#lineStarts, offset)] ?? 0;
  }
}
