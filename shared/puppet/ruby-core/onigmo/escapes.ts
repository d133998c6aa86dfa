/**
 * Parses escaped characters of a pattern: `\n`, `\x41`, `\u{e9 61}`, `\101`, `\cA`. Ruby: re.c and
 * Onigmo's regparse.c
 */
import { PatternError } from './pattern.ts';

export interface EscapedCharacter {
  /** The code points; only `\u{...}` can have several. */
  readonly codes: readonly number[];
  readonly end: number;
}

const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, a: 7, e: 27 };

/**
 * Parses the character whose backslash is at `start`. A letter without a special meaning represents
 * itself.
 */
export function readEscape(source: string, start: number): EscapedCharacter {
  const code = source.codePointAt(start + 1);
  if (code === undefined) throw new PatternError('too short escape sequence');
  const char = String.fromCodePoint(code);
  const end = start + 1 + char.length;
  const control = CONTROLS[char];
  if (control !== undefined) return { codes: [control], end };
  if (char === 'x') return readHexadecimal(source, end);
  if (char === 'u') return readUnicode(source, end);
  if (/[0-7]/.test(char)) return readOctal(source, start + 1);
  if (char === 'c' || char === 'C' || char === 'M') return readModified(source, start);
  return { codes: [code], end };
}

function readHexadecimal(source: string, at: number): EscapedCharacter {
  const digits = /^[0-9a-fA-F]{1,2}/.exec(source.slice(at, at + 2))?.[0];
  if (digits === undefined) throw new PatternError('invalid hex escape');
  const code = Number.parseInt(digits, 16);
  return code < 0x80 ? { codes: [code], end: at + digits.length } : readMultibyte(source, at - 2);
}

/** Parses a character of several bytes, each written as `\xHH` or `\ooo`. */
function readMultibyte(source: string, start: number): EscapedCharacter {
  const first = byteAt(source, start) ?? 0;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) throw new PatternError('invalid multibyte escape');
  const bytes = Array.from({ length }, (_, index) => byteAt(source, start + 4 * index));
  if (bytes.includes(null)) throw new PatternError('too short escaped multibyte character');
  const char = new TextDecoder().decode(Uint8Array.from(bytes, Number));
  if (char.includes('\ufffd')) throw new PatternError('invalid multibyte escape');
  return { codes: [char.codePointAt(0) ?? 0], end: start + 4 * length };
}

function byteAt(source: string, start: number): number | null {
  const [, hexadecimalDigits, octalDigits] =
    /^\\(?:x([0-9a-fA-F]{2})|([0-7]{3}))/.exec(source.slice(start, start + 4)) ?? [];
  if (octalDigits !== undefined) return Number.parseInt(octalDigits, 8) & 0xff;
  return hexadecimalDigits === undefined ? null : Number.parseInt(hexadecimalDigits, 16);
}

function readUnicode(source: string, at: number): EscapedCharacter {
  const four = /^[0-9a-fA-F]{4}/.exec(source.slice(at, at + 4))?.[0];
  if (four !== undefined) return { codes: [assertCodePoint(Number.parseInt(four, 16))], end: at + 4 };
  if (source[at] !== '{') {
    throw new PatternError(at >= source.length ? 'too short escape sequence' : 'invalid Unicode escape');
  }
  const close = source.indexOf('}', at);
  if (close < 0) throw new PatternError('unterminated Unicode escape');
  const codes = source
    .slice(at + 1, close)
    .split(/\s+/)
    .filter((text) => text !== '');
  if (codes.length === 0 || codes.some((text) => !/^[0-9a-fA-F]+$/.test(text))) {
    throw new PatternError('invalid Unicode list');
  }
  return { codes: codes.map((text) => assertCodePoint(Number.parseInt(text, 16))), end: close + 1 };
}

function assertCodePoint(code: number): number {
  if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw new PatternError('invalid Unicode range');
  return code;
}

function readOctal(source: string, at: number): EscapedCharacter {
  const digits = /^[0-7]{1,3}/.exec(source.slice(at, at + 3))?.[0] ?? '0';
  const code = Number.parseInt(digits, 8);
  return code < 0x80 ? { codes: [code], end: at + digits.length } : readMultibyte(source, at - 1);
}

/** Parses `\cX`, `\C-X` and `\M-X`. */
function readModified(source: string, start: number): EscapedCharacter {
  const found = /^\\(?:c|C-)(\\[\s\S]|[\s\S])/.exec(source.slice(start, start + 5));
  if (!found) {
    if (/^\\M-/.test(source.slice(start))) throw new PatternError('too short escaped multibyte character');
    throw new PatternError(
      /^\\C/.test(source.slice(start)) ? 'too short control sequence' : 'too short control escape',
    );
  }
  const [text, target = ''] = found;
  const char = target === '?' ? 0x7f : target.charCodeAt(target.length - 1) & 0x1f;
  return { codes: [char], end: start + text.length };
}
