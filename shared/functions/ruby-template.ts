import { FunctionIssues } from '../errors/function-issues.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { CallSite } from '../evaluator/ports.ts';
import { callLocation } from './call-location.ts';

/** Fails when scripting, where Puppet has no ERB. */
export function requireErb(site: CallSite, feature: string): void {
  if (!site.context.settings.tasks) return;
  const issue = FunctionIssues.FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING;
  throw new PuppetError(issue.message({ feature }), { ...callLocation(site), issueCode: issue.code });
}

/** What ERB templates come to without a Ruby to run them. */
export function erbNeedsRuby(what: string): PuppetError {
  return new PuppetError(
    `${what} is an ERB template, which needs Ruby support; this compiler renders EPP templates only`,
  );
}
