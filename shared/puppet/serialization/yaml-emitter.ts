/**
 * Prints data as YAML like Ruby's `to_yaml`: Psych on libyaml, block style, lines folded at 80
 * columns.
 */

import type { WorkSteps } from '../../util/in-steps.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { DEFAULT, type Value } from '../types/values/values.ts';
import { RubySymbol } from './yaml.ts';
import { hasLineBreak, isPrintable, type ScalarStyle, styleOfString } from './yaml-scalar-style.ts';

const STEP = 2;
const WIDTH = 80;
/** In bytes. A longer key is written behind a question mark. */
const LONGEST_SIMPLE_KEY = 128;

/**
 * Prints a whole document, with leading `---` and a final line end. A repeated collection becomes
 * an alias of its first occurrence. `step` is the indentation of a level in blanks; libyaml falls
 * back to two when it rejects the number.
 */
export function printYaml(value: Value, step = STEP): string {
  const taken = step >= 2 && step <= 9 ? step : STEP;
  const writer = new YamlWriter(findRepeated(value), taken);
  writer.writeText('---');
  if (isCollection(value)) writer.writeCollection(value, 0);
  else writer.writeScalar(value, taken, false);
  // Without an end mark the kept line ends of a final block scalar would continue the next
  // document.
  return `${writer.out}\n${writer.isOpen ? '...\n' : ''}`;
}

/** Members that are written between two steps. */
const MEMBERS_IN_STEP = 20;

/**
 * Prints a hash without repeated collections as a document with a tag, in steps: as `printYaml`
 * does it, but for the tag.
 */
export function* printTaggedYamlInSteps(tag: string, hash: PuppetHash): WorkSteps<string> {
  const writer = new YamlWriter(new Map(), STEP);
  writer.writeText(`--- ${tag}`);
  for (const [key, value] of hash) {
    const isLong = typeof key === 'string' && /^[a-z_]+$/.test(key) && isCollection(value) && !isEmpty(value);
    if (!isLong) {
      writer.writeCollection(PuppetHash.of([[key, value]]), 0);
      continue;
    }
    writer.writeText(`\n${key}:`);
    const members =
      value instanceof PuppetHash ? [...value].map((member) => PuppetHash.of([member])) : value.map((item) => [item]);
    for (const [index, member] of members.entries()) {
      writer.writeCollection(member, value instanceof PuppetHash ? STEP : 0);
      if (index % MEMBERS_IN_STEP === MEMBERS_IN_STEP - 1) yield;
    }
  }
  return `${writer.out}\n${writer.isOpen ? '...\n' : ''}`;
}

type Collection = readonly Value[] | PuppetHash;

/**
 * The collections that occur more than once, with the numbers of their anchors. Numbers follow the
 * order of the second occurrences.
 */
function findRepeated(value: Value): ReadonlyMap<Collection, number> {
  const seen = new Set<Collection>();
  const repeated = new Map<Collection, number>();
  const visit = (each: Value): void => {
    if (!isCollection(each)) return;
    if (seen.has(each)) {
      if (!repeated.has(each)) repeated.set(each, repeated.size + 1);
      return;
    }
    seen.add(each);
    if (each instanceof PuppetHash) for (const entry of each) entry.forEach(visit);
    else each.forEach(visit);
  };
  visit(value);
  return repeated;
}

function isCollection(value: Value): value is Collection {
  return Array.isArray(value) || value instanceof PuppetHash;
}

function isEmpty(value: Collection): boolean {
  return value instanceof PuppetHash ? value.size === 0 : value.length === 0;
}

class YamlWriter {
  out = '';
  /** Whether the last block scalar keeps its trailing empty lines. */
  isOpen = false;
  /** The start of the current line in `out`. */
  #lineStart = 0;
  readonly #anchors: ReadonlyMap<Collection, number>;
  readonly #anchored = new Set<Collection>();
  readonly #step: number;

  constructor(anchors: ReadonlyMap<Collection, number>, step: number) {
    this.#anchors = anchors;
    this.#step = step;
  }

  writeText(text: string): void {
    const lineEnd = text.lastIndexOf('\n');
    if (lineEnd >= 0) this.#lineStart = this.out.length + lineEnd + 1;
    this.out += text;
  }

  /** Whether the current line is longer than the line width, in characters. */
  get #isWide(): boolean {
    return this.out.length - this.#lineStart > WIDTH && [...this.out.slice(this.#lineStart)].length > WIDTH;
  }

  /** Whether no line becomes wider than the line width by that text. */
  #fits(text: string): boolean {
    return this.out.length - this.#lineStart + text.length <= WIDTH;
  }

  #newLine(indent: number): void {
    this.writeText(`\n${' '.repeat(indent)}`);
  }

  /** Writes a collection behind `---`, a dash or a key. */
  writeCollection(value: Collection, indent: number, afterDash = false): void {
    const anchor = this.#anchors.get(value);
    if (anchor !== undefined) {
      const isKnown = this.#anchored.has(value);
      this.writeText(isKnown ? ` *${anchor}` : ` &${anchor}`);
      if (isKnown) return;
      this.#anchored.add(value);
    }
    if (isEmpty(value)) {
      this.writeScalar(value, indent, false);
      return;
    }
    const startsHere = afterDash && anchor === undefined;
    if (startsHere) this.writeText(' '.repeat(this.#step - 1));
    if (value instanceof PuppetHash) this.#writeMapping(value, indent, startsHere);
    else this.#writeSequence(value, indent, startsHere);
  }

  #writeSequence(items: readonly Value[], indent: number, startsHere: boolean): void {
    for (const [index, item] of items.entries()) {
      if (index > 0 || !startsHere) this.#newLine(indent);
      this.writeText('-');
      if (isCollection(item)) this.writeCollection(item, indent + this.#step, true);
      else this.writeScalar(item, indent + this.#step, false);
    }
  }

  #writeMapping(hash: PuppetHash, indent: number, startsHere: boolean): void {
    let first = true;
    for (const [key, value] of hash) {
      if (!first || !startsHere) this.#newLine(indent);
      first = false;
      if (this.#isSimpleKey(key)) {
        this.#simpleKey(key, indent);
        this.writeText(':');
        this.#inMapping(value, indent);
      } else {
        this.writeText('?');
        this.#writeBehindIndicator(key, indent);
        this.#newLine(indent);
        this.writeText(':');
        this.#writeBehindIndicator(value, indent);
      }
    }
  }

  /** Whether a key fits on one line before its colon. libyaml: yaml_emitter_check_simple_key */
  #isSimpleKey(key: Value): boolean {
    if (isCollection(key)) return isEmpty(key) || this.#anchored.has(key);
    return typeof key !== 'string' || (!hasLineBreak(key) && Buffer.byteLength(key) <= LONGEST_SIMPLE_KEY);
  }

  #simpleKey(key: Value, indent: number): void {
    if (isCollection(key) && this.#anchored.has(key)) this.writeText(`*${this.#anchors.get(key)} `);
    else this.writeScalar(key, indent, true);
  }

  #inMapping(value: Value, indent: number): void {
    // A sequence in a mapping is not indented.
    if (isCollection(value)) this.writeCollection(value, value instanceof PuppetHash ? indent + this.#step : indent);
    else this.writeScalar(value, indent + this.#step, false);
  }

  /**
   * Writes a value behind a question mark, or behind the colon of such a key. A collection without
   * an anchor starts on the same line.
   */
  #writeBehindIndicator(value: Value, indent: number): void {
    if (isCollection(value) && !this.#anchors.has(value)) this.writeCollection(value, indent + this.#step, true);
    else this.#inMapping(value, indent);
  }

  /** Writes a scalar or an empty collection. A value gets a leading blank unless it is empty. */
  writeScalar(value: Value, indent: number, isKey: boolean): void {
    const before = isKey ? '' : ' ';
    if (typeof value === 'string') {
      this.writeText(before);
      this.#writeString(value, styleOfString(value), indent, isKey);
      return;
    }
    // Psych: a tag distinguishes an empty key from a missing one.
    const shown = isKey && value === null ? "! ''" : plainText(value);
    this.writeText(shown === '' ? shown : before + shown);
  }

  #writeString(text: string, style: ScalarStyle, indent: number, isKey: boolean): void {
    if (style === 'literal') this.#writeLiteral(text, indent);
    else if (style === 'plain') this.#writeFolded(text, indent, isKey);
    else if (style === 'single') this.#writeSingleQuoted(text, indent, isKey);
    else this.#writeDoubleQuoted(text, indent, isKey);
  }

  #writeLiteral(text: string, indent: number): void {
    const hint = /^[ \n]/.test(text) ? String(this.#step) : '';
    const chomping = !text.endsWith('\n') ? '-' : /(?:^|\n)\n$/.test(text) ? '+' : '';
    this.writeText(`|${hint}${chomping}`);
    this.isOpen = chomping === '+';
    const lines = text.replace(/\n$/, '').split('\n');
    for (const line of lines) this.writeText(line === '' ? '\n' : `\n${' '.repeat(indent)}${line}`);
  }

  /** Writes text and replaces a single blank beyond the line width by a line end. */
  #writeFolded(text: string, indent: number, isKey: boolean): void {
    if (isKey || this.#fits(text) || !text.includes(' ')) {
      this.writeText(text);
      return;
    }
    for (let at = 0; at < text.length; at += 1) {
      const char = text[at] ?? '';
      const lone = char === ' ' && text[at - 1] !== ' ' && text[at + 1] !== ' ';
      if (lone && at > 0 && at < text.length - 1 && this.#isWide) this.#newLine(indent);
      else this.writeText(char);
    }
  }

  #writeSingleQuoted(text: string, indent: number, isKey: boolean): void {
    // `<<` is tagged, so that it is not read as a merge key.
    this.writeText(text === '<<' ? "!!str '" : "'");
    const lines = text.replace(/\n+/g, (run) => `${run}\n${' '.repeat(indent)}`);
    this.#writeFolded(lines.replaceAll("'", "''"), indent, isKey);
    this.writeText("'");
  }

  #writeDoubleQuoted(text: string, indent: number, isKey: boolean): void {
    this.writeText('"');
    if (/^[ !#-[\]-~]*$/.test(text) && (isKey || this.#fits(text))) {
      this.writeText(`${text}"`);
      return;
    }
    const characters = [...text];
    let afterSpace = false;
    for (const [index, char] of characters.entries()) {
      const inside = index > 0 && index < characters.length - 1;
      if (char === ' ' && !isKey && !afterSpace && inside && this.#isWide) {
        this.#newLine(indent);
        if (characters[index + 1] === ' ') this.writeText('\\');
        afterSpace = true;
        continue;
      }
      this.writeText(escapeCharacter(char));
      afterSpace = char === ' ';
    }
    this.writeText('"');
  }
}

function plainText(value: Exclude<Value, string>): string {
  if (value === null) return '';
  if (typeof value === 'number') return floatText(value);
  if (Array.isArray(value)) return '[]';
  if (value instanceof PuppetHash) return '{}';
  if (value === DEFAULT) return ':default';
  return value instanceof RubySymbol ? `:${value.name}` : String(value);
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return '.nan';
  if (!Number.isFinite(value)) return value < 0 ? '-.inf' : '.inf';
  return rubyFloat(value);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

function escapeCharacter(char: string): string {
  const known = ESCAPES[char];
  if (known !== undefined) return known;
  if (isPrintable(char)) return char;
  const hex = (char.codePointAt(0) ?? 0).toString(16).toUpperCase();
  if (hex.length <= 2) return `\\x${hex.padStart(2, '0')}`;
  return hex.length <= 4 ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}
