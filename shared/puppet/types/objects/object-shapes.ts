/**
 * The types of the hashes that define Object types and TypeSets. Follows p_object_type.rb and
 * p_type_set_type.rb of Puppet.
 */
import { CALLABLE } from '../callable-type.ts';
import { ArrayType, HashType } from '../collection-types.ts';
import type { PType } from '../ptype.ts';
import { StructElement, StructType } from '../record-types.ts';
import { BOOLEAN, NOT_EMPTY, RegexpType } from '../scalar-types.ts';
import { ANY } from '../simple-types.ts';
import { EnumType, NON_EMPTY_STRING, PatternType, StringType } from '../string-types.ts';
import { SEM_VER, SEM_VER_RANGE } from '../time/time-types.ts';
import { URI_PATTERN } from '../uri/uri-pattern.ts';
import { NOT_UNDEF, OptionalType, TYPE, TypeType, VariantType } from '../wrapper-types.ts';
import { NO_MEMBERS, ObjectType } from './object-type.ts';

const pattern = (source: string) => new PatternType([new RegexpType(source)]);
const optional = StructElement.createOptional;
const required = StructElement.createRequired;

export const QUALIFIED_REFERENCE: PType = pattern('\\A[A-Z]\\w*(?:::[A-Z]\\w*)*\\z');
export const MEMBER_NAME: PType = pattern('\\A[a-z_]\\w*\\z');
export const SIMPLE_TYPE_NAME: PType = pattern('\\A[A-Z]\\w*\\z');
export const URI_TEXT: PType = pattern(URI_PATTERN);

/** The parent type of all annotations. */
export const ANNOTATION = new ObjectType('Annotation', () => NO_MEMBERS);

const ANNOTATIONS: PType = new OptionalType(new HashType(new TypeType(ANNOTATION), new HashType(MEMBER_NAME, ANY)));

export const ATTRIBUTE_SHAPE: PType = new StructType([
  required('type', TYPE),
  optional('final', BOOLEAN),
  optional('override', BOOLEAN),
  optional('kind', new EnumType(['constant', 'derived', 'given_or_derived', 'reference'])),
  optional('value', ANY),
  optional('annotations', ANNOTATIONS),
]);

export const FUNCTION_TYPE: PType = new TypeType(CALLABLE);

export const FUNCTION_SHAPE: PType = new StructType([
  required('type', FUNCTION_TYPE),
  optional('final', BOOLEAN),
  optional('override', BOOLEAN),
  optional('annotations', ANNOTATIONS),
]);

const MEMBERS: PType = new HashType(MEMBER_NAME, NOT_UNDEF);

export const OBJECT_SHAPE: PType = new StructType([
  optional('name', QUALIFIED_REFERENCE),
  optional('parent', TYPE),
  optional('type_parameters', MEMBERS),
  optional('attributes', MEMBERS),
  optional('constants', new HashType(MEMBER_NAME, ANY)),
  optional('functions', new HashType(new VariantType([MEMBER_NAME, new StringType('[]')]), NOT_UNDEF)),
  optional('equality', new VariantType([MEMBER_NAME, new ArrayType(MEMBER_NAME)])),
  optional('equality_include_type', BOOLEAN),
  optional('checks', ANY),
  optional('annotations', ANNOTATIONS),
]);

const TEXT_OR_VERSION: PType = new VariantType([NON_EMPTY_STRING, SEM_VER]);

const REFERENCE_SHAPE: PType = new StructType([
  required('name', QUALIFIED_REFERENCE),
  required('version_range', new VariantType([NON_EMPTY_STRING, SEM_VER_RANGE])),
  optional('name_authority', URI_TEXT),
  optional('annotations', ANNOTATIONS),
]);

export const TYPE_SET_SHAPE: PType = new StructType([
  optional('pcore_uri', URI_TEXT),
  required('pcore_version', TEXT_OR_VERSION),
  optional('name_authority', URI_TEXT),
  optional('name', QUALIFIED_REFERENCE),
  optional('version', TEXT_OR_VERSION),
  optional('types', new HashType(SIMPLE_TYPE_NAME, new VariantType([TYPE, OBJECT_SHAPE]), NOT_EMPTY)),
  optional('references', new HashType(SIMPLE_TYPE_NAME, REFERENCE_SHAPE, NOT_EMPTY)),
  optional('annotations', ANNOTATIONS),
]);
