import { ISSUES } from '../../errors/issues/catalogue.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { RubyError } from '../../errors/ruby-error.ts';
import { Jump } from '../../evaluator/control-flow.ts';
import type { CallSite } from '../../evaluator/ports.ts';
import type { RubySource } from '../../evaluator/ruby-port.ts';
import { askRuby } from '../../ruby/callbacks.ts';
import { fatalError } from '../../ruby/ruby-errors.ts';
import type { BytesText } from '../../types/values/bytes-text.ts';
import { callLocation } from './call-location.ts';

/** The failure of a template, and its location in a module's file. */
interface TemplateFailure {
  readonly detail: string;
  readonly file: string | null;
  readonly line: number | null;
}

/** Throws in tasks and plans, where Puppet has no ERB. */
export function requireErb(site: CallSite, feature: string): void {
  if (!site.context.settings.tasks) return;
  throw new PuppetError(ISSUES.FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING({ feature }), callLocation(site));
}

/**
 * Renders an ERB template; one without tags needs no Ruby. `what` names the template in the error
 * that there is no Ruby; `word` builds the message of any other failure.
 */
export function renderErb(
  site: CallSite,
  template: RubySource,
  what: string,
  word: (failure: TemplateFailure) => string,
): string | BytesText {
  if (!template.text.includes('<%')) return template.text;
  const { ruby } = site.context;
  if (!ruby) {
    throw new PuppetError(ISSUES.ERB_WITHOUT_RUBY({ template: what }));
  }
  try {
    return askRuby(site, null, (callbacks) => ruby.renderTemplate(template, callbacks));
  } catch (error) {
    const fatal = error instanceof RubyError ? fatalError(error) : null;
    if (fatal) throw fatal;
    const failure = failureOf(error);
    throw failure ? new PuppetError(word(failure), { cause: error }) : error;
  }
}

const NOWHERE = { file: null, line: null } as const;

/**
 * Returns the failure; null when the error is not caused by the user's code. Puppet: `next`,
 * `return` and `break` are errors in an ERB template.
 */
function failureOf(error: unknown): TemplateFailure | null {
  if (error instanceof RubyError) return { detail: error.message, file: error.file, line: error.line };
  const fault = error instanceof Jump ? error.toIllegalJumpError() : error;
  if (!(fault instanceof PuppetError)) return null;
  const { file, line } = fault.cause instanceof RubyError ? fault.cause : NOWHERE;
  return { detail: fault.message, file, line };
}
