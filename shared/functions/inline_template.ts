/** ERB templates given as text. Follows lib/puppet/parser/functions/inline_template.rb. */
import { PuppetError } from '../errors/puppet-error.ts';
import { Jump } from '../evaluator/control-flow.ts';
import type { CallSite } from '../evaluator/ports.ts';
import { RubyError } from '../ruby/port.ts';
import { implicitString } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { renderErb, requireErb } from './ruby-template.ts';

/** What Ruby calls the file of a template that has none. */
const NO_FILE = '(erb)';

export const inlineTemplate = defineLegacyFunction('inline_template', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireErb(site, 'ERB inline_template');
    return args.map((arg) => renderText(site, implicitString(arg))).join('');
  },
});

function renderText(site: CallSite, text: string): string {
  try {
    return renderErb(site, { path: NO_FILE, text }, 'the text given to inline_template()');
  } catch (error) {
    if (!(error instanceof RubyError)) throw error;
    const { original, message } = error;
    if (original !== undefined && !(original instanceof PuppetError || original instanceof Jump)) throw original;
    const detail = original instanceof PuppetError ? original.message : message;
    throw new PuppetError(`Failed to parse inline template: ${detail}`);
  }
}
