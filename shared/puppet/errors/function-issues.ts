import { issue } from './issue.ts';

/**
 * What built-in functions complain about with a code of their own. Puppet:
 * lib/puppet/pops/issues.rb.
 */
export const FunctionIssues = {
  DISCONTINUED_IMPORT: issue<Record<never, never>>(
    'DISCONTINUED_IMPORT',
    () =>
      "Use of 'import' has been discontinued in favor of a manifest directory. " +
      'See http://links.puppet.com/puppet-import-deprecation',
  ),
  FEATURE_NOT_SUPPORTED_WHEN_SCRIPTING: issue<{ feature: string }>(
    'NOT_SUPPORTED_WHEN_SCRIPTING',
    ({ feature }) => `The feature '${feature}' is only available when compiling a catalog`,
  ),
  CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING: issue<{ operation: string }>(
    'CATALOG_OPERATION_NOT_SUPPORTED_WHEN_SCRIPTING',
    ({ operation }) => `The catalog operation '${operation}' is only available when compiling a catalog`,
  ),
};
