import type { Value } from '../types/values.ts';
import type { CompileContext } from './ports.ts';

/** Placeholder shape until the evaluator lands; see the evaluator's own file. */
export interface Scope {
  readonly context: CompileContext;
  lookupVariable(name: string): Value | undefined;
}
