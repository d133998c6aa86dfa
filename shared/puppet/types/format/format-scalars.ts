/** Formats single values. Follows lib/puppet/pops/types/string_converter.rb. */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { rubyFloat } from '../../ruby-core/ruby-number.ts';
import { inspectText, puppetQuote } from '../text/text.ts';
import type { Binary } from '../values/binary.ts';
import type { PuppetRegexp } from '../values/regexp.ts';
import { formatBySprintf, layOut } from './sprintf.ts';
import type { Format } from './string-format.ts';

function badFormat(kind: string, format: Format, expected: string): PuppetError {
  return new PuppetError(ISSUES.ILLEGAL_FORMAT_FOR_TYPE({ letter: format.letter, kind, expected }));
}

/** Formats by Ruby's own format, which does not know delimiters as flags. */
function withDirective(format: Format, letter: string, value: string | bigint | number): string {
  return formatBySprintf(format.text.replace(/[a-zA-Z]$/, letter), value);
}

export function formatDefault(format: Format): string {
  const { letter, isAlternative } = format;
  if (!/^[dDsp]$/.test(letter)) throw badFormat('Default', format, 'dDsp');
  const text = letter === 'D' ? 'Default' : 'default';
  return layOut(isAlternative ? `"${text}"` : text, format);
}

const UNDEF_TEXTS: Readonly<Record<string, readonly [string, string]>> = {
  n: ['nil', 'null'],
  u: ['undef', 'undefined'],
  v: ['n/a', 'n/a'],
  V: ['N/A', 'N/A'],
  s: ['', '""'],
  p: ['undef', '"undef"'],
};

export function formatUndef(format: Format): string {
  const { letter, isAlternative } = format;
  const texts = /^[dxXobBeEfgGaA]$/.test(letter) ? ['NaN', 'NaN'] : UNDEF_TEXTS[letter];
  if (texts === undefined) throw badFormat('Undef', format, 'nudxXobBeEfgGaAvVsp');
  return layOut(texts[isAlternative ? 1 : 0] ?? '', format);
}

export function formatBoolean(value: boolean, format: Format): string {
  const word = (text: string) => layOut(format.isAlternative ? text.charAt(0) : text, format);
  switch (format.letter) {
    case 't':
      return word(String(value));
    case 'T':
      return word(value ? 'True' : 'False');
    case 'y':
      return word(value ? 'yes' : 'no');
    case 'Y':
      return word(value ? 'Yes' : 'No');
    case 's':
    case 'p':
      return layOut(String(value), format);
  }
  if (/^[dxXobB]$/.test(format.letter)) return formatNumeric(value ? 1n : 0n, format);
  if (/^[eEfgGaA]$/.test(format.letter)) return formatNumeric(value ? 1 : 0, format);
  throw badFormat('Boolean', format, 'tTyYdxXobBeEfgGaAsp');
}

export function formatNumeric(value: bigint | number, format: Format): string {
  return typeof value === 'bigint' ? formatWhole(value, format) : formatFloatValue(value, format);
}

/**
 * The last code point. Differs from Puppet: Ruby packs up to 31 bits, which makes invalid UTF-8.
 */
const MOST_PACKED = 0x10ffffn;

function formatWhole(value: bigint, format: Format): string {
  const { letter, isAlternative, text } = format;
  if (/^[dxXobB]$/.test(letter)) return formatBySprintf(text, value);
  if (/^[eEfgGaA]$/.test(letter)) return formatBySprintf(text, Number(value));
  switch (letter) {
    case 'p':
      return withDirective(format, 'p', value);
    case 's':
      return withDirective(format, 's', isAlternative ? `"${value}"` : value.toString());
    case 'c': {
      // Ruby: Array#pack
      if (value < 0n || value > MOST_PACKED) throw new PuppetError('pack(U): value out of range');
      const char = String.fromCodePoint(Number(value));
      return withDirective(format, 's', isAlternative ? `"${char}"` : char);
    }
  }
  throw badFormat('Integer', format, 'dxXobBeEfgGaAspc');
}

function formatFloatValue(value: number, format: Format): string {
  const { letter, isAlternative, text } = format;
  if (/^[dxXobB]$/.test(letter)) return formatBySprintf(text, BigInt(Math.trunc(value)));
  if (/^[eEfgGaA]$/.test(letter)) return formatBySprintf(text, value);
  if (letter === 'p') return withDirective(format, 'p', value);
  if (letter === 's') return withDirective(format, 's', isAlternative ? `"${rubyFloat(value)}"` : rubyFloat(value));
  throw badFormat('Float', format, 'dxXobBeEfgGaAsp');
}

const STRING_CHANGES: Readonly<Record<string, (text: string) => string>> = {
  c: capitalize,
  C: (text) => text.split('::').map(capitalize).join('::'),
  u: (text) => text.toUpperCase(),
  d: (text) => text.toLowerCase(),
  t: (text) => text.replace(/^[\0\s]+|[\0\s]+$/g, ''),
};

function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1).toLowerCase();
}

export function formatString(value: string, format: Format): string {
  const { letter, isAlternative } = format;
  if (letter === 's') return withDirective(format, 's', value);
  if (letter === 'p') return layOut(puppetQuote(value, isAlternative), format);
  const change = STRING_CHANGES[letter];
  if (change === undefined) throw badFormat('String', format, 'cCudspt');
  const changed = change(value);
  return isAlternative ? layOut(puppetQuote(changed), format) : withDirective(format, 's', changed);
}

export function formatRegexp(value: PuppetRegexp, format: Format): string {
  const { letter, isAlternative } = format;
  if (letter === 'p') return withDirective(format, 's', value.toDelimited());
  if (letter !== 's') throw badFormat('Regexp', format, 'sp');
  return withDirective(format, 's', isAlternative ? puppetQuote(value.toFlagged()) : value.toFlagged());
}

export function formatBinary(value: Binary, format: Format): string {
  const { letter, isAlternative } = format;
  const show = (text: string) => withDirective(format, 's', isAlternative ? inspectText(text) : text);
  switch (letter) {
    case 's':
      return isAlternative ? withDirective(format, 's', inspectBytes(value.bytes)) : show(decodeUtf8(value));
    case 'p':
      return `Binary("${withDirective(format, 's', value.toString())}")`;
    case 'b':
      return show(value.toRelaxedBase64());
    case 'B':
      return show(value.toString());
    case 'u':
      return show(value.toUrlSafeBase64());
    case 't':
      return show('Binary');
    case 'T':
      return show('BINARY');
  }
  throw badFormat('Binary', format, 'bButTsp');
}

function decodeUtf8(value: Binary): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(value.bytes);
  } catch (error) {
    const bad = value.bytes.find((byte) => byte > 0x7f) ?? 0;
    const shown = bad.toString(16).toUpperCase();
    // Ruby: Encoding::UndefinedConversionError
    throw new PuppetError(`"\\x${shown}" from ASCII-8BIT to UTF-8`, { cause: error });
  }
}

function inspectBytes(bytes: Uint8Array): string {
  const text = [...bytes].map((byte) =>
    byte > 0x7f ? `\\x${byte.toString(16).toUpperCase()}` : inspectText(String.fromCharCode(byte)).slice(1, -1),
  );
  return `"${text.join('')}"`;
}
