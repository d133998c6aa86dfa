/** The unparameterized type of each kind. */
import { CALLABLE } from './callable-type.ts';
import { CATALOG_ENTRY, CLASS, RESOURCE } from './catalog-types.ts';
import { ARRAY, COLLECTION, HASH } from './collection-types.ts';
import { ITERABLE, ITERATOR } from './iterable-types.ts';
import { OBJECT } from './objects/object-type.ts';
import { TYPE_SET } from './objects/type-set-type.ts';
import { type PType, UNDEF } from './ptype.ts';
import { STRUCT, TUPLE } from './record-types.ts';
import { TYPE_ALIAS, TYPE_REFERENCE } from './reference-types.ts';
import { RUNTIME } from './runtime-type.ts';
import { BOOLEAN, FLOAT, INTEGER, NUMERIC, REGEXP, SCALAR_DATA_TYPE, SCALAR_TYPE } from './scalar-types.ts';
import { ANY, BINARY_TYPE, DEFAULT_TYPE, UNIT } from './simple-types.ts';
import { ENUM, PATTERN, STRING } from './string-types.ts';
import { SEM_VER, SEM_VER_RANGE, TIMESPAN, TIMESTAMP } from './time/time-types.ts';
import { URI } from './uri/uri-type.ts';
import { NOT_UNDEF, OPTIONAL, SENSITIVE, TYPE, VARIANT } from './wrapper-types.ts';

const DEFAULTS: ReadonlyMap<string, PType> = new Map(
  [
    ANY,
    ARRAY,
    BINARY_TYPE,
    BOOLEAN,
    CALLABLE,
    CATALOG_ENTRY,
    CLASS,
    COLLECTION,
    DEFAULT_TYPE,
    ENUM,
    FLOAT,
    HASH,
    INTEGER,
    ITERABLE,
    ITERATOR,
    NOT_UNDEF,
    NUMERIC,
    OBJECT,
    OPTIONAL,
    PATTERN,
    REGEXP,
    RESOURCE,
    RUNTIME,
    SCALAR_TYPE,
    SCALAR_DATA_TYPE,
    SEM_VER,
    SEM_VER_RANGE,
    SENSITIVE,
    STRING,
    STRUCT,
    TIMESPAN,
    TIMESTAMP,
    TUPLE,
    TYPE,
    TYPE_ALIAS,
    TYPE_REFERENCE,
    TYPE_SET,
    UNDEF,
    UNIT,
    URI,
    VARIANT,
  ].map((type) => [type.kind, type]),
);

export function defaultOfKind(type: PType): PType {
  return DEFAULTS.get(type.kind) ?? type;
}

export const UNPARAMETERIZED_TYPES: readonly PType[] = [...DEFAULTS.values()];
