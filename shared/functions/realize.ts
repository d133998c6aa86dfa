import { requireCatalog } from './catalog-function.ts';
import { flatten } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { referredType } from './resource-reference.ts';

export const realize = defineLegacyFunction('realize', {
  arity: -2,
  rvalue: false,
  body: (site, args) => {
    requireCatalog(site, 'realize');
    site.context.catalog.realize(site.scope, flatten(args).map(referredType));
    return null;
  },
});
