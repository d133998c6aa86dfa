/** Checks type parameters as Puppet's type parser does, before the type is made. */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { parseRubyFloat, rubyFloat } from '../ruby-core/ruby-number.ts';
import { PType } from './ptype.ts';
import { rubyClassName } from './ruby-class.ts';
import { IntegerType } from './scalar-types.ts';
import { inspectText } from './text/text.ts';
import { isRangeParameter } from './type-factory.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { isNumber } from './values/value-kinds.ts';
import { DEFAULT, type Value } from './values/values.ts';

type Invalid = () => PuppetError;
type Check = (parameters: readonly Value[], invalid: Invalid) => void;

/**
 * Throws PuppetError when a built-in type (name in lower case) does not permit these parameters.
 */
export function checkParameters(name: string, parameters: readonly Value[], invalid: Invalid): void {
  CHECKS[name]?.(parameters, invalid);
}

function wrongCount(type: string, required: string | number, given: number): PuppetError {
  return new PuppetError(ISSUES.TYPE_PARAMETER_COUNT({ type, required, given }));
}

function assertCount(type: string, required: string | number, count: number, minimum: number, maximum: number): void {
  if (count < minimum || count > maximum) throw wrongCount(type, required, count);
}

function assertTypes(values: readonly (Value | undefined)[], invalid: Invalid): void {
  if (values.some((value) => !(value instanceof PType))) throw invalid();
}

function assertRange(values: readonly (Value | undefined)[], invalid: Invalid): void {
  if (values.some((value) => !isRangeParameter(value))) throw invalid();
}

/**
 * Whether an Integer or Float type (name in lower case) has a single bound that is not a number.
 */
export function isNoNumber(name: string, parameters: readonly Value[]): boolean {
  const [bound = null] = parameters;
  if ((name !== 'integer' && name !== 'float') || parameters.length !== 1 || bound === DEFAULT) return false;
  return typeof bound !== 'bigint' && !(name === 'float' && typeof bound === 'number');
}

/**
 * Checks the bounds of a number type. A single bound is not checked. Of two, Ruby rejects bounds
 * that it cannot compare (integers) or convert (floats).
 */
function checkNumbers(type: 'Integer' | 'Float', parameters: readonly Value[]): void {
  assertCount(type, '1 or 2', parameters.length, 1, 2);
  if (parameters.length === 1) return;
  const [from = null, to = null] = parameters;
  if (type === 'Integer')
    assertOrder(orInfinite(from, Number.NEGATIVE_INFINITY), orInfinite(to, Number.POSITIVE_INFINITY));
  else for (const end of parameters) if (end !== DEFAULT && !isNumber(end)) assertFloat(end);
}

function orInfinite(end: Value, infinite: number): Value {
  return end === null || end === DEFAULT ? infinite : end;
}

/**
 * Throws when the bounds are in the wrong order, or when Ruby's `from > to` cannot compare them.
 */
function assertOrder(from: Value, to: Value): void {
  if (from instanceof PuppetHash && !(to instanceof PuppetHash)) {
    // Ruby: TypeError
    throw new PuppetError(`no implicit conversion of ${rubyKindName(to)} into Hash`);
  }
  const isText = typeof from === 'string';
  if (!isText && !isNumber(from)) return;
  if (isText ? typeof to !== 'string' : !isNumber(to)) {
    const other = isText && isNumber(to) ? rubyNumber(to) : rubyKindName(to);
    // Ruby: Comparable
    throw new PuppetError(`comparison of ${rubyKindName(from)} with ${other} failed`);
  }
  if (isText ? from > String(to) : isNumber(to) && from > to) {
    const [first, second] = [from, to].map((end) => (isNumber(end) ? rubyNumber(end) : String(end)));
    throw new PuppetError(ISSUES.RANGE_REVERSED({ from: String(first), to: String(second) }));
  }
}

function rubyNumber(value: bigint | number): string {
  return typeof value === 'bigint' ? String(value) : rubyFloat(value);
}

function assertFloat(value: Value): void {
  if (value === null) return;
  // Ruby: Float()
  if (typeof value !== 'string') throw new PuppetError(`can't convert ${rubyKindName(value)} into Float`);
  // Ruby: Float()
  if (parseRubyFloat(value) === null) throw new PuppetError(`invalid value for Float(): ${inspectText(value)}`);
}

function rubyKindName(value: Value): string {
  return typeof value === 'boolean' ? String(value) : rubyClassName(value);
}

function checkArray(parameters: readonly Value[], invalid: Invalid): void {
  assertCount('Array', '1 to 3', parameters.length, 1, 3);
  const [first, second] = parameters;
  if (parameters.length === 2 && !(first instanceof PType)) {
    assertRange(parameters, invalid);
    return;
  }
  assertTypes([first], invalid);
  if (parameters.length === 2 && second instanceof IntegerType) return;
  assertRange(parameters.slice(1), invalid);
}

function checkHash(parameters: readonly Value[], invalid: Invalid): void {
  assertCount('Hash', '2 to 4', parameters.length, 2, 4);
  const [key, value, size] = parameters;
  if (parameters.length === 2) {
    if (!(key instanceof PType && value instanceof PType)) assertRange(parameters, invalid);
    return;
  }
  if (!(parameters.length === 3 && size instanceof IntegerType)) assertRange(parameters.slice(2), invalid);
  assertTypes([key, value], invalid);
}

function checkSize(name: string): Check {
  return (parameters, invalid) => {
    assertCount(name, '1 to 2', parameters.length, 1, 2);
    if (parameters.length === 1 && parameters[0] instanceof IntegerType) return;
    assertRange(parameters, invalid);
  };
}

function exactlyOneType(name: string): Check {
  return (parameters, invalid) => {
    assertCount(name, 1, parameters.length, 1, 1);
    assertTypes(parameters, invalid);
  };
}

function assertAtLeastOne(name: string): Check {
  return (parameters) => assertCount(name, '1 or more', parameters.length, 1, Number.POSITIVE_INFINITY);
}

function checkEnum(parameters: readonly Value[]): void {
  const values = typeof parameters.at(-1) === 'boolean' ? parameters.slice(0, -1) : parameters;
  assertCount('Enum', '1 or more', values.length, 1, Number.POSITIVE_INFINITY);
  if (values.some((value) => typeof value !== 'string')) {
    throw new PuppetError(ISSUES.ENUM_PARAMETERS_NO_STRINGS());
  }
}

function exactOrType(name: string, required: string | number, minimum: number): Check {
  return (parameters, invalid) => {
    assertCount(name, required, parameters.length, minimum, 1);
    if (parameters.some((value) => typeof value !== 'string' && !(value instanceof PType))) throw invalid();
  };
}

const CHECKS: Readonly<Record<string, Check>> = {
  array: checkArray,
  hash: checkHash,
  collection: checkSize('Collection'),
  string: checkSize('String'),
  class: (parameters) => assertCount('Class', 1, parameters.length, 1, 1),
  regexp: (parameters) => assertCount('Regexp', '1', parameters.length, 1, 1),
  enum: checkEnum,
  pattern: assertAtLeastOne('Pattern'),
  uri: (parameters) => assertCount('URI', '1', parameters.length, 1, 1),
  variant: (parameters, invalid) => {
    assertAtLeastOne('Variant')(parameters, invalid);
    assertTypes(parameters, invalid);
  },
  tuple: (parameters, invalid) => {
    assertAtLeastOne('Tuple')(parameters, invalid);
    if (isRangeParameter(parameters.at(-2))) assertRange(parameters.slice(-1), invalid);
  },
  callable: (parameters) => {
    if (parameters.length > 2 && Array.isArray(parameters[0])) {
      throw wrongCount('callable', '2 when first parameter is an array', parameters.length);
    }
  },
  struct: (parameters, invalid) => {
    assertCount('Struct', '1', parameters.length, 1, 1);
    if (!(parameters[0] instanceof PuppetHash)) throw invalid();
  },
  boolean: (parameters) => {
    assertCount('Boolean', '1', parameters.length, 1, 1);
    if (typeof parameters[0] !== 'boolean') throw new PuppetError(ISSUES.BOOLEAN_PARAMETER());
  },
  integer: (parameters) => checkNumbers('Integer', parameters),
  float: (parameters) => checkNumbers('Float', parameters),
  object: (parameters) => assertCount('Object', 1, parameters.length, 1, 1),
  typeset: (parameters) => assertCount('Object', 1, parameters.length, 1, 1),
  init: (parameters, invalid) => assertTypes([parameters[0]], invalid),
  iterable: exactlyOneType('Iterable'),
  iterator: exactlyOneType('Iterator'),
  type: exactlyOneType('Type'),
  sensitive: (parameters, invalid) => {
    assertCount('Sensitive', '0 to 1', parameters.length, 0, 1);
    assertTypes(parameters, invalid);
  },
  optional: exactOrType('Optional', 1, 1),
  notundef: exactOrType('NotUndef', '0 to 1', 0),
  runtime: (parameters) => assertCount('Runtime', '2', parameters.length, 2, 2),
  timespan: (parameters) => assertCount('Timespan', '0 to 2', parameters.length, 0, 2),
  timestamp: (parameters) => assertCount('Timestamp', '0 to 2', parameters.length, 0, 2),
  semver: assertAtLeastOne('SemVer'),
};
