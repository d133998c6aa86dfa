import { FunctionIssues } from '../../errors/function-issues.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { defineFunction } from '../../evaluator/native-function.ts';
import { locationOf } from '../../evaluator/report.ts';

export const importFunction = defineFunction('import', {
  dispatches: [
    {
      params: ['*Any args'],
      body: (site) => {
        const issue = FunctionIssues.DISCONTINUED_IMPORT;
        const location = site.node ? locationOf(site.node) : {};
        throw new PuppetError(`Evaluation Error: ${issue.message({})}`, { ...location, issueCode: issue.code });
      },
    },
  ],
});
