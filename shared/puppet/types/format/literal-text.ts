import { infer } from '../inference.ts';
import type { Value } from '../values/values.ts';
import { formatLiteral } from './type-formatter.ts';

/** A type or value as `%p` shows it; `indent` (a level of two blanks) spreads it over lines. */
export function literalText(value: Value, indent: number | null = null): string {
  return formatLiteral(value, infer, indent);
}
