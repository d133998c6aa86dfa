import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import type { Value } from '../../puppet/types/values/values.ts';

/**
 * An error that plans can catch. In plans it is a value of the type Error. Follows
 * lib/bolt/error.rb.
 */
export class BoltError extends PuppetError {
  readonly kind: string;
  readonly details: ReadonlyMap<string, Value>;
  readonly code: string | null;

  constructor(
    msg: string,
    kind: string,
    details: Readonly<Record<string, Value>> | ReadonlyMap<string, Value> = {},
    code: string | null = null,
  ) {
    super(msg);
    this.name = 'BoltError';
    this.kind = kind;
    this.details = details instanceof Map ? details : new Map(Object.entries(details));
    this.code = code;
  }
}

/** An error of the code of a plan, with a text of Bolt. Plans cannot catch it. */
export class PlanCodeError extends PuppetError {}

/** The error that plans see behind an error of the evaluation; null when it is none of Bolt's. */
export function boltErrorOf(error: unknown): BoltError | null {
  if (error instanceof BoltError) return error;
  return error instanceof PuppetError && error.cause instanceof BoltError ? error.cause : null;
}

export function createValidationError(message: string): BoltError {
  return new BoltError(message, 'bolt/validation-error');
}

/** The error for what plans cannot do on a server; the message says why. */
export function createRefusal(message: string): BoltError {
  return new BoltError(message, 'bolt/not-available');
}

export function createUnknownPlan(name: string): BoltError {
  return new BoltError(
    `Could not find a plan named '${name}'. For a list of available plans, run 'bolt plan show'.`,
    'bolt/unknown-plan',
  );
}

export function createUnknownTask(name: string): BoltError {
  return new BoltError(
    `Could not find a task named '${name}'. For a list of available tasks, run 'bolt task show'.`,
    'bolt/unknown-task',
  );
}
