/** Infers the type of a value. Follows lib/puppet/pops/types/type_calculator.rb. */

import { ArrayType, EMPTY_ARRAY, EMPTY_HASH, HashType, sizeOf } from './collection-types.ts';
import { commonType } from './common-type.ts';
import { PType, UNDEF } from './ptype.ts';
import { StructElement, StructType, TupleType } from './record-types.ts';
import { RuntimeType } from './runtime-type.ts';
import { FALSE_TYPE, FloatType, IntegerType, RegexpType, TRUE_TYPE } from './scalar-types.ts';
import { BINARY_TYPE, DEFAULT_TYPE } from './simple-types.ts';
import { StringType } from './string-types.ts';
import { SEM_VER, SEM_VER_RANGE, SemVerType, TimespanType, TimestampType } from './time/time-types.ts';
import { Timespan } from './time/timespan.ts';
import { Timestamp } from './time/timestamp.ts';
import { Uri } from './uri/uri.ts';
import { URIType } from './uri/uri-type.ts';
import { Binary } from './values/binary.ts';
import { BytesText } from './values/bytes-text.ts';
import { PuppetHash } from './values/puppet-hash.ts';
import { PuppetRegexp } from './values/regexp.ts';
import { isArray } from './values/value-kinds.ts';
import { DEFAULT, type RichValue, Sensitive, type Value } from './values/values.ts';
import { SemVer } from './versions/sem-ver.ts';
import { SemVerRange } from './versions/sem-ver-range.ts';
import { SensitiveType, TypeType, variantOf } from './wrapper-types.ts';

export { commonType };

/** Infers the type of a value. Elements of collections are reduced to their common type. */
export function infer(value: Value): PType {
  switch (typeof value) {
    case 'string':
      return new StringType(value);
    case 'bigint':
      return new IntegerType(value, value);
    case 'number':
      return new FloatType(value, value);
    case 'boolean':
      return value ? TRUE_TYPE : FALSE_TYPE;
  }
  if (value === null) return UNDEF;
  if (isArray(value)) return inferArray(value);
  if (value instanceof PuppetHash) return inferHash(value);
  return inferRich(value);
}

function inferArray(items: readonly Value[]): PType {
  return items.length === 0 ? EMPTY_ARRAY : new ArrayType(commonTypeOf(items), sizeOf(items.length));
}

function inferHash(hash: PuppetHash): PType {
  if (hash.size === 0) return EMPTY_HASH;
  return new HashType(commonTypeOf(hash.keys()), commonTypeOf(hash.values()), sizeOf(hash.size));
}

function commonTypeOf(values: Iterable<Value>): PType | null {
  let common: PType | null = null;
  for (const value of values) common = commonType(common, infer(value));
  return common;
}

function inferRich(value: RichValue): PType {
  if (value instanceof PType) return new TypeType(value);
  if (value === DEFAULT) return DEFAULT_TYPE;
  if (value instanceof PuppetRegexp) return new RegexpType(value);
  if (value instanceof Sensitive) return new SensitiveType(infer(value.unwrap()));
  if (value instanceof Timespan) return new TimespanType(value, value);
  if (value instanceof Timestamp) return new TimestampType(value, value);
  if (value instanceof SemVer) return SEM_VER;
  if (value instanceof SemVerRange) return SEM_VER_RANGE;
  if (value instanceof Binary) return BINARY_TYPE;
  if (value instanceof BytesText) return infer(value.isBroken ? value.text : String(value));
  if (value instanceof Uri) return uriType(value);
  // Objects, iterators and callables know their type.
  if ('type' in value && value.type instanceof PType) return value.type;
  return new RuntimeType('ruby', value.constructor.name);
}

/** Infers the detailed type of a value: arrays as Tuples, hashes with string keys as Structs. */
export function inferSet(value: Value): PType {
  if (isArray(value)) return value.length === 0 ? EMPTY_ARRAY : new TupleType(value.map(inferSet));
  if (value instanceof PuppetHash) return inferHashSet(value);
  if (value instanceof SemVer) return new SemVerType([SemVerRange.createBetween(value, value)]);
  return infer(value);
}

function inferHashSet(hash: PuppetHash): PType {
  if (hash.size === 0) return EMPTY_HASH;
  const elements: StructElement[] = [];
  for (const [key, value] of hash.entries()) {
    if (typeof key !== 'string' || key === '') return inferMixedHash(hash);
    elements.push(StructElement.createRequired(key, inferSet(value)));
  }
  return new StructType(elements);
}

function inferMixedHash(hash: PuppetHash): PType {
  const keys = variantOf([...hash.keys()].map(inferSet));
  const values = variantOf([...hash.values()].map(inferSet));
  return new HashType(keys, values, sizeOf(hash.size));
}

function uriType(uri: Uri): PType {
  const parameters = uri.toParameters();
  return new URIType(parameters.size === 0 ? null : parameters);
}
