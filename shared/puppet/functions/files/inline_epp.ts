import { defineFunction } from '../../evaluator/native-function.ts';
import { parseTemplate, renderTemplate } from '../support/template-program.ts';

/** Renders a template text in the calling scope. */
export const inlineEpp = defineFunction('inline_epp', {
  dispatches: [
    {
      params: ['String template', '?Hash[Pattern[/^\\w+$/], Any] parameters'],
      returns: 'Variant[String, Sensitive[String]]',
      body: (site, [source, parameters = null]) => {
        const program = parseTemplate(site, 'inline_epp', 'inlined-epp-text', String(source));
        return renderTemplate(site, 'inline_epp', program, site.scope, parameters);
      },
    },
  ],
});
