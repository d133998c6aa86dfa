import { locationSuffix, type SourceLocation } from '../../errors/puppet-error.ts';
import type { CallSite } from '../../evaluator/ports.ts';

/**
 * `Puppet.warn_once`: logs `message` once for each `key`, with the location on a second line.
 * Puppet: lib/puppet/util/logging.rb.
 */
export function warnOnce(site: CallSite, key: string, message: string, location: SourceLocation = {}): void {
  const place = locationSuffix({ file: location.file, line: location.line }).trim();
  const entry = { level: 'warning', message: `${message}\n   ${place || '(file & line not available)'}` } as const;
  site.context.log.addOnce(`deprecations ${key}`, entry);
}
