/**
 * Evaluates operators on Timespan and Timestamp. Puppet:
 * lib/puppet/pops/time/{timespan,timestamp}.rb, EvaluatorImpl#calculate.
 */

import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { ArithmeticExpression } from '../language/ast.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { valueLabel } from './labels.ts';
import { floatToInteger, type Numeric } from './numeric.ts';

type Operator = ArithmeticExpression['operator'];
type TimeResult = Numeric | 'not applicable' | 'not applicable when' | 'division by zero';

const NSECS_PER_SECOND = 1_000_000_000n;

/** Returns the result of an operation with at least one Timespan or Timestamp operand. */
export function calculateTime(operator: Operator, left: Numeric, right: Numeric): TimeResult {
  if (left instanceof Timespan) return computeOnTimespan(operator, left, right);
  if (left instanceof Timestamp) return computeOnTimestamp(operator, left, right);
  if (operator === '+' && typeof right === 'object') return calculateTime(operator, right, left);
  if (operator === '*' && right instanceof Timespan) return computeOnTimespan(operator, right, left);
  if (operator === '-' && right instanceof Timespan) {
    return left instanceof SemVer ? 'not applicable' : computeOnTimespan(operator, new Timespan(toNsecs(left)), right);
  }
  return 'not applicable when';
}

function toNsecs(value: bigint | number): bigint {
  return typeof value === 'bigint' ? value * NSECS_PER_SECOND : floatToInteger(value * Number(NSECS_PER_SECOND));
}

function computeOnTimespan(operator: Operator, left: Timespan, right: Numeric): TimeResult {
  switch (operator) {
    case '+':
      if (right instanceof SemVer)
        throw new PuppetError(ISSUES.NO_ADDITION_TO_TIMESPAN({ operand: classLabel(right) }));
      if (right instanceof Timestamp) return new Timestamp(left.nsecs + right.nsecs);
      return new Timespan(left.nsecs + (right instanceof Timespan ? right.nsecs : toNsecs(right)));
    case '-':
      if (right instanceof Timestamp || right instanceof SemVer) {
        throw new PuppetError(ISSUES.NO_SUBTRACTION_FROM_TIMESPAN({ operand: classLabel(right) }));
      }
      return new Timespan(left.nsecs - (right instanceof Timespan ? right.nsecs : toNsecs(right)));
    case '*':
      if (typeof right === 'object')
        throw new PuppetError(ISSUES.NO_MULTIPLICATION_OF_TIMESPAN({ operand: classLabel(right) }));
      return new Timespan(scaleNsecs(left.nsecs, right));
    case '/':
      return divideTimespan(left, right);
    case '%':
      return moduloTimespan(left, right);
    default:
      return 'not applicable';
  }
}

function scaleNsecs(nsecs: bigint, factor: bigint | number): bigint {
  return typeof factor === 'bigint' ? nsecs * factor : floatToInteger(Number(nsecs) * factor);
}

function divideTimespan(left: Timespan, right: Numeric): TimeResult {
  if (right instanceof Timespan) return Number(left.nsecs) / Number(right.nsecs);
  if (right instanceof Timestamp || right instanceof SemVer) {
    throw new PuppetError(ISSUES.NO_DIVISION_OF_TIMESPAN({ operand: classLabel(right) }));
  }
  if (Number(right) === 0) return 'division by zero';
  return new Timespan(
    typeof right === 'bigint' ? floorDivide(left.nsecs, right) : floatToInteger(Math.floor(Number(left.nsecs) / right)),
  );
}

function moduloTimespan(left: Timespan, right: Numeric): TimeResult {
  if (typeof right !== 'bigint') {
    throw new PuppetError(ISSUES.NO_MODULUS_OF_TIMESPAN({ operand: classLabel(right) }));
  }
  if (right === 0n) return 'division by zero';
  const whole = left.toInteger();
  return whole - right * floorDivide(whole, right);
}

function computeOnTimestamp(operator: Operator, left: Timestamp, right: Numeric): TimeResult {
  switch (operator) {
    case '+':
      if (right instanceof Timestamp || right instanceof SemVer) {
        throw new PuppetError(ISSUES.NO_ADDITION_TO_TIMESTAMP({ operand: classLabel(right) }));
      }
      return new Timestamp(left.nsecs + (right instanceof Timespan ? right.nsecs : toNsecs(right)));
    case '-':
      if (right instanceof SemVer)
        throw new PuppetError(ISSUES.NO_SUBTRACTION_FROM_TIMESTAMP({ operand: classLabel(right) }));
      if (right instanceof Timestamp) return new Timespan(left.nsecs - right.nsecs);
      return new Timestamp(left.nsecs - (right instanceof Timespan ? right.nsecs : toNsecs(right)));
    default:
      return 'not applicable';
  }
}

function floorDivide(left: bigint, right: bigint): bigint {
  const quotient = left / right;
  return left % right !== 0n && left < 0n !== right < 0n ? quotient - 1n : quotient;
}

/** Returns the last segment of the value's Ruby class name. */
function classLabel(value: Numeric): string {
  return value instanceof SemVer ? 'Version' : valueLabel(value);
}
