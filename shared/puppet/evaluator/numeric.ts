import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { Positioned } from '../language/ast.ts';
import { parseNumber } from '../ruby-core/puppet-number.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import type { Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import type { CompileContext } from './ports.ts';
import { failWhenStrict, failWith } from './report.ts';

// Puppet: SemanticPuppet::Version is a Ruby Numeric, though it supports no arithmetic.
export type Numeric = bigint | number | Timespan | Timestamp | SemVer;

/** Returns the operand as a number. A numeric string is converted unless `strict` forbids it. */
export function coerceNumeric(value: Value, node: Positioned, context: CompileContext): Numeric {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  if (value instanceof Timespan || value instanceof Timestamp || value instanceof SemVer) return value;
  const number = typeof value === 'string' ? parseNumber(value) : null;
  if (number === null) failWith(ISSUES.NOT_NUMERIC({ value: rubyToS(value) }), node);
  failWhenStrict(context, ISSUES.NUMERIC_COERCION({ before: rubyToS(value), after: rubyToS(number) }), node);
  return number;
}

/** Converts a Float to an Integer. Throws Ruby's error for Infinity and NaN (`Float#to_i`). */
export function floatToInteger(value: number): bigint {
  if (Number.isFinite(value)) return BigInt(Math.trunc(value));
  // Ruby: Float#to_i
  throw new PuppetError(Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
}

/** Ruby's error for arithmetic on a version. */
export function versionIsNoNumber(): PuppetError {
  // Ruby: Float()
  return new PuppetError("can't convert SemanticPuppet::Version into Float");
}
