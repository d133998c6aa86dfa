import { describe, expect, it } from 'vitest';
import { evaluateSource, failureOf } from '../../../../helpers/evaluation.ts';

describe('types with parameters', () => {
  it.each([
    ['Integer[1][2]', 'Integer[2]'],
    ['Array[1, 2]', 'Array[Any, 1, 2]'],
    ['Array[String, 1]', 'Array[String, 1]'],
    ['Hash[1, 2]', 'Hash[Any, Any, 1, 2]'],
    ['Enum[[a, b], true]', "Enum['a', 'b', true]"],
    ['Tuple[Integer, String, 1, 5]', 'Tuple[Integer, String, 1, 5]'],
    ['Callable[[Integer], String]', 'Callable[[Integer], String]'],
    ["Optional['a']", "Optional['a']"],
    ["Resource[File, 'a']", "File['a']"],
    ["Resource['file']", 'File'],
    ['Resource[File]', 'File'],
    ["Class['::A::B']", 'Class[a::b]'],
  ])('%s is %s', (source, expected) => {
    expect(String(evaluateSource(source))).toBe(expected);
  });

  it.each([
    ['Enum[1]', 'Error creating type specialization of an Enum-Type, Cannot use Integer where String is expected', 6],
    ['Optional[1]', 'Optional-Type[] arguments must be types. Got Integer', 10],
    ['NotUndef[1]', 'NotUndef-Type[] argument must be a Type or a String. Got Integer', 10],
    ['Tuple[1]', 'A Tuple-Type[] accepts 1 or more arguments. Got 0', 1],
    [
      'Boolean[1]',
      'Error creating type specialization of a Boolean-Type, Cannot use Integer where TrueClass or FalseClass is expected',
      9,
    ],
    ["Regexp['a', 'b']", 'A Regexp-Type[] accepts 1 argument. Got 2', 13],
    ['Timestamp[1, 2, 3]', 'A Timestamp-Type[] accepts 0 to 2 arguments. Got 3', 1],
    ['Runtime[1]', 'A Runtime-Type[] accepts 1 to 2 arguments. Got 1', 1],
    ['Hash[Integer]', 'Hash-Type[] accepts 2 to 4 arguments. Got 1', 1],
    [
      'Array[Integer, a]',
      "A Type's size constraint arguments must be a single Integer type, or 1-2 integers (or default). Got a String",
      16,
    ],
    ['String[1, 2, 3]', 'String supports [] with one or two arguments. Got 3', 1],
    ['Integer[2, 1]', "Error while evaluating a '[]' expression, 'from' must be less or equal to 'to'. Got (2, 1", 1],
    ['Any[1]', "Operator '[]' is not applicable to an Any-Type.", 1],
    ['Resource[1]', 'First argument to Resource[] must be a resource type or a String. Got Integer.', 10],
    ["Resource['fi-le']", "Illegal type reference. The given name 'Fi-le' does not conform to the naming rule", 10],
    [
      'File[1]',
      'Error creating type specialization of a File-Type, Cannot use Integer where a resource title String is expected',
      6,
    ],
    ['Class[1]', 'Illegal Class name in class reference. An Integer cannot be used where a String is expected', 7],
    ["'abc'[1.0]", 'A substring operation does not accept a Float as a character index. Expected an Integer', 7],
    ['[1][1.0]', 'An Array[] cannot use Float where Integer is expected', 5],
    ['undef[1]', "Operator '[]' is not applicable to an Undef Value.", 1],
  ])('%s: %s', (source, message, column) => {
    expect(failureOf(source)).toBe(`Evaluation Error: ${message} (file: site.pp, line: 1, column: ${column})`);
  });
});
