/** Builds types from parameters in code. Follows lib/puppet/pops/types/type_factory.rb. */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { parseRubyFloat } from '../ruby-core/ruby-number.ts';
import { assertInstance } from './assertion.ts';
import { CallableType } from './callable-type.ts';
import { RESOURCE, ResourceType } from './catalog-types.ts';
import { infer } from './inference.ts';
import { PType, UNDEF } from './ptype.ts';
import { StructElement, StructType, TupleType } from './record-types.ts';
import { RuntimeType } from './runtime-type.ts';
import { FloatType, IntegerType, REGEXP, RegexpType } from './scalar-types.ts';
import { UNIT } from './simple-types.ts';
import { EnumType, NON_EMPTY_STRING, PatternType, StringType } from './string-types.ts';
import { capitalizeSegments } from './text/text.ts';
import type { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { DEFAULT, type Value } from './values/values.ts';
import { NotUndefType, OptionalType, VariantType } from './wrapper-types.ts';

/** Whether a parameter can be the end of a range: an integer or `default`. */
export function isRangeParameter(value: Value | undefined): boolean {
  return typeof value === 'bigint' || value === 'default' || value === DEFAULT;
}

function toBound(value: Value | undefined): bigint | null {
  return typeof value === 'bigint' ? value : null;
}

export function createRange(from: Value | undefined, to: Value | undefined): IntegerType {
  return new IntegerType(toBound(from), toBound(to));
}

export function floatRange(from: Value | undefined, to: Value | undefined): FloatType {
  // Strings come from type expressions, whose parser has checked that they are numbers.
  const end = (value: Value | undefined) => {
    if (typeof value === 'string') return parseRubyFloat(value);
    return typeof value === 'bigint' || typeof value === 'number' ? Number(value) : null;
  };
  return new FloatType(end(from), end(to));
}

/**
 * The type that a parameter denotes: a type denotes itself, a string names a runtime class, and
 * other values denote their own type.
 */
export function typeOf(value: Value): PType {
  if (value instanceof PType) return value;
  return typeof value === 'string' ? runtimeType('ruby', value) : infer(value).generalize();
}

/** An exact String type for a string; otherwise the type that the parameter denotes. */
export function exactOrTypeOf(value: Value): PType {
  return typeof value === 'string' ? new StringType(value) : typeOf(value);
}

/** A Tuple from types, optionally followed by the minimum and maximum size. */
export function createTuple(parameters: readonly Value[]): TupleType {
  const { items, size } = splitSize(parameters);
  return new TupleType(items.map(typeOf), size);
}

function splitSize(parameters: readonly Value[]): { items: readonly Value[]; size: IntegerType | null } {
  const [from, to] = [parameters.at(-2), parameters.at(-1)];
  if (isRangeParameter(from) && isRangeParameter(to))
    return { items: parameters.slice(0, -2), size: createRange(from, to) };
  if (isRangeParameter(to)) return { items: parameters.slice(0, -1), size: createRange(to, DEFAULT) };
  return { items: parameters, size: null };
}

/**
 * A Callable from parameter types, size and block type, or from a list of those and the type of the
 * result.
 */
export function createCallable(parameters: readonly Value[]): CallableType {
  const [list, result] = parameters;
  if (parameters.length === 2 && Array.isArray(list)) return callableOf(list, typeOf(result ?? null));
  return callableOf(parameters, null);
}

function callableOf(parameters: readonly Value[], returns: PType | null): CallableType {
  const last = parameters.at(-1);
  const block = last instanceof PType && last.isKindOfCallable() ? last : null;
  const { items, size } = splitSize(block === null ? parameters : parameters.slice(0, -1));
  const types = items.map(typeOf);
  if (types.length === 0 && size !== null && size.to !== 0n) types.push(UNIT);
  return new CallableType(new TupleType(types, size), block, returns);
}

/**
 * A Struct from its value types by key. A key is a string, or an Optional, NotUndef, String or Enum
 * type with one string.
 */
export function createStruct(hash: PuppetHash): StructType {
  return new StructType([...hash.entries()].map(([key, value]) => structElement(key, typeOf(value))));
}

function structElement(key: Value, valueType: PType): StructElement {
  if (typeof key !== 'string') return new StructElement(structKey(key), valueType);
  if (key === '') throw new PuppetError(ISSUES.STRUCT_KEY_EMPTY());
  return valueType.isAssignable(UNDEF)
    ? StructElement.createOptional(key, valueType)
    : StructElement.createRequired(key, valueType);
}

function structKey(key: Value): PType {
  if (key instanceof NotUndefType) return asExact(key.type, key.type ?? key);
  if (key instanceof OptionalType) return asExact(key.type, key);
  if (key instanceof StringType) return asExact(key, key);
  if (key instanceof EnumType) {
    const [only] = key.values;
    const exact = key.values.length === 1 && only !== undefined ? new StringType(only) : null;
    return asExact(exact, exact ?? key);
  }
  const got = key instanceof PType ? `Puppet::Pops::Types::P${key.kind}Type` : rubyClass(key);
  throw new PuppetError(ISSUES.STRUCT_KEY_TYPE({ actual: got }));
}

function asExact(inner: PType | null, key: PType): PType {
  if (inner instanceof StringType && inner.value !== null) return key;
  throw new PuppetError(ISSUES.STRUCT_KEY_NOT_LITERAL({ type: String(key) }));
}

/** The name of Puppet's Ruby class of a value. */
export function rubyClass(value: Value): string {
  if (value === null) return 'NilClass';
  if (value === DEFAULT) return 'Symbol';
  if (typeof value === 'bigint') return 'Integer';
  if (typeof value === 'number') return 'Float';
  if (typeof value === 'boolean') return value ? 'TrueClass' : 'FalseClass';
  if (value instanceof PType) return `Puppet::Pops::Types::P${value.kind}Type`;
  if (value instanceof PuppetRegexp) return 'Regexp';
  return typeof value === 'string' ? 'String' : Array.isArray(value) ? 'Array' : 'Hash';
}

/** A Pattern from strings, regexps, Regexp types and Pattern types. */
export function createPattern(parameters: readonly Value[]): PatternType {
  const all = parameters.flatMap((item): readonly RegexpType[] => {
    if (typeof item === 'string') return [createRegexpType(item)];
    if (item instanceof PuppetRegexp) return [new RegexpType(item)];
    if (item instanceof RegexpType) return [item];
    if (item instanceof PatternType) return item.patterns;
    throw new PuppetError(ISSUES.PATTERN_ITEM_TYPE({ actual: rubyClass(item) }));
  });
  return new PatternType([...new Map(all.map((item) => [item.pattern, item])).values()]);
}

function createRegexpType(source: string): RegexpType {
  const type = new RegexpType(source);
  type.regexp.toNative();
  return type;
}

/**
 * A Resource type from a type name and a title. Throws PuppetError when the name is not a type
 * name.
 */
export function createResource(typeName: Value, title: Value = null): ResourceType {
  const shown = typeof title === 'string' ? title : null;
  const notATitle = shown === null ? title : null;
  if (typeName instanceof ResourceType) return new ResourceType(typeName.typeName, shown, undefined, notATitle);
  if (typeName === null && title === null) return RESOURCE;
  if (typeof typeName !== 'string') {
    throw new PuppetError(
      typeName === null
        ? ISSUES.RESOURCE_TYPE_NAME_MISSING()
        : ISSUES.RESOURCE_TYPE_NAME_NO_STRING({ actual: rubyClass(typeName) }),
    );
  }
  const name = capitalizeSegments(typeName);
  if (!/^(?:(?:::)?[A-Z]\w*)+$/.test(name)) throw new PuppetError(ISSUES.ILLEGAL_TYPE_NAME({ name }));
  return new ResourceType(name, shown, undefined, notATitle);
}

const RUNTIME_NAME = new VariantType([NON_EMPTY_STRING, new TupleType([REGEXP, NON_EMPTY_STRING])]);

/**
 * A Runtime type. `nameOrPattern` is a class name, or a regexp with its replacement. Throws
 * PuppetError for other values.
 */
export function runtimeType(runtime: Value, nameOrPattern: Value): RuntimeType {
  if (runtime !== null && runtime !== DEFAULT && runtime !== '')
    assertInstance("Runtime 'runtime'", NON_EMPTY_STRING, runtime);
  if (nameOrPattern !== null) assertInstance("Runtime 'name_or_pattern'", RUNTIME_NAME, nameOrPattern);
  const name = runtime === DEFAULT ? 'default' : runtime;
  const [pattern, replacement]: readonly Value[] = Array.isArray(nameOrPattern) ? nameOrPattern : [];
  const isPattern = pattern instanceof PuppetRegexp && typeof replacement === 'string';
  return new RuntimeType(
    typeof name === 'string' ? name : null,
    isPattern
      ? [new RegexpType(pattern.source), replacement]
      : typeof nameOrPattern === 'string'
        ? nameOrPattern
        : null,
  );
}
