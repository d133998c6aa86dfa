/**
 * The types of the hashes that define Object types and TypeSets. Follows p_object_type.rb and
 * p_type_set_type.rb of Puppet.
 */
import { CALLABLE } from '../callable-type.ts';
import { ArrayType, HashType } from '../collection-types.ts';
import type { PType } from '../ptype.ts';
import { structOf } from '../record-types.ts';
import { BOOLEAN, NOT_EMPTY, RegexpType } from '../scalar-types.ts';
import { ANY } from '../simple-types.ts';
import { EnumType, NON_EMPTY_STRING, PatternType, StringType } from '../string-types.ts';
import { SEM_VER, SEM_VER_RANGE } from '../time/time-types.ts';
import { URI_PATTERN } from '../uri/uri-pattern.ts';
import { NOT_UNDEF, OptionalType, TYPE, TypeType, VariantType } from '../wrapper-types.ts';
import { NO_MEMBERS, ObjectType } from './object-type.ts';

const pattern = (source: string) => new PatternType([new RegexpType(source)]);

export const QUALIFIED_REFERENCE: PType = pattern('\\A[A-Z]\\w*(?:::[A-Z]\\w*)*\\z');
export const MEMBER_NAME: PType = pattern('\\A[a-z_]\\w*\\z');
export const SIMPLE_TYPE_NAME: PType = pattern('\\A[A-Z]\\w*\\z');
export const URI_TEXT: PType = pattern(URI_PATTERN);

/** The parent type of all annotations. */
export const ANNOTATION = new ObjectType('Annotation', () => NO_MEMBERS);

const ANNOTATIONS: PType = new OptionalType(new HashType(new TypeType(ANNOTATION), new HashType(MEMBER_NAME, ANY)));

export const ATTRIBUTE_SHAPE: PType = structOf({
  type: TYPE,
  'final?': BOOLEAN,
  'override?': BOOLEAN,
  'kind?': new EnumType(['constant', 'derived', 'given_or_derived', 'reference']),
  'value?': ANY,
  'annotations?': ANNOTATIONS,
});

export const FUNCTION_TYPE: PType = new TypeType(CALLABLE);

export const FUNCTION_SHAPE: PType = structOf({
  type: FUNCTION_TYPE,
  'final?': BOOLEAN,
  'override?': BOOLEAN,
  'annotations?': ANNOTATIONS,
});

const MEMBERS: PType = new HashType(MEMBER_NAME, NOT_UNDEF);

export const OBJECT_SHAPE: PType = structOf({
  'name?': QUALIFIED_REFERENCE,
  'parent?': TYPE,
  'type_parameters?': MEMBERS,
  'attributes?': MEMBERS,
  'constants?': new HashType(MEMBER_NAME, ANY),
  'functions?': new HashType(new VariantType([MEMBER_NAME, new StringType('[]')]), NOT_UNDEF),
  'equality?': new VariantType([MEMBER_NAME, new ArrayType(MEMBER_NAME)]),
  'equality_include_type?': BOOLEAN,
  'checks?': ANY,
  'annotations?': ANNOTATIONS,
});

const TEXT_OR_VERSION: PType = new VariantType([NON_EMPTY_STRING, SEM_VER]);

const REFERENCE_SHAPE: PType = structOf({
  name: QUALIFIED_REFERENCE,
  version_range: new VariantType([NON_EMPTY_STRING, SEM_VER_RANGE]),
  'name_authority?': URI_TEXT,
  'annotations?': ANNOTATIONS,
});

export const TYPE_SET_SHAPE: PType = structOf({
  'pcore_uri?': URI_TEXT,
  pcore_version: TEXT_OR_VERSION,
  'name_authority?': URI_TEXT,
  'name?': QUALIFIED_REFERENCE,
  'version?': TEXT_OR_VERSION,
  'types?': new HashType(SIMPLE_TYPE_NAME, new VariantType([TYPE, OBJECT_SHAPE]), NOT_EMPTY),
  'references?': new HashType(SIMPLE_TYPE_NAME, REFERENCE_SHAPE, NOT_EMPTY),
  'annotations?': ANNOTATIONS,
});
