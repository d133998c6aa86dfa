/** Makes a type with parameters, as the access operator does: `Integer[1, 2]`. */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { assertInstance } from './assertion.ts';
import { ClassType } from './catalog-types.ts';
import { ArrayType, CollectionType, HashType } from './collection-types.ts';
import { InitType } from './init-type.ts';
import { IterableType, IteratorType } from './iterable-types.ts';
import { anonymousObject } from './objects/object-definition.ts';
import { ObjectExtensionType } from './objects/object-extension.ts';
import { URI_TEXT } from './objects/object-shapes.ts';
import { ObjectType } from './objects/object-type.ts';
import { anonymousTypeSet } from './objects/type-set-definition.ts';
import { PType } from './ptype.ts';
import { TypeReferenceType } from './reference-types.ts';
import { rubyClassName } from './ruby-class.ts';
import { BooleanType, IntegerType, RegexpType } from './scalar-types.ts';
import { EnumType, StringType } from './string-types.ts';
import { formatsOf, timespanOfHash } from './time/time-arguments.ts';
import { SemVerType, TimespanType, TimestampType } from './time/time-types.ts';
import { Timespan } from './time/timespan.ts';
import { Timestamp } from './time/timestamp.ts';
import {
  createCallable,
  createPattern,
  createRange,
  createResource,
  createStruct,
  createTuple,
  exactOrTypeOf,
  floatRange,
  runtimeType,
  typeOf,
} from './type-factory.ts';
import { Uri } from './uri/uri.ts';
import { URI_PARAMETER } from './uri/uri-pattern.ts';
import { URIType } from './uri/uri-type.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { DEFAULT, type Value } from './values/values.ts';
import { SemVerRange } from './versions/sem-ver-range.ts';
import { NotUndefType, OptionalType, SensitiveType, TypeType, variantOf } from './wrapper-types.ts';

/**
 * The type `name[...args]`. `name` is the simple name of a built-in type (`Integer`),
 * case-insensitive. The caller has checked the number of arguments. Throws PuppetError when the
 * arguments are invalid. `shown` is the name as the source has it.
 */
export function parameterize(name: string, args: readonly Value[], shown = name): PType {
  const build = BUILDERS[name.toLowerCase()];
  if (build === undefined) throw new PuppetError(ISSUES.NOT_PARAMETERIZED_TYPE({ name: shown }));
  return build(args);
}

/** The type `base[...args]`, for a type that was looked up by name. */
export function parameterizeType(base: PType, args: readonly Value[]): PType {
  if (base instanceof ObjectType && base.declaredName !== null) return new ObjectExtensionType(base, args);
  return parameterize(base.kind, args);
}

function sizeFrom(args: readonly Value[]): IntegerType | null {
  const [first, second] = args;
  if (first === undefined) return null;
  return first instanceof IntegerType ? first : createRange(first, second);
}

function parameterizeArray(args: readonly Value[]): PType {
  const [first, ...rest] = args;
  return first instanceof PType ? new ArrayType(first, sizeFrom(rest)) : new ArrayType(null, sizeFrom(args));
}

function parameterizeHash(args: readonly Value[]): PType {
  const [key, value, ...size] = args;
  if (key instanceof PType && value instanceof PType) return new HashType(key, value, sizeFrom(size));
  return new HashType(null, null, sizeFrom(args));
}

function parameterizeEnum(args: readonly Value[]): PType {
  const last = args.at(-1);
  const values = typeof last === 'boolean' ? args.slice(0, -1) : args;
  return new EnumType(values.map(String), last === true);
}

function parameterizeRegexp([source = null]: readonly Value[]): PType {
  if (source === null || typeof source === 'string' || source instanceof PuppetRegexp) return new RegexpType(source);
  const kind = typeof source === 'boolean' ? source : rubyClassName(source);
  return new RegexpType(String(source), `no implicit conversion of ${kind} into String`);
}

function semVer(args: readonly Value[]): PType {
  return new SemVerType(args.map((item) => (item instanceof SemVerRange ? item : SemVerRange.parse(String(item)))));
}

function parameterizeUri([parameters = null]: readonly Value[]): PType {
  if (typeof parameters === 'string') {
    assertInstance('URI-Type parameter', URI_TEXT, parameters);
    return new URIType(Uri.parse(parameters).toParameters());
  }
  if (parameters instanceof Uri) return new URIType(parameters.toParameters());
  // Puppet: a parameter that describes no URI gives the type of all URIs (PURIType#initialize).
  if (!(parameters instanceof PuppetHash)) return new URIType();
  const hashValue = assertInstance('URI-Type parameter', URI_PARAMETER, parameters);
  return new URIType(hashValue instanceof PuppetHash && hashValue.size > 0 ? hashValue : null);
}

// Puppet: nanoseconds given as a Float stay a Float and print with all digits.
class UnroundedTimespan extends Timespan {
  override toString(): string {
    return this.format('%D-%H:%M:%S.%N');
  }
}

/** One end of a time range: a time value, a string, seconds, or a hash of fields. */
function timespanEnd(value: Value | undefined): Timespan | null {
  if (value === undefined || value === null || value === DEFAULT) return null;
  if (value instanceof Timespan) return value;
  if (typeof value === 'string') return Timespan.parse(value);
  if (typeof value === 'bigint') return Timespan.fromSeconds(value);
  if (typeof value === 'number') return new UnroundedTimespan(Timespan.fromSeconds(value).nsecs);
  if (value instanceof PuppetHash) return timespanOfHash(value);
  throw new PuppetError(ISSUES.TIMESPAN_NOT_CREATABLE({ actual: rubyClassName(value) }));
}

function timestampEnd(value: Value | undefined): Timestamp | null {
  if (value === undefined || value === null || value === DEFAULT) return null;
  if (value instanceof Timestamp) return value;
  if (typeof value === 'string') return Timestamp.parse(value);
  if (typeof value === 'bigint' || typeof value === 'number') return Timestamp.fromSeconds(value);
  if (value instanceof PuppetHash) {
    const zone = value.get('timezone');
    const text = value.get('string');
    // Ruby: TypeError
    if (typeof text !== 'string') throw new PuppetError('no implicit conversion of nil into String');
    return Timestamp.parse(text, formatsOf(value.get('format')), typeof zone === 'string' ? zone : null);
  }
  throw new PuppetError(ISSUES.TIMESTAMP_NOT_CREATABLE({ actual: rubyClassName(value) }));
}

function typeArgument(value: Value | undefined): PType | null {
  return value instanceof PType ? value : null;
}

const BUILDERS: Readonly<Record<string, (args: readonly Value[]) => PType>> = {
  array: parameterizeArray,
  boolean: ([value]) => new BooleanType(typeof value === 'boolean' ? value : null),
  callable: createCallable,
  class: ([name]) => new ClassType(typeof name === 'string' ? name.replace(/^::/, '') : null),
  collection: (args) => new CollectionType(sizeFrom(args)),
  enum: parameterizeEnum,
  float: ([from, to]) => floatRange(from, to),
  hash: parameterizeHash,
  init: ([type, ...args]) => new InitType(typeArgument(type), args),
  integer: ([from, to]) => createRange(from, to),
  iterable: ([type]) => new IterableType(typeArgument(type)),
  iterator: ([type]) => new IteratorType(typeArgument(type)),
  notundef: ([type]) => new NotUndefType(type === undefined ? null : exactOrTypeOf(type)),
  object: ([definition = null]) => anonymousObject(definition),
  optional: ([type]) => new OptionalType(type === undefined ? null : exactOrTypeOf(type)),
  pattern: createPattern,
  regexp: parameterizeRegexp,
  resource: ([name = null, title = null]) => createResource(name, title),
  runtime: ([name = null, classOrPattern = null]) => runtimeType(name, classOrPattern),
  semver: semVer,
  sensitive: ([type]) => new SensitiveType(typeArgument(type)),
  string: (args) => new StringType(sizeFrom(args)),
  struct: ([members]) => createStruct(members instanceof PuppetHash ? members : new PuppetHash()),
  timespan: ([from, to]) => new TimespanType(timespanEnd(from), timespanEnd(to)),
  timestamp: ([from, to]) => new TimestampType(timestampEnd(from), timestampEnd(to)),
  tuple: createTuple,
  type: ([type]) => new TypeType(typeArgument(type)),
  typereference: ([text]) => new TypeReferenceType(typeof text === 'string' ? text : undefined),
  typeset: ([definition = null]) => anonymousTypeSet(definition),
  uri: parameterizeUri,
  variant: (args) => variantOf(args.map(typeOf)),
};
