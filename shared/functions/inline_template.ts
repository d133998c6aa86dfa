import { implicitString } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { erbNeedsRuby, requireErb } from './ruby-template.ts';

export const inlineTemplate = defineLegacyFunction('inline_template', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireErb(site, 'ERB inline_template');
    const sources = args.map(implicitString);
    if (sources.some((source) => source.includes('<%'))) throw erbNeedsRuby('the text given to inline_template()');
    return sources.join('');
  },
});
