import type { InputRecorder } from '../environment/environment.ts';
import type { ComparisonExpression, Expression, Positioned } from '../language/ast.ts';
import type { Value } from '../types/values/values.ts';
import { withoutParentheses } from './choices.ts';
import { type ClockReading, flipTime, readingOf } from './clock-reading.ts';
import { locationOf } from './report.ts';
import type { Scope } from './scope.ts';

/** Describes a call for the record of volatile functions: `time (file: /x.pp, line: 3)`. */
export function describeVolatileCall(name: string, node: Positioned | null): string {
  if (!node) return name;
  const { file, line } = locationOf(node);
  return file === undefined ? `${name} (line: ${line})` : `${name} (file: ${file}, line: ${line})`;
}

/** A read of the clock: its time in nanoseconds since 1970, and the call for the record. */
export interface ClockRead {
  readonly name: string;
  readonly call: string;
  readonly now: bigint;
}

/**
 * The clock of a compile. Each read makes the catalog volatile, unless all that code does with the
 * time is to compare it (`Timestamp() > $x`, also through one variable): such a result is the same
 * until a known time, which is recorded in place of the call.
 */
export class CompileClock {
  /** Number of reads so far. */
  count = 0;
  /** Whether a variable holds a time that only comparisons have seen so far. */
  hasVariables = false;
  readonly #clock: () => bigint;
  readonly #inputs: InputRecorder;
  #last: ClockRead | null = null;

  constructor(clock: () => bigint, inputs: InputRecorder) {
    this.#clock = clock;
    this.#inputs = inputs;
  }

  /** Returns nanoseconds since 1970. Throws PuppetError when the compile has no clock. */
  read(name: string, node: Positioned | null): bigint {
    const now = this.#clock();
    const call = describeVolatileCall(name, node);
    this.#inputs.recordVolatile(call);
    this.#last = { name, call, now };
    this.count += 1;
    return now;
  }

  /**
   * Called after a statement that read the clock since `before`, and whose value is not used. An
   * assignment of a time to a variable is not volatile until code reads the variable.
   */
  settleStatement(statement: Expression, before: number, scope: Scope): void {
    if (statement.kind !== 'AssignmentExpression' || statement.leftExpr.kind !== 'VariableExpression') return;
    const { expr } = statement.leftExpr;
    if (expr.kind !== 'QualifiedName') return;
    const reading = this.#readingOf(statement.rightExpr, scope.getOwnVariable(expr.value), before);
    if (!reading || !scope.watchVariable(expr.value, reading, () => this.#inputs.recordVolatile(reading.call))) return;
    this.#inputs.retractVolatile(reading.call);
    this.hasVariables = true;
  }

  /** The time in the variable that an operand of a comparison names. Does not count as a read. */
  findOperand(operand: Expression, scope: Scope): ClockReading | null {
    const node = withoutParentheses(operand);
    if (node.kind !== 'VariableExpression' || node.expr.kind !== 'QualifiedName') return null;
    return scope.findWatched(node.expr.value);
  }

  /**
   * Called after a comparison that involved times: `watched` are those of `findOperand`, `counts`
   * are the numbers of reads before each operand. When one operand is a time and the other is none,
   * the time until which the result stays is recorded; else the comparison is volatile.
   */
  settleComparison(
    { operator, leftExpr, rightExpr }: ComparisonExpression,
    [left, right]: Operands<Value>,
    [before, between]: Operands<number>,
    watched: Operands<ClockReading | null> = [null, null],
  ): void {
    const ownLeft = between === before ? null : this.#readingOf(leftExpr, left, before);
    const ownRight = this.count === between ? null : this.#readingOf(rightExpr, right, between);
    const isMixed = between !== before && this.count !== between;
    const readings = isMixed ? watched : ([watched[0] ?? ownLeft, watched[1] ?? ownRight] as const);
    const at = flipTime(operator, [left, right], readings);
    const isUnclear = at === undefined || (this.count !== before && !ownLeft && !ownRight);
    for (const reading of watched) if (reading && isUnclear) this.#inputs.recordVolatile(reading.call);
    if (isUnclear) return;
    const own = ownLeft ?? ownRight;
    if (own) this.#inputs.retractVolatile(own.call);
    if (at !== null) this.#inputs.recordTimeLimit(at);
  }

  #readingOf(expression: Expression, value: Value | undefined, before: number): ClockReading | null {
    if (this.count !== before + 1 || !this.#last) return null;
    return readingOf(expression, value, this.#last);
  }
}

/** A pair for the left and the right operand of a comparison. */
export type Operands<T> = readonly [left: T, right: T];
