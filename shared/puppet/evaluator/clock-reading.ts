import type { ComparisonExpression, Expression } from '../language/ast.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import type { Value } from '../types/values/values.ts';
import { withoutParentheses } from './choices.ts';
import type { ClockRead, Operands } from './compile-clock.ts';

const NANOSECONDS = 1_000_000_000n;

/**
 * A value that is the present time plus a constant: a Timestamp, or whole seconds since 1970.
 */
export class ClockReading {
  readonly value: Timestamp | bigint;
  /** The constant, in nanoseconds for a Timestamp, else in seconds. */
  readonly offset: bigint;
  /** The call that read the clock, for the record. */
  readonly call: string;

  constructor(value: Timestamp | bigint, { now, call }: ClockRead) {
    this.value = value;
    this.offset = value instanceof Timestamp ? value.nsecs - now : value - now / NANOSECONDS;
    this.call = call;
  }
}

/**
 * The reading in `value`, the result of an expression that read the clock once; null when the
 * expression does more with the time than to add a constant.
 */
export function readingOf(expression: Expression, value: Value | undefined, read: ClockRead): ClockReading | null {
  const form = formOf(expression, read.name);
  const isTime = form === 'instant' ? value instanceof Timestamp : form === 'seconds' && typeof value === 'bigint';
  return isTime && (value instanceof Timestamp || typeof value === 'bigint') ? new ClockReading(value, read) : null;
}

/** `digits`: whole seconds as a String. */
type Form = 'instant' | 'seconds' | 'digits';

/**
 * Returns the form in which an expression depends on the time that `reader` reads once; null:
 * unknown.
 */
function formOf(expression: Expression, reader: string): Form | null {
  const node = withoutParentheses(expression);
  if (node.kind === 'ArithmeticExpression') return formOfSum(node.operator, node.leftExpr, node.rightExpr, reader);
  if (node.kind !== 'CallNamedFunctionExpression' && node.kind !== 'CallMethodExpression') return null;
  if (node.lambda) return null;
  const { functorExpr } = node;
  if (functorExpr.kind !== 'NamedAccessExpression') return formOfCall(nameOf(functorExpr), node.arguments, reader);
  const { leftExpr, rightExpr } = functorExpr;
  if (nameOf(rightExpr) === 'new' && leftExpr.kind === 'QualifiedReference') {
    return formOfCall(leftExpr.casedValue, node.arguments, reader);
  }
  return formOfCall(nameOf(rightExpr), [leftExpr, ...node.arguments], reader);
}

function nameOf(node: Expression): string | null {
  if (node.kind === 'QualifiedReference') return node.casedValue;
  return node.kind === 'QualifiedName' ? node.value : null;
}

function formOfCall(name: string | null, args: readonly Expression[], reader: string): Form | null {
  const [first, second] = args;
  if (name === 'Timestamp' && !first) return reader === 'new' ? 'instant' : null;
  if (name === 'time' && !first) return reader === 'time' ? 'seconds' : null;
  if (!first) return null;
  const form = formOf(first, reader);
  if (name === 'strftime' && args.length === 2) {
    return form === 'instant' && second?.kind === 'LiteralString' && second.value === '%s' ? 'digits' : null;
  }
  if ((name === 'Integer' || name === 'Numeric') && args.length === 1) {
    return form === 'digits' || (form === 'instant' && name === 'Integer') ? 'seconds' : null;
  }
  return null;
}

/** The one read is in one operand, so the other one is a constant. */
function formOfSum(operator: string, left: Expression, right: Expression, reader: string): Form | null {
  const form = formOf(left, reader) ?? (operator === '+' ? formOf(right, reader) : null);
  return (operator === '+' || operator === '-') && form !== 'digits' ? form : null;
}

/**
 * The time, in nanoseconds since 1970, at which the result of a comparison changes, of whose
 * operands one is a reading; null: never; undefined: unknown.
 */
export function flipTime(
  operator: ComparisonExpression['operator'],
  [left, right]: Operands<Value>,
  readings: Operands<ClockReading | null>,
): bigint | null | undefined {
  const mirrored = MIRRORED[operator];
  if (mirrored === undefined || (readings[0] && readings[1])) return undefined;
  if (readings[0]) return flipOf(operator, readings[0], right);
  return readings[1] ? flipOf(mirrored, readings[1], left) : undefined;
}

/** The operator for exchanged operands. */
const MIRRORED: Partial<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' };

/** When `reading operator other` changes. A reading only grows. */
function flipOf(operator: string, { value, offset }: ClockReading, other: Value): bigint | null | undefined {
  // `>` and `<=` change when the reading exceeds the other value, the others when it reaches it.
  const exceeds = operator === '>' || operator === '<=';
  if (value instanceof Timestamp) {
    if (!(other instanceof Timestamp)) return undefined;
    return later(other.nsecs + (exceeds ? 1n : 0n), value.nsecs, (nsecs) => nsecs - offset);
  }
  const least = leastWhole(other, exceeds);
  return typeof least === 'bigint' ? later(least, value, (seconds) => (seconds - offset) * NANOSECONDS) : least;
}

/** The time of a reading that is not reached yet; null for one that is. */
function later(reading: bigint, now: bigint, timeOf: (reading: bigint) => bigint): bigint | null {
  return reading > now ? timeOf(reading) : null;
}

/** The least integer that reaches or exceeds a number; null: none does. */
function leastWhole(value: Value, exceeds: boolean): bigint | null | undefined {
  if (typeof value === 'bigint') return exceeds ? value + 1n : value;
  if (typeof value !== 'number') return undefined;
  if (!Number.isFinite(value)) return null;
  return BigInt(exceeds ? Math.floor(value) + 1 : Math.ceil(value));
}
