/** Issues of hiera.yaml and of interpolation. Codes and texts: lib/puppet/pops/issues.rb. */
import { defineIssues, issue } from './issue.ts';

export const HIERA_ISSUES = defineIssues({
  HIERA_UNSUPPORTED_VERSION: issue('This runtime does not support hiera.yaml version %{version}'),
  HIERA_VERSION_3_NOT_GLOBAL: issue('hiera.yaml version 3 cannot be used in %{where}'),
  HIERA_UNSUPPORTED_VERSION_IN_GLOBAL: issue('hiera.yaml version 4 cannot be used in the global layer'),
  HIERA_UNDEFINED_VARIABLE: issue("Undefined variable '%{name}'"),
  HIERA_BACKEND_MULTIPLY_DEFINED: issue(
    ({ name, firstLine }: { name: string; firstLine: number | undefined }) =>
      `Backend '${name}' is defined more than once.${showFirstLine(firstLine)}`,
  ),
  HIERA_NO_PROVIDER_FOR_BACKEND: issue("No data provider is registered for backend '%{name}'"),
  HIERA_HIERARCHY_NAME_MULTIPLY_DEFINED: issue(
    ({ name, firstLine }: { name: string; firstLine: number | undefined }) =>
      `Hierarchy name '${name}' defined more than once.${showFirstLine(firstLine)}`,
  ),
  HIERA_V3_BACKEND_NOT_GLOBAL: issue("'hiera3_backend' is only allowed in the global layer"),
  HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE: issue("'default_hierarchy' is only allowed in the module layer"),
  HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH: issue(
    'Use "data_hash: %{backend}_data" instead of "hiera3_backend: %{backend}"',
  ),
  HIERA_MISSING_DATA_PROVIDER_FUNCTION: issue("One of %{keys} must be defined in hierarchy '%{name}'"),
  HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS: issue("Only one of %{keys} can be defined in hierarchy '%{name}'"),
  HIERA_MULTIPLE_DATA_PROVIDER_FUNCTIONS_IN_DEFAULT: issue('Only one of %{keys} can be defined in defaults'),
  HIERA_MULTIPLE_LOCATION_SPECS: issue("Only one of %{keys} can be defined in hierarchy '%{name}'"),
  HIERA_OPTION_RESERVED_BY_PUPPET: issue("Option key '%{key}' used in hierarchy '%{name}' is reserved by %{product}"),
  HIERA_DEFAULT_OPTION_RESERVED_BY_PUPPET: issue("Option key '%{key}' used in defaults is reserved by %{product}"),
  HIERA_DATA_PROVIDER_FUNCTION_NOT_FOUND: issue("Unable to find '%{type}' function named '%{name}'"),
  HIERA_INTERPOLATION_METHOD_SYNTAX_NOT_ALLOWED: issue(
    'Interpolation using method syntax is not allowed in this context',
  ),
  HIERA_INTERPOLATION_ALIAS_NOT_ENTIRE_STRING: issue(
    "'alias' interpolation is only permitted if the expression is equal to the entire string",
  ),
  HIERA_INTERPOLATION_UNKNOWN_INTERPOLATION_METHOD: issue("Unknown interpolation method '%{name}'"),
});

function showFirstLine(line: number | undefined): string {
  return line === undefined ? '' : ` First defined at (line: ${line})`;
}
