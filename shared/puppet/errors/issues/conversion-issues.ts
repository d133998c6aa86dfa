/** Texts that Puppet raises when it converts values: `new`, formats, times, versions. */
import { defineIssues, fault } from './issue.ts';

export const CONVERSION_ISSUES = defineIssues({
  NEW_NOT_SUPPORTED: fault(
    ({ type }: { type: string }) => `Creation of new instance of type '${type}' is not supported`,
  ),
  CONSTRUCTOR_MISMATCH: fault(({ name, detail }: { name: string; detail: string }) => `'${name}' ${detail}`),
  NEW_INIT_ARITY: fault(({ given }: { given: number | string }) => `'new_Init' expects 1 argument, got ${given}`),
  ILLEGAL_RADIX: fault(({ radix }: { radix: string }) => `Illegal radix: ${radix}, expected 2, 8, 10, 16, or default`),
  ILLEGAL_FORMAT_FOR_TYPE: fault(
    ({ letter, kind, expected }: { letter: string; kind: string; expected: string }) =>
      `Illegal format '${letter}' specified for value of ${kind} type - expected one of the characters '${expected}'`,
  ),
  STRING_FORMATS_TYPE: fault(
    ({ actual }: { actual: string }) =>
      `string conversion expects a Default value or a Hash of type to format mappings, got a '${actual}'`,
  ),
  STRING_FORMATS_KEY_TYPE: fault(
    ({ actual }: { actual: string }) =>
      `top level keys in the format hash must be data types, got instance of '${actual}'`,
  ),
  CONTAINER_FORMAT_KEYS: fault(
    ({ known, actual }: { known: string; actual: string }) =>
      `only ${known} are allowed in a container format, got ${actual}`,
  ),
  FORMAT_INVALID: fault(
    ({ text }: { text: string }) =>
      `The format '${text}' is not a valid format on the form '%<flags><width>.<prec><format>'`,
  ),
  FORMAT_FLAG_REPEATED: fault(({ text }: { text: string }) => `The same flag can only be used once, got '${text}'`),
  FORMAT_DELIMITERS_REPEATED: fault(
    ({ text }: { text: string }) =>
      `Only one of the delimiters [ { ( < | can be given in the format flags, got '${text}'`,
  ),
  ILLEGAL_TIMEZONE: fault(({ zone }: { zone: string }) => `Illegal timezone '${zone}'`),
  TIME_NOT_PARSABLE: fault(
    ({ text, format }: { text: string; format: string }) => `Unable to parse '${text}' using format '${format}'`,
  ),
  TIMEZONE_GIVEN_TWICE: fault(
    () =>
      'Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument',
  ),
  TIME_NOT_PARSABLE_BY_ANY: fault(
    ({ text, formats }: { text: string; formats: string }) =>
      `Unable to parse '${text}' using any of the formats ${formats}`,
  ),
  FRACTION_WITHOUT_SECONDS: fault(
    () =>
      'Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude',
  ),
  BAD_FORMAT_SPECIFIER: fault(
    ({ specifier, format, position }: { specifier: string; format: string; position: number }) =>
      `Bad format specifier '${specifier}' in '${format}', at position ${position}`,
  ),
  VERSION_RANGE_NOT_PARSABLE: fault(({ text }: { text: string }) => `Unparsable version range: "${text}"`),
  VERSION_NOT_PARSABLE: fault(
    ({ text }: { text: string }) => `Unable to parse '${text}' as a semantic version identifier`,
  ),
  PRERELEASE_WITH_LEADING_ZERO: fault(() => 'Numeric pre-release identifiers MUST NOT contain leading zeroes'),
});
