/**
 * Issues of Puppet 8.10 that no compile of a catalog can come to, by code, each with the reason.
 */
export const ISSUES_WITHOUT_CASE: Readonly<Record<string, string>> = {
  ...named('nothing in Puppet reports it', [
    'BAD_STRING_SLICE_TYPE',
    'EMPTY_HEREDOC_SYNTAX_SEGMENT',
    'HEREDOC_DIRTY_MARGIN',
    'ILLEGAL_CATALOG_RELATED_EXPRESSION',
    'ILLEGAL_TYPE_SPECIALIZATION',
    'NAME_WITH_HYPHEN',
    'NOT_A_FILE',
    'NO_SUCH_FILE_OR_DIRECTORY',
    'TASK_MISSING_BOLT',
    'TASK_OPERATION_NOT_SUPPORTED_WHEN_COMPILING',
    'UNKNOWN_TASK',
    'UNSUPPORTED_RANGE',
    'VAR_WITH_HYPHEN',
  ]),
  ...named('the grammar lets nothing through that it speaks of', [
    'BAD_HASH_SLICE_ARITY',
    'EPP_INTERNAL_ERROR',
    'ILLEGAL_NAME_OR_BARE_WORD',
    'NO_INPUT_TO_LEXER',
    'UNSUPPORTED_OPERATOR',
    'UNSUPPORTED_OPERATOR_IN_CONTEXT',
  ]),
  ILLEGAL_ASSIGNMENT_VIA_INDEX: 'ILLEGAL_INDEXED_ASSIGNMENT is reported first, and cannot be turned off',
  ILLEGAL_VARIABLE_EXPRESSION: 'the validation refuses such variables before',
  EMPTY_RESOURCE_SPECIALIZATION: 'it is ignored, or a warning of processes that run with --debug',
  NOT_CATALOG_TYPE: 'the text for it cannot be made: a NoMethodError of Ruby takes its place',
  HIERA_UNDEFINED_VARIABLE: 'while hiera.yaml is read such interpolations are warned of, not refused',
  LOADER_FAILURE: 'only listings of all that a module has collect such errors, not compiles',
  SERIALIZATION_DEFAULT_CONVERTED_TO_STRING: 'catalogs are made of rich data; agents without it get texts, untold',
  SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING: 'catalogs are made of rich data, which has keys of any type',
  SERIALIZATION_ENDLESS_RECURSION:
    'no value of the language can hold itself, and of one of Ruby the stack overflows before',
};

function named(reason: string, codes: readonly string[]): Record<string, string> {
  return Object.fromEntries(codes.map((code) => [code, reason]));
}
