import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { LiteralFloat, LiteralInteger, Positioned } from './ast.ts';

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
