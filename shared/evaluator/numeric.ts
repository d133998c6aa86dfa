import { PuppetError } from '../errors/puppet-error.ts';
import { RuntimeIssues } from '../errors/runtime-issues.ts';
import type { Positioned } from '../language/ast.ts';
import { SemVer, Timespan, Timestamp } from '../types/rich-values.ts';
import { rubyToS } from '../types/ruby-text.ts';
import type { Value } from '../types/values.ts';
import type { CompileContext } from './ports.ts';
import { fail, failWhenStrict } from './report.ts';

/** Puppet: Patterns::NUMERIC. Groups: sign, number, hexadecimal, integer part, fraction and exponent. */
const NUMERIC = /^[ \t]*([-+]?)[ \t]*((0[xX][0-9A-Fa-f]+)|(0?\d+)((?:\.\d+)?(?:[eE]-?\d+)?))[ \t]*$/;

/** The number that a string stands for, or null. Puppet: Utils.to_n. */
export function parseNumber(text: string): bigint | number | null {
  const match = NUMERIC.exec(text.startsWith('::') ? text.slice(2) : text);
  if (!match) return null;
  const [, sign, number = '', hex, whole = '', rest = ''] = match;
  const magnitude = rest !== '' ? parseFloatPart(number, whole, rest) : parseIntegerPart(hex ?? whole);
  if (magnitude === null) return null;
  return sign === '-' ? -magnitude : magnitude;
}

function parseFloatPart(number: string, whole: string, rest: string): number | null {
  // Puppet: `0e5` is no number, lib/puppet/pops/utils.rb.
  if (/^0*$/.test(whole) && /^\.?0*[eE]/.test(rest)) return null;
  const value = Number(number);
  return value === Number.POSITIVE_INFINITY ? null : value;
}

function parseIntegerPart(text: string): bigint | null {
  if (/^0\d/.test(text)) return /^[0-7]+$/.test(text) ? BigInt(`0o${text.slice(1)}`) : null;
  return BigInt(text);
}

// Puppet: SemanticPuppet::Version is a Ruby Numeric, though nothing can be calculated with it.
export type Numeric = bigint | number | Timespan | Timestamp | SemVer;

/** The operand as a number; a string is converted if it looks like one, which `strict` may forbid. */
export function coerceNumeric(value: Value, node: Positioned, context: CompileContext): Numeric {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  if (value instanceof Timespan || value instanceof Timestamp || value instanceof SemVer) return value;
  const number = typeof value === 'string' ? parseNumber(value) : null;
  if (number === null) fail(RuntimeIssues.NOT_NUMERIC, { value: rubyToS(value) }, node);
  failWhenStrict(context, RuntimeIssues.NUMERIC_COERCION, { before: rubyToS(value), after: rubyToS(number) }, node);
  return number;
}

/** Ruby's error for a number that has no integer: `Float#to_i` of Infinity or NaN. */
export function floatToInteger(value: number): bigint {
  if (Number.isFinite(value)) return BigInt(Math.trunc(value));
  throw new PuppetError(Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
}

/** Ruby's error for a version that is to be calculated with as a number. */
export function versionIsNoNumber(): PuppetError {
  return new PuppetError("can't convert SemanticPuppet::Version into Float");
}
