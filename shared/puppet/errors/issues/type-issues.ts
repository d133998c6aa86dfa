/** Texts that Puppet raises about types and their parameters. */
import { defineIssues, fault } from './issue.ts';

export const TYPE_ISSUES = defineIssues({
  TYPE_ALIAS_UNRESOLVABLE: fault(
    ({ name }: { name: string }) => `Type alias '${name}' cannot be resolved to a real type`,
  ),
  INIT_TYPE_UNDEFINED: fault(() => 'Init cannot be parameterized with an undefined type and additional arguments'),
  MISMATCH: fault(({ subject, details }: { subject: string; details: readonly string[] }) =>
    details.length === 1 ? `${subject}:${details[0]}` : `${subject}:\n ${details.join('\n ')}`,
  ),
  NOT_PARAMETERIZED_TYPE: fault(({ name }: { name: string }) => `Not a parameterized type <${name}>`),
  TIMESPAN_NOT_CREATABLE: fault(
    ({ actual }: { actual: string }) => `Unable to create a Puppet::Pops::Time::Timespan from a ${actual}`,
  ),
  TIMESTAMP_NOT_CREATABLE: fault(
    ({ actual }: { actual: string }) => `Unable to create a Puppet::Pops::Time::Timestamp from a ${actual}`,
  ),
  RANGE_REVERSED: fault(
    ({ from, to }: { from: string; to: string }) => `'from' must be less or equal to 'to'. Got (${from}, ${to}`,
  ),
  STRUCT_KEY_EMPTY: fault(() => 'Struct element key cannot be an empty String'),
  STRUCT_KEY_TYPE: fault(
    ({ actual }: { actual: string }) =>
      `Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: ${actual}`,
  ),
  STRUCT_KEY_NOT_LITERAL: fault(
    ({ type }: { type: string }) => `Unable to extract a non-empty literal string from Struct member key type ${type}`,
  ),
  PATTERN_ITEM_TYPE: fault(
    ({ actual }: { actual: string }) =>
      `Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '${actual}`,
  ),
  RESOURCE_TYPE_NAME_MISSING: fault(() => 'The type name cannot be nil, if title is given'),
  RESOURCE_TYPE_NAME_NO_STRING: fault(({ actual }: { actual: string }) => `The type name cannot be a ${actual}`),
  ILLEGAL_TYPE_NAME: fault(({ name }: { name: string }) => `Illegal type name '${name}'`),
  TYPE_PARAMETER_COUNT: fault(
    ({ type, required, given }: { type: string; required: number | string; given: number }) =>
      `Invalid number of type parameters specified: ${type} requires ${required}, ${given} provided`,
  ),
  ENUM_PARAMETERS_NO_STRINGS: fault(() => 'Enum parameters must be identifiers or strings'),
  BOOLEAN_PARAMETER: fault(() => 'Boolean parameter must be true or false'),
  NOT_A_TYPE_SPECIFICATION: fault(
    ({ text }: { text: string }) => `The expression <${text}> is not a valid type specification.`,
  ),
});
