import type { AccessExpression, Positioned } from '../../language/ast.ts';
import { infer } from '../../types/inference.ts';
import { DEFAULT, type Value } from '../../types/values/values.ts';

/** The key's expression; after flattening there may be more keys than expressions. */
export function keyNode(node: AccessExpression, index: number): Positioned | null {
  return node.keys[index] ?? null;
}

/** What errors call the type of a key. */
export function keyTypeText(key: Value): string {
  if (key === null) return 'Undef';
  return key === DEFAULT ? 'Default' : infer(key).generalize().toString();
}
