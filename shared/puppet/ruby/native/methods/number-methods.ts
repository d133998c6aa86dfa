import { isNumber } from '../../../types/values/value-kinds.ts';
import { fallBack } from '../fallback.ts';
import {
  assertIndex,
  blockOf,
  byName,
  getArgument,
  type MethodCall,
  type RubyMethod,
  withoutArguments,
} from '../runtime.ts';
import { compareRubyValues } from '../text-form.ts';

type Numeric = bigint | number;

/** Larger integers are rare in templates, and arithmetic on them is slow. */
const LARGE = 1n << 256n;
const STEPS = 100_000n;

function readNumber(call: MethodCall): Numeric {
  const given = getArgument(call);
  return isNumber(given) ? given : fallBack('an argument that is no number');
}

function assertBounds(value: bigint): bigint {
  return value > LARGE || value < -LARGE ? fallBack('a large integer') : value;
}

/** Converts an integer to a float; one without an exact float is left to Ruby. */
function toFloat(value: Numeric): number {
  if (typeof value === 'number') return value;
  return value > 9007199254740991n || value < -9007199254740991n ? fallBack('a large integer as float') : Number(value);
}

function makeArithmetic(
  exact: (left: bigint, right: bigint) => bigint,
  inexact: (left: number, right: number) => number,
): RubyMethod<Numeric> {
  return (self, call) => {
    const other = readNumber(call);
    if (typeof self === 'bigint' && typeof other === 'bigint') return assertBounds(exact(self, other));
    return inexact(toFloat(self), toFloat(other));
  };
}

function floorDivide(left: bigint, right: bigint): bigint {
  if (right === 0n) fallBack('a division by zero');
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

function floorModulo(left: bigint, right: bigint): bigint {
  return left - floorDivide(left, right) * right;
}

function makeComparison(test: (order: number) => boolean): RubyMethod<Numeric> {
  return (self, call) => {
    const order = compareRubyValues(self, readNumber(call));
    return order !== null && test(order);
  };
}

const COMPARED: readonly (readonly [string, RubyMethod<Numeric>])[] = [
  ['<', makeComparison((order) => order < 0)],
  ['>', makeComparison((order) => order > 0)],
  ['<=', makeComparison((order) => order <= 0)],
  ['>=', makeComparison((order) => order >= 0)],
  [
    '<=>',
    (self, call) => {
      const order = compareRubyValues(self, readNumber(call));
      return order === null ? null : BigInt(order);
    },
  ],
  [
    '+',
    makeArithmetic(
      (left, right) => left + right,
      (left, right) => left + right,
    ),
  ],
  [
    '-',
    makeArithmetic(
      (left, right) => left - right,
      (left, right) => left - right,
    ),
  ],
  [
    '*',
    makeArithmetic(
      (left, right) => left * right,
      (left, right) => left * right,
    ),
  ],
  ['/', makeArithmetic(floorDivide, (left, right) => left / right)],
];

function shiftInteger(self: bigint, by: number): bigint {
  if (by > 256 || by < -256) fallBack('a large shift');
  return assertBounds(by < 0 ? self >> BigInt(-by) : self << BigInt(by));
}

const absolute = withoutArguments((self: bigint) => (self < 0n ? -self : self));
const successor = withoutArguments((self: bigint) => self + 1n);
const itself = withoutArguments((self: bigint) => self);
const modulo: RubyMethod<bigint> = (self, call) => {
  const other = getArgument(call);
  return typeof other === 'bigint' ? floorModulo(self, other) : fallBack('a remainder');
};

export const INTEGER_METHODS = byName<RubyMethod<bigint>>({
  ...Object.fromEntries(COMPARED),
  '%': modulo,
  '-@': withoutArguments((self) => -self),
  '<<': (self, call) => shiftInteger(self, assertIndex(getArgument(call))),
  to_s: (self, call) => {
    if (call.args.length === 0) return call.block ? fallBack('a block') : String(self);
    const base = assertIndex(getArgument(call));
    return base < 2 || base > 36 ? fallBack('a base') : self.toString(base);
  },
  to_i: itself,
  floor: itself,
  ceil: itself,
  round: itself,
  to_f: withoutArguments(toFloat),
  abs: absolute,
  next: successor,
  'even?': withoutArguments((self) => self % 2n === 0n),
  'odd?': withoutArguments((self) => self % 2n !== 0n),
  'zero?': withoutArguments((self) => self === 0n),
  'positive?': withoutArguments((self) => self > 0n),
  'negative?': withoutArguments((self) => self < 0n),
  times: (self, call) => {
    const block = blockOf(call);
    if (self > STEPS) fallBack('many steps');
    for (let at = 0n; at < self; at += 1n) block.call([at]);
    return self;
  },
});

function toWhole(value: number): bigint {
  return Number.isFinite(value) ? BigInt(value) : fallBack('no integer');
}

/** Rounds half away from zero. */
function roundHalfUp(value: number): number {
  const below = Math.floor(Math.abs(value));
  return Math.sign(value) * (Math.abs(value) - below >= 0.5 ? below + 1 : below);
}

/**
 * Rounds to that number of digits after the point. Ruby: rb_float_round and round_half_up, float.c
 * and numeric.c
 */
function roundTo(value: number, digits: number): number {
  if (digits < 1 || digits > 14 || Math.abs(value) > 1e15 || (value !== 0 && Math.abs(value) < 1e-4))
    fallBack('digits to round to');
  const scale = 10 ** digits;
  const rounded = roundHalfUp(value * scale);
  if (value > 0 && (rounded + 0.5) / scale <= value) return (rounded + 1) / scale;
  if (value < 0 && (rounded - 0.5) / scale >= value) return (rounded - 1) / scale;
  return rounded / scale;
}

export const FLOAT_METHODS = byName<RubyMethod<number>>({
  ...Object.fromEntries(COMPARED),
  '-@': withoutArguments((self) => -self),
  to_f: withoutArguments((self) => self),
  to_i: withoutArguments((self) => toWhole(Math.trunc(self))),
  floor: withoutArguments((self) => toWhole(Math.floor(self))),
  ceil: withoutArguments((self) => toWhole(Math.ceil(self))),
  round: (self, call) => {
    if (call.args.length === 0) return call.block ? fallBack('a block') : toWhole(roundHalfUp(self));
    return Number.isFinite(self) ? roundTo(self, assertIndex(getArgument(call))) : fallBack('no number');
  },
  abs: withoutArguments((self) => Math.abs(self)),
  'zero?': withoutArguments((self) => self === 0),
  'positive?': withoutArguments((self) => self > 0),
  'negative?': withoutArguments((self) => self < 0),
});
