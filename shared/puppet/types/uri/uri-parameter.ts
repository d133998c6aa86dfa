/**
 * Types of the URI type's parameter and of the hash that `URI.new` accepts. Follows
 * lib/puppet/pops/types/p_uri_type.rb.
 */

import { type PType, UNDEF } from '../ptype.ts';
import { StructElement, StructType } from '../record-types.ts';
import { IntegerType, REGEXP } from '../scalar-types.ts';
import { ENUM, NON_EMPTY_STRING, PATTERN } from '../string-types.ts';
import { NOT_UNDEF, OptionalType, TypeType, VariantType } from '../wrapper-types.ts';

const PARTS = ['scheme', 'userinfo', 'host', 'port', 'path', 'query', 'fragment', 'opaque'];
const PORT = new IntegerType(0n);
const PRESENCE = [new TypeType(NOT_UNDEF), new TypeType(UNDEF)];
const TEXT_PATTERN = new OptionalType(
  new VariantType([NON_EMPTY_STRING, REGEXP, new TypeType(PATTERN), new TypeType(ENUM), ...PRESENCE]),
);
const PORT_PATTERN = new OptionalType(new VariantType([PORT, ...PRESENCE]));

function partsStruct(text: PType, port: PType): StructType {
  return new StructType(PARTS.map((name) => StructElement.createOptional(name, name === 'port' ? port : text)));
}

/** A URI, or a hash of parts with the values that they must match. */
export const URI_PARAMETER: PType = new VariantType([NON_EMPTY_STRING, partsStruct(TEXT_PATTERN, PORT_PATTERN)]);

/** A hash of parts. */
export const URI_PARTS: PType = partsStruct(NON_EMPTY_STRING, PORT);
