import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { requireCatalog } from '../support/catalog-function.ts';

export const tagged = defineLegacyFunction('tagged', {
  arity: -2,
  rvalue: true,
  body: (site, args) => {
    requireCatalog(site, 'tagged');
    return site.context.catalog.isTagged(site.scope, args.map(rubyToS));
  },
});
