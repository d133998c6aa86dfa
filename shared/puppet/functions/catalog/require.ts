import { defineFunction } from '../../evaluator/native-function.ts';
import { classNames, requireCatalog, untilJump } from '../support/catalog-function.ts';

export const requireFunction = defineFunction('require', {
  dispatches: [
    {
      params: ['+Any names'],
      body: (site, names) => {
        requireCatalog(site, 'require');
        return untilJump(() => site.context.catalog.requireClasses(site.scope, classNames(names)));
      },
    },
  ],
});
