import { defineFunction } from '../../evaluator/native-function.ts';
import { classNames, requireCatalog, untilJump } from '../support/catalog-function.ts';

export const include = defineFunction('include', {
  dispatches: [
    {
      params: ['+Any names'],
      body: (site, names) => {
        requireCatalog(site, 'include');
        return untilJump(() => site.context.catalog.includeClasses(site.scope, classNames(names)));
      },
    },
  ],
});
