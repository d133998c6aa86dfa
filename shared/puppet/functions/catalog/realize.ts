import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { referredType } from '../../evaluator/resource-reference.ts';
import { requireCatalog } from '../support/catalog-function.ts';
import { flatten } from '../support/conversion.ts';

export const realize = defineLegacyFunction('realize', {
  arity: -2,
  rvalue: false,
  body: (site, args) => {
    requireCatalog(site, 'realize');
    site.context.catalog.realize(site.scope, flatten(args).map(referredType));
    return null;
  },
});
