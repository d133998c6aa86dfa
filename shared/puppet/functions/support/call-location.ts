import type { SourceLocation } from '../../errors/puppet-error.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { locationOf } from '../../evaluator/report.ts';

/**
 * File and line of the call, without a column, as Puppet's own call stack has them: code without a
 * file is `unknown`.
 */
export function callLocation(site: CallSite): SourceLocation {
  if (!site.node) return {};
  const { file = 'unknown', line } = locationOf(site.node);
  return { file, line };
}
