import { PuppetError } from '../../errors/puppet-error.ts';
import type { Value } from '../../types/values/values.ts';

/**
 * An error with data for its handler: `get` passes it to its block as an Error object. Puppet:
 * Puppet::ErrorWithData.
 */
export class NavigationError extends PuppetError {
  readonly kind = 'SLICE_ERROR';
  readonly issue: string;
  readonly details: readonly (readonly [string, Value])[];

  constructor(message: string, issue: string, details: readonly (readonly [string, Value])[]) {
    super(message);
    this.issue = issue;
    this.details = details;
  }
}
