import { NamedError } from '../../util/named-error.ts';
/** A parameter of a plan; the form of Bolt's `plan show`. */
export interface PlanParameter {
  /** As written; `Any` without a type. */
  readonly type: string;
  /** The expression in a Puppet plan, the value in a YAML plan; absent: it is required. */
  readonly default_value?: unknown;
  readonly description?: string;
  readonly sensitive: boolean;
}

/** A plan's description of itself. */
export interface PlanMetadata {
  readonly description: string;
  /** Left out of lists. */
  readonly private: boolean;
  readonly parameters: Readonly<Record<string, PlanParameter>>;
}

/** A plan cannot be read; the message says why, and where. */
export class InvalidPlan extends NamedError {}

/** Whether a value of this type is not to be shown. */
export function isSensitiveType(type: string): boolean {
  return /^(Optional\[\s*)?Sensitive\b/.test(type);
}
