/**
 * Evaluates `+ - * / % << >>` on numbers, times, arrays, hashes, Binary and URI. Puppet:
 * EvaluatorImpl#calculate.
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { invariant, PuppetError } from '../errors/puppet-error.ts';
import type { ArithmeticExpression } from '../language/ast.ts';
import { rubyEquals } from '../types/equality.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { Uri } from '../types/uri/uri.ts';
import { mergeUris } from '../types/uri/uri-merge.ts';
import { Binary } from '../types/values/binary.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { nodeLabel, valueLabel } from './labels.ts';
import { coerceNumeric, type Numeric, versionIsNoNumber } from './numeric.ts';
import type { CompileContext } from './ports.ts';
import { failWith } from './report.ts';
import { calculateTime } from './time-arithmetic.ts';

const MAX_INTEGER = 0x7fff_ffff_ffff_ffffn;
const MIN_INTEGER = -0x8000_0000_0000_0000n;

type Operator = ArithmeticExpression['operator'];

/** Returns the result of an arithmetic expression; the operands are already evaluated. */
export function calculate(left: Value, right: Value, node: ArithmeticExpression, context: CompileContext): Value {
  const { operator } = node;
  if (operator === '+' && (left instanceof Binary || left instanceof Uri)) return concatenate(left, right);
  if (Array.isArray(left) || left instanceof PuppetHash) {
    if (operator === '+') return concatenate(left, right);
    if (operator === '-') return remove(left, right);
    if (operator === '<<') {
      if (Array.isArray(left)) return [...left, right];
      failWith(ISSUES.OPERATOR_NOT_APPLICABLE({ operator, left: valueLabel(left) }), node.leftExpr);
    }
  }
  const a = coerceNumeric(left, node.leftExpr, context);
  const b = coerceNumeric(right, node.rightExpr, context);
  return assertInRange(numericResult(a, b, node), node);
}

function numericResult(left: Numeric, right: Numeric, node: ArithmeticExpression): Numeric {
  const { operator } = node;
  if (operator === '%' && typeof left === 'number') return notApplicable(left, node);
  if (operator === '%' && typeof right === 'number') return notApplicableWhen(left, right, node);
  if (isTime(left) || isTime(right)) {
    const result = calculateTime(operator, left, right);
    if (result === 'not applicable') return notApplicable(left, node);
    if (result === 'not applicable when') return notApplicableWhen(left, right, node);
    if (result === 'division by zero') failWith(ISSUES.DIV_BY_ZERO(), node.rightExpr);
    return result;
  }
  if (left instanceof SemVer) return notApplicable(left, node);
  if (right instanceof SemVer) {
    if (operator === '<<' || operator === '>>') return notApplicable(left, node);
    throw versionIsNoNumber();
  }
  if (typeof left === 'bigint' && typeof right === 'bigint') return integerResult(left, right, node);
  return floatResult(Number(left), right, operator) ?? shiftOrFail(left, right, node);
}

function isTime(value: Numeric): value is Timespan | Timestamp {
  return value instanceof Timespan || value instanceof Timestamp;
}

function integerResult(left: bigint, right: bigint, node: ArithmeticExpression): bigint {
  switch (node.operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return floorDivide(left, nonZero(right, node));
    case '%':
      return left - right * floorDivide(left, nonZero(right, node));
    case '<<':
      return shift(left, right);
    case '>>':
      return shift(left, -right);
  }
}

function nonZero(divisor: bigint, node: ArithmeticExpression): bigint {
  if (divisor === 0n) failWith(ISSUES.DIV_BY_ZERO(), node.rightExpr);
  return divisor;
}

/** Ruby's integer division: rounds towards minus infinity. */
function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

/**
 * Shifts a number. The shift width is capped at the point where the result is certainly out of
 * range.
 */
function shift(value: bigint, by: bigint): bigint {
  if (by < 0n) return value >> (by < -4096n ? 4096n : -by);
  // Ruby: Integer#<<
  if (by > 0x1_0000n && value !== 0n) throw new PuppetError('shift width too big');
  return value << by;
}

function floatResult(left: number, right: bigint | number, operator: Operator): number | null {
  const b = Number(right);
  switch (operator) {
    case '+':
      return left + b;
    case '-':
      return left - b;
    case '*':
      return left * b;
    case '/':
      return left / b;
    default:
      return null;
  }
}

// Puppet: Ruby's Integer#<< truncates a Float operand; Float itself has no `<<`.
function shiftOrFail(left: Numeric, right: Numeric, node: ArithmeticExpression): bigint {
  if (typeof left !== 'bigint' || typeof right !== 'number') return notApplicable(left, node);
  return integerResult(left, BigInt(Math.trunc(right)), node);
}

function notApplicable(left: Numeric, { operator, leftExpr }: ArithmeticExpression): never {
  failWith(ISSUES.OPERATOR_NOT_APPLICABLE({ operator, left: valueLabel(left) }), leftExpr);
}

function notApplicableWhen(left: Numeric, right: Numeric, { operator, leftExpr }: ArithmeticExpression): never {
  const args = { operator, left: valueLabel(left), right: valueLabel(right) };
  failWith(ISSUES.OPERATOR_NOT_APPLICABLE_WHEN(args), leftExpr);
}

function assertInRange(result: Numeric, node: ArithmeticExpression): Numeric {
  if (typeof result === 'bigint' && (result > MAX_INTEGER || result < MIN_INTEGER)) {
    failWith(ISSUES.NUMERIC_OVERFLOW({ semantic: nodeLabel(node), value: result }), node);
  }
  if (result === Number.POSITIVE_INFINITY || result === Number.NEGATIVE_INFINITY) {
    failWith(ISSUES.RESULT_IS_INFINITY({ operator: node.operator }), node.leftExpr);
  }
  return result;
}

function concatenate(left: Value, right: Value): Value {
  if (Array.isArray(left)) return [...left, ...asElements(right)];
  if (left instanceof PuppetHash) return left.merge(asHash(right));
  if (left instanceof Uri) return addUri(left, right);
  invariant(left instanceof Binary, 'concatenate is for collections, Binary and URI');
  if (!(right instanceof Binary)) throw new PuppetError(ISSUES.BINARY_APPEND_NOT_BINARY());
  return new Binary(Buffer.concat([left.bytes, right.bytes]));
}

function addUri(left: Uri, right: Value): Value {
  if (typeof right !== 'string' && !(right instanceof Uri)) {
    throw new PuppetError(ISSUES.URI_MERGE_NOT_URI());
  }
  return mergeUris(left, right);
}

function asElements(value: Value): readonly Value[] {
  if (Array.isArray(value)) return value;
  if (value instanceof PuppetHash) return [...value.entries()];
  return [value];
}

/**
 * Ruby's `to_h` or `Hash[...]` of the right operand of `+`: a list of pairs, or of alternating keys
 * and values.
 */
function asHash(value: Value): PuppetHash {
  if (value instanceof PuppetHash) return value;
  if (!Array.isArray(value)) throw new PuppetError(ISSUES.HASH_APPEND_NOT_COLLECTION());
  const list: readonly Value[] = value;
  if (list.length > 0 && list.every(Array.isArray)) return PuppetHash.of(list.map(asPair));
  const [only] = list;
  if (list.length === 1 && only instanceof PuppetHash) return only;
  // Ruby: Hash.[]
  if (list.length % 2 === 1) throw new PuppetError('odd number of arguments for Hash');
  const hash = new PuppetHash();
  for (let index = 0; index < list.length; index += 2) hash.set(list[index] ?? null, list[index + 1] ?? null);
  return hash;
}

function asPair(pair: Value, index: number): readonly [Value, Value] {
  const elements: readonly Value[] = Array.isArray(pair) ? pair : [];
  if (elements.length !== 2) {
    // Ruby: Array#to_h
    throw new PuppetError(`wrong array length at ${index} (expected 2, was ${elements.length})`);
  }
  return [elements[0] ?? null, elements[1] ?? null];
}

function remove(left: readonly Value[] | PuppetHash, right: Value): Value {
  if (!(left instanceof PuppetHash)) return removeElements(left, asElements(right));
  const unwanted = new PuppetHash();
  for (const key of right instanceof PuppetHash ? right.keys() : asElements(right)) unwanted.set(key, true);
  return PuppetHash.of([...left.entries()].filter(([key]) => !unwanted.has(key)));
}

// Puppet: Array#delete compares with ==, for which 1 and 1.0 are equal. Primitives are looked up,
// all others tried in turn.
function removeElements(left: readonly Value[], right: readonly Value[]): Value {
  const primitives = new Set(right.filter(isPrimitive));
  const others = right.filter((value) => !isPrimitive(value));
  return left.filter((element) => {
    if (!isPrimitive(element)) return !right.some((value) => rubyEquals(element, value));
    return !holds(primitives, element) && !others.some((value) => rubyEquals(element, value));
  });
}

function isPrimitive(value: Value): boolean {
  return typeof value !== 'object' || value === null;
}

function holds(primitives: ReadonlySet<Value>, element: Value): boolean {
  if (primitives.has(element)) return true;
  if (typeof element === 'bigint') return primitives.has(Number(element)) && rubyEquals(element, Number(element));
  return typeof element === 'number' && Number.isInteger(element) && primitives.has(BigInt(element));
}
