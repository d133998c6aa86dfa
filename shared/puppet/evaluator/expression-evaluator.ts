import type { Expression } from '../language/ast.ts';
import type { Value } from '../types/values/values.ts';
import type { Scope } from './scope.ts';

/**
 * Evaluates child nodes for the functions that evaluate one kind of node. `null` (no node)
 * evaluates to undef.
 */
export interface ExpressionEvaluator {
  evaluate(node: Expression | null, scope: Scope): Value;
}
