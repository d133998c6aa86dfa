import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { rubyToS } from '../../types/format/ruby-text.ts';
import { requireCatalog } from '../support/catalog-function.ts';
import { flattenDeep } from '../support/conversion.ts';

export const tag = defineLegacyFunction('tag', {
  arity: -2,
  rvalue: false,
  body: (site, args) => {
    requireCatalog(site, 'tag');
    site.context.catalog.tag(
      site.scope,
      flattenDeep(args)
        .filter((name) => name !== null)
        .map(rubyToS),
    );
    return null;
  },
});
