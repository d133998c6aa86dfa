import type { SourceLocation } from '../../errors/puppet-error.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { locationOf } from '../../evaluator/report.ts';

/**
 * Returns the file and line of a call, without a column, like Puppet's own call stack. Code without
 * a file is in the file `unknown`.
 */
export function callLocation(site: CallSite): SourceLocation {
  if (!site.node) return {};
  const { file = 'unknown', line } = locationOf(site.node);
  return { file, line };
}
