import { infer } from '../inference.ts';
import type { Value } from '../values/values.ts';
import { formatLiteral } from './type-formatter.ts';

/** A type or value in format `%p`. With `indent` (levels of two blanks) it is spread over lines. */
export function literalText(value: Value, indent: number | null = null): string {
  return formatLiteral(value, infer, indent);
}
