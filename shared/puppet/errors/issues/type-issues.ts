import { defineIssues, fault } from './issue.ts';

/** Texts that Puppet raises about types and their parameters. */

export const TYPE_ISSUES = defineIssues({
  TYPE_ALIAS_UNRESOLVABLE: fault("Type alias '%{name}' cannot be resolved to a real type"),
  INIT_TYPE_UNDEFINED: fault('Init cannot be parameterized with an undefined type and additional arguments'),
  MISMATCH: fault(({ subject, details }: { subject: string; details: readonly string[] }) =>
    details.length === 1 ? `${subject}:${details[0]}` : `${subject}:\n ${details.join('\n ')}`,
  ),
  NOT_PARAMETERIZED_TYPE: fault('Not a parameterized type <%{name}>'),
  TIMESPAN_NOT_CREATABLE: fault('Unable to create a Puppet::Pops::Time::Timespan from a %{actual}'),
  TIMESTAMP_NOT_CREATABLE: fault('Unable to create a Puppet::Pops::Time::Timestamp from a %{actual}'),
  RANGE_REVERSED: fault("'from' must be less or equal to 'to'. Got (%{from}, %{to}"),
  STRUCT_KEY_EMPTY: fault('Struct element key cannot be an empty String'),
  STRUCT_KEY_TYPE: fault(
    'Illegal Struct member key type. Expected NotUndef, Optional, String, or Enum. Got: %{actual}',
  ),
  STRUCT_KEY_NOT_LITERAL: fault('Unable to extract a non-empty literal string from Struct member key type %{type}'),
  PATTERN_ITEM_TYPE: fault("Only String, Regexp, Pattern-Type, and Regexp-Type are allowed: got '%{actual}"),
  RESOURCE_TYPE_NAME_MISSING: fault('The type name cannot be nil, if title is given'),
  RESOURCE_TYPE_NAME_NO_STRING: fault('The type name cannot be a %{actual}'),
  ILLEGAL_TYPE_NAME: fault("Illegal type name '%{name}'"),
  TYPE_PARAMETER_COUNT: fault(
    'Invalid number of type parameters specified: %{type} requires %{required}, %{given} provided',
  ),
  ENUM_PARAMETERS_NO_STRINGS: fault('Enum parameters must be identifiers or strings'),
  BOOLEAN_PARAMETER: fault('Boolean parameter must be true or false'),
  NOT_A_TYPE_SPECIFICATION: fault('The expression <%{text}> is not a valid type specification.'),
});

/** Texts that Puppet raises when it converts values: `new`, formats, times, versions. */

export const CONVERSION_ISSUES = defineIssues({
  NEW_NOT_SUPPORTED: fault("Creation of new instance of type '%{type}' is not supported"),
  CONSTRUCTOR_MISMATCH: fault("'%{name}' %{detail}"),
  NEW_INIT_ARITY: fault("'new_Init' expects 1 argument, got %{given}"),
  ILLEGAL_RADIX: fault('Illegal radix: %{radix}, expected 2, 8, 10, 16, or default'),
  ILLEGAL_FORMAT_FOR_TYPE: fault(
    "Illegal format '%{letter}' specified for value of %{kind} type - expected one of the characters '%{expected}'",
  ),
  STRING_FORMATS_TYPE: fault(
    "string conversion expects a Default value or a Hash of type to format mappings, got a '%{actual}'",
  ),
  STRING_FORMATS_KEY_TYPE: fault("top level keys in the format hash must be data types, got instance of '%{actual}'"),
  CONTAINER_FORMAT_KEYS: fault('only %{known} are allowed in a container format, got %{actual}'),
  FORMAT_INVALID: fault("The format '%{text}' is not a valid format on the form '%<flags><width>.<prec><format>'"),
  FORMAT_FLAG_REPEATED: fault("The same flag can only be used once, got '%{text}'"),
  FORMAT_DELIMITERS_REPEATED: fault(
    "Only one of the delimiters [ { ( < | can be given in the format flags, got '%{text}'",
  ),
  ILLEGAL_TIMEZONE: fault("Illegal timezone '%{zone}'"),
  TIME_NOT_PARSABLE: fault("Unable to parse '%{text}' using format '%{format}'"),
  TIMEZONE_GIVEN_TWICE: fault(
    'Using a Timezone designator in format specification is mutually exclusive to providing an explicit timezone argument',
  ),
  TIME_NOT_PARSABLE_BY_ANY: fault("Unable to parse '%{text}' using any of the formats %{formats}"),
  FRACTION_WITHOUT_SECONDS: fault(
    'Format specifiers %L and %N denotes fractions and must be used together with a specifier of higher magnitude',
  ),
  BAD_FORMAT_SPECIFIER: fault("Bad format specifier '%{specifier}' in '%{format}', at position %{position}"),
  VERSION_RANGE_NOT_PARSABLE: fault('Unparsable version range: "%{text}"'),
  VERSION_NOT_PARSABLE: fault("Unable to parse '%{text}' as a semantic version identifier"),
  PRERELEASE_WITH_LEADING_ZERO: fault('Numeric pre-release identifiers MUST NOT contain leading zeroes'),
});

/** Texts that Puppet raises about Object types, TypeSets and the data that defines them. */

export const OBJECT_TYPE_ISSUES = defineIssues({
  NO_IMPLEMENTATION_MAPPING: fault('No implementation mapping found for Puppet Type %{type}'),
  TYPE_NOT_DESERIALIZABLE: fault('Unable to deserialize type'),
  VALUE_NOT_CREATABLE: fault('Cannot create a %{target} from a %{actual}'),
  PARENT_TYPE_UNRESOLVED: fault("reference to unresolved type '%{type}'"),
  TYPE_INHERITS_FROM_ITSELF: fault("The Object type '%{name}' inherits from itself"),
  CONSTANT_IS_ATTRIBUTE: fault('attribute %{label}[%{name}] is defined as both a constant and an attribute'),
  ATTRIBUTE_RESERVED: fault("The attribute '%{name}' is reserved and cannot be used"),
  FUNCTION_CONFLICTS_WITH_ATTRIBUTE: fault('%{member} conflicts with attribute with the same name'),
  OVERRIDDEN_MEMBER_NOT_FOUND: fault(
    'expected %{member} to override an inherited %{feature}, but no such %{feature} was found',
  ),
  EQUALITY_INCLUDES_NO_TYPE: fault(
    'equality_include_type = false cannot be combined with non empty equality specification',
  ),
  EQUALITY_OF_INHERITED: fault('%{type} equality is referencing %{member} which is included in equality of %{definer}'),
  EQUALITY_OF_UNKNOWN: fault("%{type} equality is referencing non existent attribute '%{name}'"),
  EQUALITY_OF_FUNCTION: fault('%{type} equality is referencing %{member}. Only attribute references are allowed'),
  EQUALITY_OF_CONSTANT: fault(
    '%{type} equality is referencing constant %{member}. Reference to constant is not allowed in equality',
  ),
  CONSTANT_NOT_FINAL: fault("%{attribute} of kind 'constant' cannot be combined with final => false"),
  CONSTANT_WITHOUT_VALUE: fault("%{attribute} of kind 'constant' requires a value"),
  DERIVED_WITH_VALUE: fault("%{attribute} of kind '%{kind}' cannot be combined with an attribute value"),
  OVERRIDE_OF_OTHER_FEATURE: fault('%{member} attempts to override %{inherited}'),
  OVERRIDE_OF_FINAL: fault('%{member} attempts to override final %{inherited}'),
  OVERRIDE_NOT_DECLARED: fault('%{member} attempts to override %{inherited} without having override => true'),
  OVERRIDE_TYPE_MISMATCH: fault('%{member} attempts to override %{inherited} with a type that does not match'),
  OBJECT_TYPE_WITHOUT_PARAMETERS: fault('The %{name}-Type cannot be parameterized using []'),
  OBJECT_TYPE_PARAMETERS_EMPTY: fault('The %{name}-Type cannot be parameterized using an empty parameter list'),
  OBJECT_TYPE_PARAMETER_UNKNOWN: fault("'%{name}' is not a known type parameter for %{type}-Type"),
  TYPE_UNRESOLVED: fault('Reference to unresolved type %{name}'),
  PCORE_VERSION_NOT_UNDERSTOOD: fault(
    "The pcore version for TypeSet '%{name}' is not understood by this runtime. Expected range %{expected}, got %{actual}",
  ),
  NAME_AUTHORITY_MISSING: fault("No 'name_authority' is declared in TypeSet '%{name}' and it cannot be inferred"),
  TYPE_SET_REFERENCED_TWICE: fault(
    "TypeSet '%{name}' references TypeSet '%{authority}/%{referenced}' more than once using overlapping version ranges",
  ),
  TYPE_SET_ALIAS_COLLIDES: fault(
    "TypeSet '%{name}' references a TypeSet using alias '%{alias}'. The alias collides with the name of a declared type",
  ),
  TYPE_SET_REFERENCE_UNRESOLVED: fault('%{reference} cannot be resolved'),
  TYPE_SET_REFERENCE_NO_TYPE_SET: fault('%{reference} resolves to a %{actual}'),
  TYPE_SET_REFERENCE_VERSION: fault(
    '%{reference} resolves to an incompatible version. Expected %{expected}, got %{actual}',
  ),
});
