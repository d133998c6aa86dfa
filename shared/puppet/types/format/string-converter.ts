/** Converts values to strings by formats. Follows lib/puppet/pops/types/string_converter.rb. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { joinTexts } from '../../errors/value-limits.ts';
import { ARRAY, HASH } from '../collection-types.ts';
import { infer, inferSet } from '../inference.ts';
import { OBJECT } from '../objects/object-type.ts';
import { PuppetObject } from '../objects/puppet-object.ts';
import { type PType, PType as PTypeClass } from '../ptype.ts';
import { RuntimeType } from '../runtime-type.ts';
import { FLOAT, NUMERIC } from '../scalar-types.ts';
import { ANY, BINARY_TYPE } from '../simple-types.ts';
import { puppetQuote } from '../text/text.ts';
import { Timespan } from '../time/timespan.ts';
import { Timestamp } from '../time/timestamp.ts';
import { Uri } from '../uri/uri.ts';
import { Binary } from '../values/binary.ts';
import { BytesText } from '../values/bytes-text.ts';
import { checkPrintable } from '../values/check-size.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { PuppetRegexp } from '../values/regexp.ts';
import { VALUE_KINDS } from '../values/value-kinds.ts';
import { DEFAULT, RichValue, type Value } from '../values/values.ts';
import { SemVer } from '../versions/sem-ver.ts';
import { SemVerRange } from '../versions/sem-ver-range.ts';
import {
  formatBinary,
  formatBoolean,
  formatDefault,
  formatNumeric,
  formatRegexp,
  formatString,
  formatUndef,
} from './format-scalars.ts';
import { literalText } from './ruby-text.ts';
import { formatBySprintf } from './sprintf.ts';
import { Format, type FormatMap, mergeFormats } from './string-format.ts';

const ELEMENT_FORMATS: FormatMap = [[ANY, new Format('%p')]];
const DEFAULT_FORMATS: FormatMap = [
  [OBJECT, new Format('%p')],
  [FLOAT, new Format('%f')],
  [NUMERIC, new Format('%d')],
  [ARRAY, new Format('%a', { separator: ', ', separator2: ', ', elements: ELEMENT_FORMATS })],
  [HASH, new Format('%h', { separator: ', ', separator2: ' => ', elements: ELEMENT_FORMATS })],
  [BINARY_TYPE, new Format('%B')],
  [ANY, new Format('%s')],
];
const FALLBACK = new Format('%s');

/**
 * Converts a value to a string. `format` is a format text for the value itself, DEFAULT, or a hash
 * of formats by type (`{Integer => '%x', Array => {format => '%a', separator => ';', string_formats
 * => {...}}}`). Throws PuppetError when a format does not suit the value.
 */
export function formatValue(value: Value, format: Value = DEFAULT): string {
  checkPrintable(value);
  return convert(value, formatsFor(value, format), { level: 0, isFirst: true, isIndenting: false });
}

function formatsFor(value: Value, format: Value): FormatMap {
  if (format === DEFAULT || format === null) return DEFAULT_FORMATS;
  if (typeof format === 'string') {
    const own = Array.isArray(value) ? ARRAY : value instanceof PuppetHash ? HASH : inferSet(value);
    return mergeFormats(DEFAULT_FORMATS, [[own, new Format(format)]]) ?? DEFAULT_FORMATS;
  }
  if (format instanceof PuppetHash) return mergeFormats(DEFAULT_FORMATS, readFormats(format)) ?? DEFAULT_FORMATS;
  throw new PuppetError(ISSUES.STRING_FORMATS_TYPE({ actual: String(infer(format).generalize()) }));
}

function readFormats(formats: PuppetHash): FormatMap {
  return [...formats.entries()].map(([type, format]) => {
    if (!(type instanceof PTypeClass)) {
      const got = infer(type).generalize();
      throw new PuppetError(ISSUES.STRING_FORMATS_KEY_TYPE({ actual: String(got) }));
    }
    return [type, format instanceof PuppetHash ? readContainerFormat(format) : new Format(String(format))] as const;
  });
}

const CONTAINER_KEYS = ['separator', 'separator2', 'format', 'string_formats'];

function readContainerFormat(hash: PuppetHash): Format {
  if ([...hash.keys()].some((key) => typeof key !== 'string' || !CONTAINER_KEYS.includes(key))) {
    const known = CONTAINER_KEYS.map((key) => `'${key}'`).join(', ');
    throw new PuppetError(ISSUES.CONTAINER_FORMAT_KEYS({ known, actual: displayString(hash) }));
  }
  const text = (key: string) => {
    const value = hash.get(key);
    return typeof value === 'string' ? value : null;
  };
  const elements = hash.get('string_formats');
  return new Format(text('format') ?? '', {
    separator: text('separator'),
    separator2: text('separator2'),
    elements: elements instanceof PuppetHash ? readFormats(elements) : null,
  });
}

/** The position of a value in nested containers. */
interface Indentation {
  readonly level: number;
  readonly isFirst: boolean;
  readonly isIndenting: boolean;
}

function createPadding({ level }: Indentation): string {
  return '  '.repeat(level);
}

function lineBreak(indentation: Indentation): string {
  const { isIndenting, level, isFirst } = indentation;
  return isIndenting && level > 0 && !isFirst ? `\n${createPadding(indentation)}` : '';
}

function formatOf(type: PType, formats: FormatMap): Format {
  return formats.find(([candidate]) => candidate.isAssignable(type))?.[1] ?? FALLBACK;
}

function convert(value: Value, formats: FormatMap, indentation: Indentation): string {
  const format = () => formatOf(inferSet(value), formats);
  switch (typeof value) {
    case 'string':
      return formatString(value, format());
    case 'bigint':
    case 'number':
      return formatNumeric(value, format());
    case 'boolean':
      return formatBoolean(value, format());
  }
  if (value === null) return formatUndef(format());
  if (value instanceof PuppetHash) return convertHash(value, format(), formats, indentation);
  if (!(value instanceof RichValue)) return convertArray(value, format(), formats, indentation);
  return convertRich(value, formats, indentation);
}

function convertRich(value: RichValue, formats: FormatMap, indentation: Indentation): string {
  if (value instanceof BytesText) return convertBytes(value, formats);
  const items = iteratorItems(value);
  if (items !== null) return convert(items, formats, indentation);
  const format = formatOf(inferSet(value), formats);
  if (value === DEFAULT) return formatDefault(format);
  if (value instanceof PuppetRegexp) return formatRegexp(value, format);
  if (value instanceof Binary) return formatBinary(value, format);
  if (value instanceof PTypeClass) return formatTypeValue(value, format);
  if (value instanceof Uri) return formatUri(value, format, indentation);
  if (value instanceof PuppetObject) return formatObject(value, format, indentation);
  return formatOther(value, format);
}

// Puppet: its own quotes make a character of each byte, StringConverter#puppet_quote
function convertBytes(value: BytesText, formats: FormatMap): string {
  const format = formatOf(inferSet(value), formats);
  return formatString(format.letter === 'p' ? Buffer.from(value.bytes).toString('latin1') : String(value), format);
}

/** The elements of an iterator value; null for any other value. */
function iteratorItems(value: RichValue): readonly Value[] | null {
  if (!('type' in value) || !(value.type instanceof PTypeClass) || value.type.kind !== 'Iterator') return null;
  if (!('toArray' in value) || typeof value.toArray !== 'function') return null;
  const items: unknown = value.toArray();
  return Array.isArray(items) ? (items as Value[]) : null;
}

/** Lays out a text by Ruby's format. */
function asText(text: string, format: Format): string {
  return formatBySprintf(format.text.replace(/[a-zA-Z]$/, 's'), text);
}

function badFormat(kind: string, format: Format, expected: string): PuppetError {
  return new PuppetError(ISSUES.ILLEGAL_FORMAT_FOR_TYPE({ letter: format.letter, kind, expected }));
}

function formatTypeValue(value: PType, format: Format): string {
  const text = value.toString();
  if (format.letter === 's') return asText(format.isAlternative ? `"${text}"` : text, format);
  if (format.letter === 'p') return asText(text, format);
  throw badFormat('Type', format, 'sp');
}

function literalIndent(format: Format, indentation: Indentation): number | null {
  return format.isAlternative || indentation.isIndenting ? indentation.level : null;
}

function formatUri(value: Uri, format: Format, indentation: Indentation): string {
  if (format.letter === 'p') return literalText(value, literalIndent(format, indentation));
  if (format.letter !== 's') throw badFormat('URI', format, 'sp');
  return asText(format.isAlternative ? puppetQuote(value.toString()) : value.toString(), format);
}

function formatObject(value: PuppetObject, format: Format, indentation: Indentation): string {
  // Puppet: the converter does not recognize an object of a parameterized type, so that `#` has no
  // effect.
  const isSpread = value.type.kind !== 'ObjectExtension' || indentation.isIndenting;
  const indent = isSpread ? literalIndent(format, indentation) : null;
  if (format.letter === 'p') return literalText(value, indent);
  if (format.letter === 's' || format.letter === 'q') return literalText(value);
  throw badFormat('Object', format, 'spq');
}

/** Formats values without formats of their own: Timespans, timestamps, versions and Sensitive. */
function formatOther(value: RichValue, format: Format): string {
  if (format.letter === 'p') return asText(inspectOther(value), format);
  if (format.letter === 's') return asText(String(value), format);
  return formatBySprintf(format.text, 'toInteger' in value && 'toFloat' in value ? numberOf(value, format) : value);
}

/** Ruby's default `inspect`, with an address of zeros. */
function inspectTime(value: Timespan | Timestamp): string {
  return `#<${VALUE_KINDS[value.valueKind].rubyClass}:0x${'0'.repeat(16)} @nsecs=${value.nsecs}>`;
}

function inspectOther(value: RichValue): string {
  if (value instanceof SemVer) return value.toString();
  if (value instanceof Timespan || value instanceof Timestamp) return inspectTime(value);
  if (value instanceof SemVerRange) return value.stretches.map((item) => item.text).join(' || ');
  return 'type' in value && value.type instanceof RuntimeType ? puppetQuote(String(value)) : `#<${value}>`;
}

function numberOf(value: RichValue, format: Format): bigint | number {
  const { toInteger, toFloat } = value as RichValue & { toInteger(): bigint; toFloat(): number };
  return /^[eEfgGaA]$/.test(format.letter) ? toFloat.call(value) : toInteger.call(value);
}

function isContainer(value: Value): boolean {
  return Array.isArray(value) || value instanceof PuppetHash;
}

function isContainerOrObject(value: Value): boolean {
  return isContainer(value) || value instanceof PuppetObject;
}

function convertArray(items: readonly Value[], format: Format, formats: FormatMap, outer: Indentation): string {
  if (!/^[asp]$/.test(format.letter)) throw badFormat('Array', format, 'asp');
  const indentation = { ...outer, isIndenting: format.isAlternative || outer.isIndenting };
  const inner = { level: indentation.level + 1, isFirst: false, isIndenting: format.isAlternative };
  const elements = format.elements ?? ELEMENT_FORMATS;
  const texts = items.map((item) => convert(item, isContainerOrObject(item) ? formats : elements, inner));
  const [open, close] = format.getDelimiters(['[', ']']);
  return `${lineBreak(indentation)}${open}${joinElements(items, texts, format, inner)}${close}`;
}

/** Joins elements with separators. The alternative form breaks lines that are too wide. */
function joinElements(items: readonly Value[], texts: readonly string[], format: Format, inner: Indentation): string {
  const separator = format.separator ?? ', ';
  const breaks = isTooWide(items, texts, format);
  const out: string[] = [];
  for (const [index, text] of texts.entries()) {
    const plain = !isContainer(items[index] ?? null);
    if (index === 0) {
      if (breaks && plain) out.push(' ');
    } else {
      if (separator !== '') out.push(separator);
      if ((breaks && plain) || (format.isAlternative && isContainer(items[index - 1] ?? null) && plain)) {
        if (out.at(-1)?.endsWith('\n') !== true) dropTrailingSpace(out);
        out.push(`\n${createPadding(inner)}`);
      }
    }
    if (text.startsWith('\n') && out.at(-1)?.endsWith(' ')) dropTrailingSpace(out);
    if (text !== '') out.push(text);
  }
  return joinTexts(out, '');
}

/** Does what `trimEnd` would do on the joined pieces, but reads only the last ones. */
function dropTrailingSpace(pieces: string[]): void {
  for (let last = pieces.pop(); last !== undefined; last = pieces.pop()) {
    const kept = last.trimEnd();
    if (kept === '') continue;
    pieces.push(kept);
    return;
  }
}

function isTooWide(items: readonly Value[], texts: readonly string[], format: Format): boolean {
  if (!format.isAlternative || format.width === null) return false;
  let row = 0;
  let widest = 0;
  for (const [index, item] of items.entries()) {
    row = isContainer(item) ? 0 : row + (texts[index]?.length ?? 0);
    widest = Math.max(widest, row);
  }
  return widest > format.width;
}

function convertHash(hash: PuppetHash, format: Format, formats: FormatMap, outer: Indentation): string {
  if (format.letter === 'a') {
    const pairs = [...hash.entries()].map(([key, value]) => [key, value]);
    return convert(pairs, formats, outer);
  }
  if (!/^[hsp]$/.test(format.letter)) throw badFormat('Hash', format, 'hasp');
  const indentation = { ...outer, isIndenting: format.isAlternative || outer.isIndenting };
  const inner = { level: indentation.level + 1, isFirst: true, isIndenting: false };
  const elements = format.elements ?? ELEMENT_FORMATS;
  const show = (item: Value) => convert(item, isContainerOrObject(item) ? formats : elements, inner);
  const start = format.isAlternative ? createPadding(inner) : '';
  const association = format.separator2 ?? ' => ';
  const entries = [...hash.entries()].map(([key, value]) => `${start}${show(key)}${association}${show(value)}`);
  const body = joinTexts(entries, entrySeparator(format));
  const [open, close] = format.getDelimiters(['{', '}']);
  const [first, last] = format.isAlternative ? ['\n', `\n${createPadding(indentation)}`] : ['', ''];
  return `${lineBreak(indentation)}${open}${first}${body}${last}${close}`;
}

function entrySeparator(format: Format): string {
  const separator = format.separator ?? ', ';
  if (!format.isAlternative) return separator;
  return `${separator.endsWith('\n') ? separator : separator.trimEnd()}\n`;
}

/**
 * The text of a value in interpolations and messages. Puppet: EvaluatorImpl#string, with `to_s` for
 * other values.
 */
export function displayString(value: Value): string {
  checkPrintable(value);
  return displayPart(value);
}

function displayPart(value: Value): string {
  switch (typeof value) {
    case 'string':
      return value;
    case 'bigint':
    case 'boolean':
      return String(value);
    case 'number':
      return formatNumeric(value, FALLBACK);
  }
  if (value === null) return '';
  if (value === DEFAULT) return 'default';
  if (value instanceof PuppetRegexp) return value.toDelimited();
  if (value instanceof PuppetHash) {
    return `{${joinTexts(
      [...value.entries()].map(([key, item]) => `${displayPart(key)} => ${displayPart(item)}`),
      ', ',
    )}}`;
  }
  if (value instanceof PuppetObject) return value.ownText() ?? literalText(value);
  return value instanceof RichValue ? String(value) : `[${joinTexts(value.map(displayPart), ', ')}]`;
}
