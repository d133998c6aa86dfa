import type { AccessExpression, Positioned } from '../../language/ast.ts';
import { infer } from '../../types/inference.ts';
import { DEFAULT, type Value } from '../../types/values/values.ts';

/** Returns the expression of a key. Flattening can produce more keys than expressions. */
export function keyNode(node: AccessExpression, index: number): Positioned | null {
  return node.keys[index] ?? null;
}

/** Returns the type name of a key, for errors. */
export function keyTypeText(key: Value): string {
  if (key === null) return 'Undef';
  return key === DEFAULT ? 'Default' : infer(key).generalize().toString();
}
