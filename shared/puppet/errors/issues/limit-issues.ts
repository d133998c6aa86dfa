/** Texts for limits that this compiler has and Puppet does not. */
import { defineIssues, fault } from './issue.ts';

export const LIMIT_ISSUES = defineIssues({
  NO_CLOCK_IN_COMPILE: fault('This compile has no clock'),
  DATA_TYPE_INTERFACE_NO_HASH: fault("Data Type Load Error for type '%{name}': its interface is no hash"),
  MOUNT_OUTSIDE_CODE: fault(
    "The path '%{path}' of the mount '%{mount}' is no folder of the control repo: give it relative to this file, or below %{codeDirectory}",
  ),
  GENERATOR_NOT_RUN: fault('Failed to execute generator %{path}: the compiler does not run commands'),
  GENERATOR_FAILED: fault('Failed to execute generator %{path}: %{detail}'),
  ERB_WITHOUT_RUBY: fault(
    '%{template} is an ERB template, which needs Ruby support; this compiler renders EPP templates only',
  ),
  NO_LOOKUP_GOING_ON: fault('no lookup is going on in environment %{environment}'),
  EYAML_OUTSIDE_HIERA: fault('eyaml_lookup_key is called by Hiera'),
  RUBY_OUTSIDE_COMPILE: fault('Ruby asked for %{what} where nothing is compiled'),
  FUNCTION_NEEDS_RUBY: fault("The function '%{name}' is written in Ruby (%{path}), which needs Ruby support"),
  INVENTORY_QUERY_REFUSED: fault("The inventory refuses the query '%{query}': %{reason}"),
  INVENTORY_QUERY_TOO_LONG: fault('A query to the inventory has at most %{limit} characters, not %{length}'),
  TOO_MANY_INVENTORY_QUERIES: fault(
    'A catalog uses at most %{queries} queries to the inventory with %{characters} characters in all',
  ),
  NOT_KEPT: fault("'%{path}' is no file that the server keeps"),
  KEPT_VALUE_TOO_LONG: fault(
    "A value that is kept on the server has at most %{limit} characters; '%{name}' has %{length}",
  ),
  TOO_MANY_KEPT_VALUES: fault(
    "A catalog uses at most %{values} values kept on the server, with names of at most %{characters} characters: '%{name}'",
  ),
  NO_CLOCK_FOR_TIMESTAMP: fault('The current time is not known here'),
});
