import { defineLegacyFunction } from '../../evaluator/legacy-function.ts';
import { toReferredType } from '../../evaluator/resource-reference.ts';
import { requireCatalog } from '../support/catalog-function.ts';
import { flattenDeep } from '../support/conversion.ts';

export const realize = defineLegacyFunction('realize', {
  arity: -2,
  rvalue: false,
  body: (site, args) => {
    requireCatalog(site, 'realize');
    site.context.catalog.realize(site.scope, flattenDeep(args).map(toReferredType));
    return null;
  },
});
