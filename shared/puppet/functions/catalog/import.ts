import { ISSUES } from '../../errors/issues/catalogue.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { failWith } from '../../evaluator/report.ts';

export const importFunction = defineFunction('import', {
  dispatches: [
    {
      params: ['*Any args'],
      body: (site) => {
        failWith(ISSUES.DISCONTINUED_IMPORT(), site.node);
      },
    },
  ],
});
