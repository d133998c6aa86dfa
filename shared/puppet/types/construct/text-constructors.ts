/**
 * The constructors (`new`) of String, Regexp, Binary, URI and Sensitive. Follows
 * lib/puppet/pops/types.
 */
import { highByte } from '../../../util/escaped-bytes.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { inspectString } from '../../ruby-core/ruby-inspect.ts';
import { ArrayType, HashType } from '../collection-types.ts';
import { type Constructor, createSignature, localType } from '../constructor.ts';
import { formatValue } from '../format/string-converter.ts';
import { structOf } from '../record-types.ts';
import { BOOLEAN, IntegerType, RegexpType } from '../scalar-types.ts';
import { ANY, DEFAULT_TYPE } from '../simple-types.ts';
import { EnumType, NON_EMPTY_STRING, PatternType, STRING } from '../string-types.ts';
import { Uri, type UriParts } from '../uri/uri.ts';
import { URI_PARTS } from '../uri/uri-pattern.ts';
import { Binary } from '../values/binary.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import { escapeRegexp, PuppetRegexp } from '../values/regexp.ts';
import { DEFAULT, Sensitive, type Value } from '../values/values.ts';
import { OptionalType, SENSITIVE, TYPE, VariantType } from '../wrapper-types.ts';

const FORMAT = localType(
  'Format',
  new PatternType([new RegexpType('^%([\\s\\[+#0{<(|-]*)([1-9][0-9]*)?(?:\\.([0-9]+))?([a-zA-Z])$')]),
);
const CONTAINER_FORMAT = localType(
  'ContainerFormat',
  structOf({
    'format?': FORMAT,
    'separator?': STRING,
    'separator2?': STRING,
    'string_formats?': new HashType(TYPE, FORMAT),
  }),
);
const TYPE_MAP = localType('TypeMap', new HashType(TYPE, new VariantType([FORMAT, CONTAINER_FORMAT])));
const FORMATS = localType('Formats', new VariantType([DEFAULT_TYPE, NON_EMPTY_STRING, TYPE_MAP]));

export const STRING_CONSTRUCTOR: Constructor = {
  name: 'new_string',
  signatures: [
    createSignature({ from: localType('Convertible', ANY), 'string_formats?': FORMATS }, ([from = null, formats]) =>
      formatValue(from, formats ?? DEFAULT),
    ),
  ],
  mismatches: [],
};

export const REGEXP_CONSTRUCTOR: Constructor = {
  // Puppet: the name is copied from Float's (lib/puppet/pops/types/types.rb).
  name: 'new_float',
  signatures: [
    createSignature({ pattern: STRING, 'escape?': BOOLEAN }, ([pattern, escaped]) => {
      const regexp = new PuppetRegexp(escaped === true ? escapeRegexp(String(pattern)) : String(pattern));
      regexp.toNative();
      return regexp;
    }),
  ],
  mismatches: [],
};

const BASE64_FORMAT = localType('Base64Format', new EnumType(['%b', '%u', '%B', '%s', '%r']));
const BYTE = localType('ByteInteger', new IntegerType(0n, 255n));
const STRING_HASH = localType('StringHash', structOf({ value: STRING, 'format?': new OptionalType(BASE64_FORMAT) }));
const ARRAY_HASH = localType('ArrayHash', structOf({ value: new ArrayType(BYTE) }));

function binaryOfText(text: string, format: Value | undefined): Binary {
  switch (format) {
    case '%s':
      return Binary.fromText(asUtf8(text));
    case '%r':
      return Binary.fromText(text);
    case '%b':
      return Binary.fromBase64(text.replace(/[^A-Za-z0-9+/]/g, ''));
    case '%u':
      return strictBase64(text.replaceAll('-', '+').replaceAll('_', '/'), true);
    default:
      return strictBase64(text, false);
  }
}

/** Returns a text that is no byte string, or one of ASCII alone. */
function asUtf8(text: string): string {
  const char = text.isWellFormed() ? undefined : Array.from(text).find((one) => highByte(one));
  if (char === undefined) return text;
  // Ruby: Encoding::UndefinedConversionError
  throw new PuppetError(`${inspectString(char)} from ASCII-8BIT to UTF-8`);
}

function strictBase64(text: string, paddingOptional: boolean): Binary {
  const padded = paddingOptional && !text.includes('=') ? text.padEnd(Math.ceil(text.length / 4) * 4, '=') : text;
  const valid = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(padded);
  const decoded = valid ? Binary.fromBase64(padded) : null;
  // Bits beyond the last byte must be 0.
  // Ruby: Base64.strict_decode64
  if (decoded?.toString() !== padded) throw new PuppetError('invalid base64');
  return decoded;
}

function binaryOfBytes(bytes: Value | undefined): Binary {
  return new Binary(Uint8Array.from(Array.isArray(bytes) ? bytes.map(Number) : []));
}

export const BINARY_CONSTRUCTOR: Constructor = {
  name: 'new_Binary',
  signatures: [
    createSignature({ str: STRING, 'format?': BASE64_FORMAT }, ([text, format]) => binaryOfText(String(text), format)),
    createSignature({ byte_array: new ArrayType(BYTE) }, ([bytes]) => binaryOfBytes(bytes)),
    createSignature(
      { hash_args: localType('BinaryArgsHash', new VariantType([STRING_HASH, ARRAY_HASH])) },
      ([hash]) => {
        if (!(hash instanceof PuppetHash)) return null;
        const value = hash.get('value');
        return typeof value === 'string' ? binaryOfText(value, hash.get('format')) : binaryOfBytes(value);
      },
    ),
  ],
  mismatches: [],
};

export const URI_CONSTRUCTOR: Constructor = {
  // Puppet: the name is copied from Error's (lib/puppet/pops/types/p_uri_type.rb).
  name: 'new_error',
  signatures: [
    createSignature({ uri: NON_EMPTY_STRING }, ([text]) => Uri.parse(String(text))),
    createSignature({ hash: URI_PARTS }, ([hash]) => uriOfHash(hash)),
  ],
  mismatches: [],
};

function uriOfHash(hash: Value | undefined): Uri {
  const entries = hash instanceof PuppetHash ? [...hash.entries()] : [];
  const parts: UriParts = Object.fromEntries(entries.map(([name, value]) => [String(name), String(value)]));
  return new Uri(parts);
}

export const SENSITIVE_CONSTRUCTOR: Constructor = {
  name: 'new_Sensitive',
  signatures: [
    createSignature({ value: SENSITIVE }, ([value = null]) => value),
    createSignature({ value: ANY }, ([value = null]) => new Sensitive(value)),
  ],
  mismatches: [],
};
