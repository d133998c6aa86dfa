import { defineFunction } from '../../evaluator/native-function.ts';
import { classNames, requireCatalog, runUntilJump } from '../support/catalog-function.ts';

export const include = defineFunction('include', {
  dispatches: [
    {
      params: ['+Any names'],
      body: (site, names) => {
        requireCatalog(site, 'include');
        return runUntilJump(() => site.context.catalog.includeClasses(site.scope, classNames(names)));
      },
    },
  ],
});
