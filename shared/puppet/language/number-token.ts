import { ISSUES } from '../errors/issues/catalogue.ts';
import type { Issue } from '../errors/issues/issue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { LiteralFloat, LiteralInteger, Positioned } from './ast.ts';
import { isDigit, isHexDigit, isWord, isWordInAnyScript } from './char-codes.ts';

const DOT = 46;
const MINUS = 45;
const ZERO = 48;

/** The end of the number that starts at `from`; -1 when there is no number. */
export function numberEnd(source: string, from: number): number {
  const hexEnd = hexNumberEnd(source, from);
  if (hexEnd >= 0) return hexEnd;
  const integerEnd = digitsEnd(source, from);
  if (source.charCodeAt(integerEnd) === DOT && isDigit(source.charCodeAt(integerEnd + 1))) {
    const fractionEnd = digitsEnd(source, integerEnd + 1);
    const end = exponentEnd(source, fractionEnd);
    if (end >= 0) return end;
    if (isBoundary(source, fractionEnd)) return fractionEnd;
  }
  const end = exponentEnd(source, integerEnd);
  if (end >= 0) return end;
  return isBoundary(source, integerEnd) ? integerEnd : -1;
}

function hexNumberEnd(source: string, from: number): number {
  if (source.charCodeAt(from) !== ZERO || (source.charCodeAt(from + 1) | 32) !== 120) return -1;
  let at = from + 2;
  while (isHexDigit(source.charCodeAt(at))) at++;
  return at > from + 2 && isBoundary(source, at) ? at : -1;
}

function digitsEnd(source: string, from: number): number {
  let at = from;
  while (isDigit(source.charCodeAt(at))) at++;
  return at;
}

function exponentEnd(source: string, from: number): number {
  if ((source.charCodeAt(from) | 32) !== 101) return -1;
  const first = source.charCodeAt(from + 1) === MINUS ? from + 2 : from + 1;
  const end = digitsEnd(source, first);
  return end > first && isBoundary(source, end) ? end : -1;
}

function isBoundary(source: string, at: number): boolean {
  const code = source.codePointAt(at);
  return code === undefined || !isWordInAnyScript(code);
}

/** The issue with `text` as a number; null when it is a valid one. */
export function numberIssue(text: string): Issue | null {
  if (/^0[xX]/.test(text)) return /^0[xX][0-9A-Fa-f]+$/.test(text) ? null : ISSUES.INVALID_HEX_NUMBER({ value: text });
  if (/^0[^.]/.test(text)) return /^0[0-7]+$/.test(text) ? null : ISSUES.INVALID_OCTAL_NUMBER({ value: text });
  if (/^\d+[eE.]/.test(text))
    return /^\d+(?:\.\d+)?(?:[eE]-?\d+)?$/.test(text) ? null : ISSUES.INVALID_DECIMAL_NUMBER({ value: text });
  return /^\d+$/.test(text) ? null : ISSUES.ILLEGAL_NUMBER({ value: text });
}

/** The malformed number at `from` and its start. Digits before a dot are part of it. */
export function invalidNumberAt(source: string, from: number): { text: string; start: number } {
  let end = from;
  while (isWord(source.charCodeAt(end))) end++;
  let start = from;
  if (from > 1 && source.charCodeAt(from - 1) === DOT) {
    for (let at = from - 2; at >= 0 && isDigit(source.charCodeAt(at)); at--) start = at;
  }
  return { text: source.slice(start, end), start };
}

/**
 * Makes the literal of a number token: decimal, octal (leading 0), hexadecimal or floating point.
 */
export function numberLiteral(text: string, at: Positioned): LiteralInteger | LiteralFloat {
  if (/^0[xX]/.test(text)) return { kind: 'LiteralInteger', ...at, value: BigInt(text), radix: 16 };
  if (/[.eE]/.test(text)) return { kind: 'LiteralFloat', ...at, value: parseFloatLiteral(text) };
  if (text.length > 1 && text.startsWith('0')) {
    return { kind: 'LiteralInteger', ...at, value: BigInt(`0o${text}`), radix: 8 };
  }
  return { kind: 'LiteralInteger', ...at, value: BigInt(text), radix: 10 };
}

/**
 * Puppet: zero with an exponent and floats out of range are not numbers, lib/puppet/pops/utils.rb.
 */
function parseFloatLiteral(text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && !/^0+\.?0*[eE]/.test(text)) return value;
  throw new PuppetError(ISSUES.NUMBER_TOKEN_INVALID({ text }));
}
