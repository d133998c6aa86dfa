import { defineFunction } from '../../evaluator/native-function.ts';
import { classNames, requireCatalog, runUntilJump } from '../support/catalog-function.ts';

export const contain = defineFunction('contain', {
  dispatches: [
    {
      params: ['+Any names'],
      body: (site, names) => {
        requireCatalog(site, 'contain');
        return runUntilJump(() => site.context.catalog.containClasses(site.scope, classNames(names)));
      },
    },
  ],
});
