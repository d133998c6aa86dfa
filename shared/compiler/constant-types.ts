import type { Expression } from '../language/ast.ts';
import type { PType } from '../types/ptype.ts';
import { builtInType } from '../types/type-parser.ts';

/** Types of parameters by their expression, which lives as long as the parsed manifest: for all compiles of a process. */
const known = new WeakMap<Expression, PType>();

/** Built-in types that look something up in what is being compiled. */
const DEPENDENT: ReadonlySet<string> = new Set(['class', 'resource', 'init', 'type', 'object', 'typeset', 'runtime']);

/** The type that `evaluate` makes of an expression; one that means the same in every compile is made once. */
export function typeOfExpression(expression: Expression, evaluate: (expression: Expression) => PType): PType {
  const made = known.get(expression);
  if (made) return made;
  const type = evaluate(expression);
  if (isConstant(expression)) known.set(expression, type);
  return type;
}

/** Whether an expression is made of built-in types and literals only. */
function isConstant(expression: Expression): boolean {
  switch (expression.kind) {
    case 'QualifiedReference':
      return builtInType(expression.value) !== null && !DEPENDENT.has(expression.value);
    case 'AccessExpression':
      return isConstant(expression.leftExpr) && expression.keys.every(isConstant);
    case 'LiteralString':
    case 'LiteralInteger':
    case 'LiteralFloat':
    case 'LiteralBoolean':
    case 'LiteralDefault':
      return true;
    default:
      return false;
  }
}
