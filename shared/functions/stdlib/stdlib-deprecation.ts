import type { Environment } from '../../environment/environment.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import { callLocation } from '../call-location.ts';

/**
 * The `deprecation` function: an error, a warning or nothing as the setting `strict` says, or (`asWarning`) always a
 * warning. The message has the call's place as stdlib makes it, of two frames of Puppet's call stack.
 */
export function warnDeprecated(site: CallSite, key: string, message: string, asWarning = false): null {
  const { settings, environment, log } = site.context;
  const strict = asWarning ? 'warning' : settings.strict;
  if (strict === 'off') return null;
  const { file = 'unknown', line = 0 } = callLocation(site);
  const frame = (at: number) => `["${file}", ${at}]`;
  const text = `${message} at ${frame(line)}:${frame(0)}`;
  if (strict === 'error') throw new PuppetError(`deprecation. ${key}. ${text}`);
  log.once(key, { level: 'warning', message: `${text}\n   (location: ${sourceOf(environment)}:in \`deprecation')` });
  return null;
}

/** The line of stdlib's Ruby code that warns; versions differ. */
function sourceOf(environment: Environment): string {
  const path = `${environment.module('stdlib')?.root ?? ''}/lib/puppet/functions/deprecation.rb`;
  const lines = environment.readText(path)?.split('\n') ?? [];
  const line = lines.findIndex((text) => /^\s*Puppet\.deprecation_warning\b/.test(text));
  return `${path}:${line < 0 ? 35 : line + 1}`;
}
