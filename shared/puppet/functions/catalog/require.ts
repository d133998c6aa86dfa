import { defineFunction } from '../../evaluator/native-function.ts';
import { classNames, requireCatalog, runUntilJump } from '../support/catalog-function.ts';

export const requireFunction = defineFunction('require', {
  dispatches: [
    {
      params: ['+Any names'],
      body: (site, names) => {
        requireCatalog(site, 'require');
        return runUntilJump(() => site.context.catalog.requireClasses(site.scope, classNames(names)));
      },
    },
  ],
});
