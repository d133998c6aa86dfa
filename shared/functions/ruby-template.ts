import { FunctionIssues } from '../errors/function-issues.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import type { CallSite } from '../evaluator/ports.ts';
import { rubyCallbacks } from '../ruby/callbacks.ts';
import type { RubyPort, RubySource } from '../ruby/port.ts';
import { callLocation } from './call-location.ts';

/** Fails when scripting, where Puppet has no ERB. */
export function requireErb(site: CallSite, feature: string): void {
  if (!site.context.settings.tasks) return;
  const issue = FunctionIssues.FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING;
  throw new PuppetError(issue.message({ feature }), { ...callLocation(site), issueCode: issue.code });
}

/** What an ERB template gives; `what` names it when there is no Ruby. Text without tags is not given to Ruby. */
export function renderErb(site: CallSite, template: RubySource, what: string): string {
  if (!template.text.includes('<%')) return template.text;
  return rubyOf(site, what).renderTemplate(template, rubyCallbacks(site, null));
}

function rubyOf({ context }: CallSite, what: string): RubyPort {
  if (context.ruby) return context.ruby;
  throw new PuppetError(
    `${what} is an ERB template, which needs Ruby support; this compiler renders EPP templates only`,
  );
}
