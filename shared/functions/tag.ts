import { requireCatalog } from './catalog-function.ts';
import { flatten } from './conversion.ts';
import { defineLegacyFunction } from './legacy-function.ts';
import { rubyToS } from './ruby-text.ts';

export const tag = defineLegacyFunction('tag', {
  arity: -2,
  rvalue: false,
  body: (site, args) => {
    requireCatalog(site, 'tag');
    site.context.catalog.tag(
      site.scope,
      flatten(args)
        .filter((name) => name !== null)
        .map(rubyToS),
    );
    return null;
  },
});
