import { type PType, UNDEF } from '../ptype.ts';
import { StructElement, StructType } from '../record-types.ts';
import { IntegerType, REGEXP } from '../scalar-types.ts';
import { ENUM, NON_EMPTY_STRING, PATTERN } from '../string-types.ts';
import { NOT_UNDEF, OptionalType, TypeType, VariantType } from '../wrapper-types.ts';

/** Ruby's `URI.regexp` (RFC 2396). Puppet prints its text when a URI is expected. */
export const URI_PATTERN = String.raw`(?x-mi:
        ([a-zA-Z][\-+.a-zA-Z\d]*):                           (?# 1: scheme)
        (?:
           ((?:[\-_.!~*'()a-zA-Z\d;?:@&=+$,]|%[a-fA-F\d]{2})(?:[\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]|%[a-fA-F\d]{2})*)                    (?# 2: opaque)
        |
           (?:(?:
             \/\/(?:
                 (?:(?:((?:[\-_.!~*'()a-zA-Z\d;:&=+$,]|%[a-fA-F\d]{2})*)@)?        (?# 3: userinfo)
                   (?:((?:(?:[a-zA-Z0-9\-.]|%\h\h)+|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[(?:(?:[a-fA-F\d]{1,4}:)*(?:[a-fA-F\d]{1,4}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})|(?:(?:[a-fA-F\d]{1,4}:)*[a-fA-F\d]{1,4})?::(?:(?:[a-fA-F\d]{1,4}:)*(?:[a-fA-F\d]{1,4}|\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}))?)\]))(?::(\d*))?))? (?# 4: host, 5: port)
               |
                 ((?:[\-_.!~*'()a-zA-Z\d$,;:@&=+]|%[a-fA-F\d]{2})+)                 (?# 6: registry)
               )
             |
             (?!\/\/))                           (?# XXX: '\/\/' is the mark for hostport)
             (\/(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*(?:;(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*)*(?:\/(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*(?:;(?:[\-_.!~*'()a-zA-Z\d:@&=+$,]|%[a-fA-F\d]{2})*)*)*)?                    (?# 7: path)
           )(?:\?((?:[\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]|%[a-fA-F\d]{2})*))?                 (?# 8: query)
        )
        (?:\#((?:[\-_.!~*'()a-zA-Z\d;\/?:@&=+$,\[\]]|%[a-fA-F\d]{2})*))?                  (?# 9: fragment)
      )`;

/**
 * Types of the URI type's parameter and of the hash that `URI.new` accepts. Follows
 * lib/puppet/pops/types/p_uri_type.rb.
 */

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
