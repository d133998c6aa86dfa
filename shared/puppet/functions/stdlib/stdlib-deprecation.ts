import type { Environment } from '../../environment/environment.ts';
import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import type { CallSite } from '../../evaluator/ports.ts';

/**
 * Reports a deprecation: an error, a warning or nothing, as the setting `strict` says; with
 * `asWarning` always a warning. The message contains the call's location as stdlib formats it, from
 * two frames of Puppet's call stack.
 */
export function warnDeprecated(site: CallSite, key: string, message: string, asWarning = false): null {
  const { settings, environment, log } = site.context;
  const strict = asWarning ? 'warning' : settings.strict;
  if (strict === 'off') return null;
  const [inner, outer] = site.context.evaluator.stack.getFrames().map(([file, line]) => `["${file}", ${line}]`);
  const text = `${message} at ${inner ?? ''}:${outer ?? ''}`;
  if (strict === 'error') throw new PuppetError(ISSUES.STDLIB_DEPRECATION({ key, text }));
  log.addOnce(key, { level: 'warning', message: `${text}\n   (location: ${sourceOf(environment)}:in \`deprecation')` });
  return null;
}

/** Returns the line of stdlib's Ruby code that warns: 35 since 9.0, before that it differs. */
function sourceOf(environment: Environment): string {
  const module = environment.findModule('stdlib');
  const path = `${module?.root ?? ''}/lib/puppet/functions/deprecation.rb`;
  if (!/^[1-8]\./.test(module?.metadata?.version ?? '')) return `${path}:35`;
  const lines = environment.readText(path)?.split('\n') ?? [];
  return `${path}:${lines.findIndex((line) => line.includes('Puppet.deprecation_warning')) + 1}`;
}
