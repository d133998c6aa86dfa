/** Texts that Puppet raises in lookups, lib/puppet/pops/lookup. */
import { defineIssues, fault } from './issue.ts';

export const UNCODED_LOOKUP_ISSUES = defineIssues({
  YAML_FILE_NO_HASH: fault(({ path }: { path: string }) => `${path}: file does not contain a valid yaml hash`),
  CONVERT_TO_FAILED: fault(
    ({ key, detail }: { key: string; detail: string }) =>
      `The convert_to lookup_option for key '${key}' raised error: ${detail}`,
  ),
  CONVERT_TO_TYPE_INVALID: fault(
    ({ key, text, detail }: { key: string; text: string; detail: string }) =>
      `Invalid data type in lookup_options for key '${key}' could not parse '${text}', error: '${detail}`,
  ),
  DATA_FILE_UNPARSABLE: fault(({ detail }: { detail: string }) => `Unable to parse ${detail}`),
  DATA_FILE_AT_PATH_UNPARSABLE: fault(
    ({ path, detail }: { path: string; detail: string }) => `Unable to parse (${path}): ${detail}`,
  ),
  KNOCKOUT_PREFIX_EMPTY: fault(() => 'knockout_prefix cannot be an empty string in deep_merge!'),
  LOOKUP_VALUE_TYPE: fault(
    ({ where, actual }: { where: string; actual: string }) =>
      `${where} has wrong type, expects Puppet::LookupValue, got ${actual}`,
  ),
  EYAML_PATH_MISSING: fault(
    () =>
      "'eyaml_lookup_key': one of 'path', 'paths' 'glob', 'globs' or 'mapped_paths' must be declared in hiera.yaml when using this lookup_key function",
  ),
  EYAML_DECRYPTION_FAILED: fault(
    ({ text, key, path, detail }: { text: string; key: string; path: string; detail: string }) =>
      `hiera-eyaml backend error decrypting ${text} when looking up ${key} in ${path}. Error was ${detail}`,
  ),
  RECURSIVE_LOOKUP: fault(({ names }: { names: string }) => `Recursive lookup detected in [${names}]`),
  ENVIRONMENT_DATA_PROVIDER_NOT_FOUND: fault(
    ({ environment, provider }: { environment: string; provider: string }) =>
      `Environment '${environment}', cannot find environment_data_provider '${provider}'`,
  ),
  MODULE_DATA_PROVIDER_NOT_FOUND: fault(
    ({ environment, provider }: { environment: string; provider: string }) =>
      `Environment '${environment}', cannot find module_data_provider '${provider}'`,
  ),
  LOOKUP_RESULT_NO_HASH: fault(
    ({ actual }: { actual: string }) => `value has wrong type, expects a Hash value, got ${actual}`,
  ),
  DOTTED_KEY_RESOLUTION_TYPE: fault(
    ({ type, key }: { type: string; key: string }) =>
      `Resolution type :${type} is illegal when accessing values using dotted keys. Offending key was '${key}'`,
  ),
  LOOKUP_KEY_SYNTAX: fault(({ where }: { where: string }) => `Syntax error ${where}`),
  DATA_PROVIDER_TYPE_MISMATCH: fault(
    ({ actual, segment, key }: { actual: string; segment: bigint | string; key: string }) =>
      `Data Provider type mismatch: Got ${actual} when a hash-like object was expected to access value using '${segment}' from key '${key}'`,
  ),
  LOOKUP_NAME_NOT_FOUND: fault(
    ({ name }: { name: string }) => `Function lookup() did not find a value for the name ${name}`,
  ),
  LOOKUP_NAMES_NOT_FOUND: fault(
    ({ names }: { names: string }) => `Function lookup() did not find a value for any of the names [${names}]`,
  ),
  LOOKUP_OF_KEY_FAILED: fault(
    ({ key, detail }: { key: string; detail: string }) => `Lookup of key '${key}' failed: ${detail}`,
  ),
  LOOKUP_OPTIONS_NO_HASH: fault(() => 'value of lookup_options must be a hash'),
  LOOKUP_OPTIONS_FOREIGN_PATTERN: fault(
    ({ module }: { module: string }) =>
      `all lookup_options patterns must match a key starting with module name '${module}'`,
  ),
  LOOKUP_OPTIONS_FOREIGN_KEY: fault(
    ({ module }: { module: string }) => `all lookup_options keys must start with module name '${module}'`,
  ),
  MERGE_WITHOUT_STRATEGY: fault(
    () => "The hash given as 'merge' must contain the name of a strategy in string form for the key 'strategy'",
  ),
  MERGE_STRATEGY_UNKNOWN: fault(({ name }: { name: string }) => `Unknown merge strategy: '${name}'`),
});
