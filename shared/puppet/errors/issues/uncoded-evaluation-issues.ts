/** Texts that Puppet's evaluator and scopes raise without an issue code. */
import { addLabelArticle, withCapitalArticle } from './articles.ts';
import { defineIssues, fault } from './issue.ts';

export const UNCODED_EVALUATION_ISSUES = defineIssues({
  EVALUATION_ERROR: fault(({ detail }: { detail: string }) => `Evaluation Error: ${detail}`),
  NUMERIC_VARIABLE_NOT_ASSIGNABLE: fault(
    ({ name }: { name: string }) => `Cannot assign to a numeric match result variable '$${name}'`,
  ),
  RESERVED_VARIABLE_NAME: fault(
    ({ name }: { name: string }) => `Attempt to assign to a reserved variable name: '${name}'`,
  ),
  VARIABLE_ALREADY_ASSIGNED: fault(({ name }: { name: string }) => `Cannot reassign variable '$${name}'`),
  FUNCTION_UNKNOWN: fault(({ name }: { name: string }) => `Unknown function '${name}'`),
  METHOD_NOT_IMPLEMENTED: fault(({ member }: { member: string }) => `no method is implemented for ${member}`),
  BINARY_APPEND_NOT_BINARY: fault(() => 'Can only append Binary to a Binary'),
  URI_MERGE_NOT_URI: fault(() => 'An URI can only be merged with an URI or String'),
  HASH_APPEND_NOT_COLLECTION: fault(() => 'Can only append Array or Hash to a Hash'),
  ILLEGAL_JUMP: fault(({ name }: { name: string }) => `${name}() from context where this is illegal`),
  APPLY_EXECUTOR_MISSING: fault(() => "Unable to lookup 'apply_executor'"),
  LEGACY_FUNCTION_ARITY: fault(
    ({ name, given, arity }: { name: string; given: number; arity: number }) =>
      `${name}(): Wrong number of arguments given (${given} for ${arity})`,
  ),
  LEGACY_FUNCTION_MINIMUM_ARITY: fault(
    ({ name, given, minimum }: { name: string; given: number; minimum: number }) =>
      `${name}(): Wrong number of arguments given (${given} for minimum ${minimum})`,
  ),
  ITERATOR_NOT_SUPPORTED_HERE: fault(() => 'Use of an Iterator is not supported here'),
  TYPE_NOT_SPLITTABLE: fault(
    ({ type }: { type: string }) =>
      `Cannot split the type ${type}, it represents neither a PClassType, nor a PResourceType.`,
  ),
  INVALID_RESOURCE_REFERENCE: fault(
    ({ reference }: { reference: string }) => `No title provided and ${reference} is not a valid resource reference`,
  ),
  COLLECTED_TYPE_NO_NAME: fault(() => 'LHS is not a type'),
  NUMERIC_VARIABLES_FIXED: fault(
    ({ name }: { name: string }) => `Numerical variables cannot be changed. Attempt to set $${name}`,
  ),
  ASSIGNMENT_IN_PARAMETERS: fault(
    ({ name }: { name: string }) => `Attempt to assign variable ${name} when evaluating parameters`,
  ),
  PARAMETER_VALUE_EXPECTED: fault(
    ({ callee, name }: { callee: string; name: string }) => `${callee}: expects a value for parameter $${name}`,
  ),
  PARAMETER_NOT_YET_EVALUATED: fault(
    ({ callee, from, to }: { callee: string; from: string; to: string }) =>
      `${callee}: default expression for $${from} tries to illegally access not yet evaluated $${to}`,
  ),
  PARAMETER_TYPE_NO_TYPE: fault(() => 'The type of a parameter must be a type'),
  TITLE_PATTERNS_UNMATCHED: fault(
    ({ title }: { title: string }) => `No set of title patterns matched the title "${title}".`,
  ),
  UNDEFINED_VARIABLE: fault(
    ({ name, reason }: { name: string; reason: string }) => `Undefined variable '${name}'; ${reason}`,
  ),
  NO_ADDITION_TO_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be added to a Timespan`,
  ),
  NO_SUBTRACTION_FROM_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be subtracted from a Timespan`,
  ),
  // Puppet: the message says Timestamp.
  NO_MULTIPLICATION_OF_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `A Timestamp cannot be multiplied by ${addLabelArticle(operand)}`,
  ),
  NO_DIVISION_OF_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `A Timespan cannot be divided by ${addLabelArticle(operand)}`,
  ),
  // Puppet: the text has two articles.
  NO_MODULUS_OF_TIMESPAN: fault(
    ({ operand }: { operand: string }) => `Can not do modulus on a Timespan using a ${addLabelArticle(operand)}`,
  ),
  NO_ADDITION_TO_TIMESTAMP: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be added to a Timestamp`,
  ),
  NO_SUBTRACTION_FROM_TIMESTAMP: fault(
    ({ operand }: { operand: string }) => `${withCapitalArticle(operand)} cannot be subtracted from a Timestamp`,
  ),
});
