import { ClassType, ResourceType } from '../types/catalog-types.ts';
import { requireCatalog } from './catalog-function.ts';
import { flatten } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';

export const realize = defineLegacyFunction('realize', {
  arity: -2,
  rvalue: false,
  body: (site, args) => {
    requireCatalog(site, 'realize');
    const references = flatten(args).filter((arg) => arg instanceof ResourceType || arg instanceof ClassType);
    site.context.catalog.realize(site.scope, references);
    return null;
  },
});
