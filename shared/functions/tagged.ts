import { requireCatalog } from './catalog-function.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { rubyToS } from './ruby-text.ts';

export const tagged = defineLegacyFunction('tagged', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireCatalog(site, 'tagged');
    return site.context.catalog.isTagged(site.scope, args.map(rubyToS));
  },
});
