import type { Expression } from '../language/ast.ts';

/**
 * Whether an expression certainly has no effect besides its value. Function calls may have effects,
 * and so does `=~`, which sets `$1`. An interpolated string counts as free of effects. Follows
 * `idem` of Puppet's Checker4_0.
 */
export function hasNoEffect(expr: Expression | null): boolean {
  if (!expr) return true;
  switch (expr.kind) {
    case 'Nop':
    case 'LiteralString':
    case 'LiteralInteger':
    case 'LiteralFloat':
    case 'LiteralBoolean':
    case 'LiteralUndef':
    case 'LiteralDefault':
    case 'LiteralRegularExpression':
    case 'LiteralList':
    case 'LiteralHash':
    case 'QualifiedName':
    case 'QualifiedReference':
    case 'ReservedWord':
    case 'AccessExpression':
    case 'NamedAccessExpression':
    case 'ArithmeticExpression':
    case 'ComparisonExpression':
    case 'InExpression':
    case 'AndExpression':
    case 'OrExpression':
    case 'NotExpression':
    case 'UnaryMinusExpression':
    case 'UnfoldExpression':
    case 'TextExpression':
    case 'VariableExpression':
    case 'ConcatenatedString':
    case 'HeredocExpression':
    case 'SelectorExpression':
      return true;
    case 'ParenthesizedExpression':
      return hasNoEffect(expr.expr);
    case 'BlockExpression':
    case 'ApplyBlockExpression':
      return expr.statements.every(hasNoEffect);
    case 'IfExpression':
    case 'UnlessExpression':
      return [expr.test, expr.thenExpr, expr.elseExpr].every(hasNoEffect);
    case 'CaseExpression':
      return hasNoEffect(expr.test) && expr.options.every(hasNoEffect);
    case 'CaseOption':
      return expr.values.every(hasNoEffect) && hasNoEffect(expr.thenExpr);
    default:
      return false;
  }
}

/** The last expression of a body, when it has no effect; else null. */
export function uselessLast(body: Expression | null): Expression | null {
  const last = body?.kind === 'BlockExpression' ? (body.statements.at(-1) ?? null) : body;
  return hasNoEffect(last) ? last : null;
}

/** Whether the expression is the parse result of `name { … }` without a title. */
export function isResourceWithoutTitle(expr: Expression): boolean {
  if (expr.kind !== 'BlockExpression' || expr.statements.length !== 2) return false;
  const [name, hash] = expr.statements;
  return name?.kind === 'QualifiedName' && hash?.kind === 'LiteralHash';
}
