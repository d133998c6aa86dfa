/** Renders ERB templates given as text. Follows lib/puppet/parser/functions/inline_template.rb. */

import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { joinRubyTexts } from '../../types/values/bytes-text.ts';
import { implicitString } from '../support/conversion.ts';
import { renderErb, requireErb } from '../support/ruby-template.ts';

/** Ruby's file name for a template without a file. */
const NO_FILE = '(erb)';

export const inlineTemplate = defineLegacyFunction('inline_template', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireErb(site, 'ERB inline_template');
    const rendered = args.map((arg) =>
      renderErb(
        site,
        { path: NO_FILE, text: implicitString(arg) },
        'the text given to inline_template()',
        ({ detail }) => `Failed to parse inline template: ${detail}`,
      ),
    );
    return joinRubyTexts(rendered);
  },
});
