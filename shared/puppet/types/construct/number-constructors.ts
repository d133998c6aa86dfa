/**
 * The constructors (`new`) of Numeric, Integer, Float and Boolean. Follows
 * lib/puppet/pops/types/types.rb.
 */
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { parseNumber } from '../../ruby-core/puppet-number.ts';
import { assertInstance } from '../assertion.ts';
import { HASH } from '../collection-types.ts';
import { type Constructor, cannotConvert, createSignature, localType, mismatchHandler } from '../constructor.ts';
import { literalText } from '../format/ruby-text.ts';
import type { PType } from '../ptype.ts';
import { StructElement, StructType } from '../record-types.ts';
import { BOOLEAN, FLOAT, INTEGER, IntegerType, NUMERIC, RegexpType } from '../scalar-types.ts';
import { ANY, DEFAULT_TYPE } from '../simple-types.ts';
import { EnumType, PatternType } from '../string-types.ts';
import { inspectText } from '../text/text.ts';
import { TIMESPAN, TIMESTAMP } from '../time/time-types.ts';
import { Timespan } from '../time/timespan.ts';
import { Timestamp } from '../time/timestamp.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { DEFAULT, type Value } from '../values/values.ts';
import { VariantType } from '../wrapper-types.ts';

const SIGN = '[+-]?\\s*';
const HEX = '(?:0[xX][0-9A-Fa-f]+)';
const OCTAL = '(?:0[0-7]+)';
const BINARY = '(?:0[bB][01]+)';
const DECIMAL = '(?:0|[1-9]\\d*)';
const FLOATING = `(?:${DECIMAL}(?:\\.\\d+)?(?:[eE]-?\\d+)?)`;
const INTEGER_TEXT = `\\A${SIGN}(?:(?:\\d+)|${HEX}|${BINARY})\\z`;
const FLOAT_TEXT = `\\A${SIGN}(?:${FLOATING}|${HEX}|${OCTAL}|${BINARY})\\z`;

function createConvertible(numbers: readonly PType[], pattern: string): PType {
  const text = new PatternType([new RegexpType(pattern)]);
  return localType('Convertible', new VariantType([...numbers, BOOLEAN, text, TIMESPAN, TIMESTAMP]), false);
}

const FROM_FLOAT_TEXT = createConvertible([NUMERIC], FLOAT_TEXT);
const FROM_INTEGER_TEXT = createConvertible([NUMERIC], INTEGER_TEXT);
const FROM_NUMBER_TEXT = createConvertible([INTEGER, FLOAT], FLOAT_TEXT);
const exactly = (value: bigint) => new IntegerType(value, value);
const RADIX = localType('Radix', new VariantType([DEFAULT_TYPE, exactly(2n), exactly(8n), exactly(10n), exactly(16n)]));

function createNamedArguments(from: PType, withRadix: boolean): PType {
  const members = [StructElement.createRequired('from', from)];
  if (withRadix) members.push(StructElement.createOptional('radix', RADIX));
  members.push(StructElement.createOptional('abs', BOOLEAN));
  return localType('NamedArgs', new StructType(members));
}

const INTEGER_ARGUMENTS = createNamedArguments(FROM_INTEGER_TEXT, true);

function getEntry(hash: Value | undefined, name: string): Value | undefined {
  return hash instanceof PuppetHash ? hash.get(name) : undefined;
}

function takeMagnitude<T extends bigint | number | null>(value: T, wanted: Value | undefined): T {
  if (wanted !== true || value === null) return value;
  return (typeof value === 'number' ? Math.abs(value) : value < 0n ? -value : value) as T;
}

/** The seconds of a Timespan or Timestamp. */
function toSeconds(value: Timespan | Timestamp, whole: boolean): bigint | number {
  return whole ? value.toInteger() : value.toFloat();
}

function invalidInteger(text: string): PuppetError {
  // Ruby: Integer()
  return new PuppetError(`invalid value for Integer(): ${inspectText(text)}`);
}

const PREFIX_RADIX: Readonly<Record<string, number>> = { x: 16, b: 2, o: 8, d: 10 };

/** Ruby's `Integer(text, radix)`. With radix null the prefix of the text decides. */
function parseInteger(text: string, radix: number | null): bigint {
  const [, sign = '', rest = ''] = /^([+-]?)\s*(.*)$/s.exec(text) ?? [];
  const prefix = /^0([xXbBoOdD])/.exec(rest)?.[1]?.toLowerCase();
  const prefixRadix = prefix === undefined ? (/^0\d/.test(rest) ? 8 : null) : (PREFIX_RADIX[prefix] ?? null);
  const used = radix ?? prefixRadix ?? 10;
  if (prefix !== undefined && prefixRadix !== used) {
    if (used !== 16) throw invalidInteger(text);
  }
  const digits = prefix !== undefined && prefixRadix === used ? rest.slice(2) : rest;
  let value = 0n;
  for (const char of digits) {
    const digit = Number.parseInt(char, 36);
    if (Number.isNaN(digit) || digit >= used) throw invalidInteger(text);
    value = value * BigInt(used) + BigInt(digit);
  }
  return sign === '-' ? -value : value;
}

function toInteger(from: Value, radix: Value | undefined): bigint {
  if (typeof from === 'bigint') return from;
  if (typeof from === 'number') return floatToInteger(from);
  if (typeof from === 'boolean') return from ? 1n : 0n;
  if (from instanceof Timespan || from instanceof Timestamp) return from.toInteger();
  return parseInteger(String(from), typeof radix === 'bigint' ? Number(radix) : null);
}

function floatToInteger(value: number): bigint {
  if (!Number.isFinite(value)) {
    // Ruby: Float#to_i
    throw new PuppetError(Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity');
  }
  return BigInt(Math.trunc(value));
}

function assertRadix(radix: Value | undefined): void {
  if (radix === undefined || radix === null || radix === DEFAULT) return;
  if (radix === 2n || radix === 8n || radix === 10n || radix === 16n) return;
  throw new PuppetError(ISSUES.ILLEGAL_RADIX({ radix: literalText(radix) }));
}

export const INTEGER_CONSTRUCTOR: Constructor = {
  name: 'new',
  signatures: [
    createSignature({ from: FROM_INTEGER_TEXT, 'radix?': RADIX, 'abs?': BOOLEAN }, ([from = null, radix, abs]) =>
      takeMagnitude(toInteger(from, radix), abs),
    ),
    createSignature({ hash_args: INTEGER_ARGUMENTS }, ([hash]) =>
      takeMagnitude(toInteger(getEntry(hash, 'from') ?? null, getEntry(hash, 'radix')), getEntry(hash, 'abs')),
    ),
  ],
  mismatches: [
    mismatchHandler({ hash_args: HASH }, ([hash = null]) => {
      const from = getEntry(hash, 'from');
      if (from !== undefined && !FROM_INTEGER_TEXT.isInstance(from)) return cannotConvert(from, 'Integer');
      assertRadix(getEntry(hash, 'radix'));
      assertInstance('Integer.new', INTEGER_ARGUMENTS, hash);
      return '';
    }),
    mismatchHandler({ from: ANY, 'radix?': INTEGER, 'abs?': BOOLEAN }, ([from = null, radix]) => {
      assertRadix(radix);
      return cannotConvert(from, 'Integer');
    }),
  ],
};

function parseFloatText(text: string): number {
  const [, sign = '', rest = ''] = /^([+-]?)\s*(.*)$/s.exec(text) ?? [];
  // Puppet: only an unsigned binary number is accepted, lib/puppet/pops/types/types.rb
  // (PFloatType).
  const isSigned = sign !== '';
  const value = !/^0[bB]/.test(rest) ? Number(rest) : isSigned ? Number.NaN : Number(parseInteger(rest, null));
  // Ruby: Float()
  if (Number.isNaN(value)) throw new PuppetError(`invalid value for Float(): ${inspectText(text)}`);
  return sign === '-' ? -value : value;
}

function toFloat(from: Value): number {
  if (typeof from === 'number') return from;
  if (typeof from === 'bigint') return Number(from);
  if (typeof from === 'boolean') return from ? 1 : 0;
  if (from instanceof Timespan || from instanceof Timestamp) return from.toFloat();
  return parseFloatText(String(from));
}

export const FLOAT_CONSTRUCTOR: Constructor = {
  name: 'new_float',
  signatures: [
    createSignature({ from: FROM_FLOAT_TEXT, 'abs?': BOOLEAN }, ([from = null, abs]) =>
      takeMagnitude(toFloat(from), abs),
    ),
    createSignature({ hash_args: createNamedArguments(FROM_FLOAT_TEXT, false) }, ([hash]) =>
      takeMagnitude(toFloat(getEntry(hash, 'from') ?? null), getEntry(hash, 'abs')),
    ),
  ],
  mismatches: [describeError('Float')],
};

function describeError(target: string) {
  return mismatchHandler({ from: ANY, 'abs?': BOOLEAN }, ([from = null]) => cannotConvert(from, target));
}

/**
 * Converts to a number. Null for a text that passes the check but is not a number: Puppet reads
 * `-0b1`, `0e0` and `1e400` this way.
 */
function toNumber(from: Value): bigint | number | null {
  if (typeof from === 'number' || typeof from === 'bigint') return from;
  if (typeof from === 'boolean') return from ? 1n : 0n;
  if (from instanceof Timespan || from instanceof Timestamp) return toSeconds(from, false);
  const text = String(from);
  return /^0[xXbB]/.test(text) ? parseInteger(text, null) : parseNumber(text);
}

export const NUMERIC_CONSTRUCTOR: Constructor = {
  name: 'new_numeric',
  signatures: [
    createSignature({ from: FROM_NUMBER_TEXT, 'abs?': BOOLEAN }, ([from = null, abs]) =>
      takeMagnitude(toNumber(from), abs),
    ),
    createSignature({ hash_args: createNamedArguments(FROM_NUMBER_TEXT, false) }, ([hash]) =>
      takeMagnitude(toNumber(getEntry(hash, 'from') ?? null), getEntry(hash, 'abs')),
    ),
  ],
  mismatches: [describeError('Numeric')],
};

const BOOLEAN_TEXTS = new EnumType(['false', 'true', 'yes', 'no', 'y', 'n'], true);

export const BOOLEAN_CONSTRUCTOR: Constructor = {
  name: 'new_boolean',
  signatures: [
    createSignature({ from: new VariantType([INTEGER, FLOAT, BOOLEAN, BOOLEAN_TEXTS]) }, ([from = null]) => {
      if (typeof from === 'string') return !/^(?:false|no|n)$/i.test(from);
      return from !== 0n && from !== 0 && from !== false;
    }),
  ],
  mismatches: [mismatchHandler({ from: ANY }, ([from = null]) => cannotConvert(from, 'Boolean'))],
};
