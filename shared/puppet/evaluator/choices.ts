/**
 * Evaluates `if`, `unless`, `case` and `? {}`. Their match variables are local to the expression.
 */
import { ISSUES } from '../errors/issues/catalogue.ts';
import type {
  CaseExpression,
  Expression,
  IfExpression,
  SelectorExpression,
  UnlessExpression,
} from '../language/ast.ts';
import { rubyToS } from '../types/format/ruby-text.ts';
import { matchOption } from '../types/matching.ts';
import type { Value } from '../types/values/values.ts';
import type { ExpressionEvaluator } from './ports.ts';
import { failWith } from './report.ts';
import type { Scope } from './scope.ts';

/** Every value except undef and false is true. */
export function isTrue(value: Value): boolean {
  return value !== null && value !== false;
}

export function evalIf(evaluator: ExpressionEvaluator, node: IfExpression, scope: Scope): Value {
  const before = scope.mark();
  try {
    const holds = isTrue(evaluator.evaluate(node.test, scope));
    return evaluator.evaluate(holds ? node.thenExpr : node.elseExpr, scope);
  } finally {
    scope.restore(before);
  }
}

export function evalUnless(evaluator: ExpressionEvaluator, node: UnlessExpression, scope: Scope): Value {
  const before = scope.mark();
  try {
    const holds = isTrue(evaluator.evaluate(node.test, scope));
    return evaluator.evaluate(holds ? node.elseExpr : node.thenExpr, scope);
  } finally {
    scope.restore(before);
  }
}

export function evalCase(evaluator: ExpressionEvaluator, node: CaseExpression, scope: Scope): Value {
  const before = scope.mark();
  try {
    const test = evaluator.evaluate(node.test, scope);
    let otherwise: Expression | null = null;
    for (const option of node.options) {
      for (const value of option.values) {
        const pattern = withoutParentheses(value);
        if (pattern.kind === 'LiteralDefault') otherwise = option.thenExpr;
        else if (matches(evaluator, pattern, test, scope)) return evaluator.evaluate(option.thenExpr, scope);
      }
    }
    return evaluator.evaluate(otherwise, scope);
  } finally {
    scope.restore(before);
  }
}

export function evalSelector(evaluator: ExpressionEvaluator, node: SelectorExpression, scope: Scope): Value {
  const before = scope.mark();
  try {
    const test = evaluator.evaluate(node.leftExpr, scope);
    let otherwise: Expression | null = null;
    for (const { matchingExpr, valueExpr } of node.selectors) {
      const pattern = withoutParentheses(matchingExpr);
      if (pattern.kind === 'LiteralDefault') otherwise = valueExpr;
      else if (matches(evaluator, pattern, test, scope)) return evaluator.evaluate(valueExpr, scope);
    }
    if (otherwise) return evaluator.evaluate(otherwise, scope);
    failWith(ISSUES.UNMATCHED_SELECTOR({ value: rubyToS(test) }), node.leftExpr);
  } finally {
    scope.restore(before);
  }
}

/** Returns the expression inside any parentheses. */
export function withoutParentheses(node: Expression): Expression {
  let inner = node;
  while (inner.kind === 'ParenthesizedExpression') inner = inner.expr;
  return inner;
}

/** Matches an option. An option `*list` matches when one of its elements does. */
function matches(evaluator: ExpressionEvaluator, pattern: Expression, test: Value, scope: Scope): boolean {
  const value = evaluator.evaluate(pattern, scope);
  if (pattern.kind !== 'UnfoldExpression' || !Array.isArray(value)) return matchOption(value, test, scope);
  return value.some((each: Value) => matchOption(each, test, scope));
}
