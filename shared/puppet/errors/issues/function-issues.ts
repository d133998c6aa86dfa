/** Issues of built-in functions. Codes and texts: lib/puppet/pops/issues.rb. */
import { defineIssues, issue } from './issue.ts';

export const FUNCTION_ISSUES = defineIssues({
  DISCONTINUED_IMPORT: issue(
    () =>
      "Use of 'import' has been discontinued in favor of a manifest directory. " +
      'See http://links.puppet.com/puppet-import-deprecation',
  ),
  FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING: issue(
    ({ feature }: { feature: string }) => `The feature '${feature}' is only available when compiling a catalog`,
    { code: 'NOT_SUPPORTED_WHEN_SCRIPTING' },
  ),
  CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING: issue(
    ({ operation }: { operation: string }) =>
      `The catalog operation '${operation}' is only available when compiling a catalog`,
  ),
});
