import { PuppetHash } from './puppet-hash.ts';
import type { Value } from './values.ts';

/** Kinds of values that are neither JavaScript primitives, arrays nor hashes. */
export type RichKind =
  | 'Default'
  | 'Type'
  | 'Regexp'
  | 'Sensitive'
  | 'Binary'
  | 'Timestamp'
  | 'Timespan'
  | 'SemVer'
  | 'SemVerRange'
  | 'URI'
  | 'Object'
  | 'Iterator'
  | 'BytesText'
  | 'ResourceReference'
  | 'Collector'
  | 'Internal';

type ValueKind = 'Undef' | 'Boolean' | 'Integer' | 'Float' | 'String' | 'Array' | 'Hash' | RichKind;

/** Traits that all values of a kind share. */
interface ValueTraits {
  /** Name of the value in messages; null where its label depends on more than its kind. */
  readonly label: string | null;
  /** The Ruby class of the value; null where the class depends on more than the kind. */
  readonly rubyClass: string | null;
  /** The type as which rich data writes the value's text; null for values written otherwise. */
  readonly stringType: string | null;
  /** Whether it is an instance of Scalar. */
  readonly isScalar: boolean;
}

const PLAIN = { stringType: null, isScalar: false } as const;
const SCALAR = { stringType: null, isScalar: true } as const;
const UNKNOWN = { label: 'Object', rubyClass: null, stringType: null, isScalar: false } as const;

/**
 * All kinds of values. A class of values names its kind (`RichValue.valueKind`), and a kind without
 * a row here does not compile. A value of ours that only Ruby code sees is `Internal`.
 */
export const VALUE_KINDS: Readonly<Record<ValueKind, ValueTraits>> = {
  Undef: { label: 'Undef Value', rubyClass: 'NilClass', ...PLAIN },
  Boolean: { label: 'Boolean', rubyClass: null, ...SCALAR },
  Integer: { label: 'Integer', rubyClass: 'Integer', ...SCALAR },
  Float: { label: 'Float', rubyClass: 'Float', ...SCALAR },
  String: { label: 'String', rubyClass: 'String', ...SCALAR },
  Array: { label: 'Array', rubyClass: 'Array', ...PLAIN },
  Hash: { label: 'Hash', rubyClass: 'Hash', ...PLAIN },
  // Puppet: `default` is a Ruby Symbol, which has no label of its own.
  Default: { label: 'Object', rubyClass: 'Symbol', ...PLAIN },
  Type: { label: null, rubyClass: null, ...PLAIN },
  Regexp: { label: 'Regexp', rubyClass: 'Regexp', stringType: 'Regexp', isScalar: true },
  Sensitive: { label: 'Sensitive', rubyClass: 'Puppet::Pops::Types::PSensitiveType::Sensitive', ...PLAIN },
  Binary: {
    label: 'Binary',
    rubyClass: 'Puppet::Pops::Types::PBinaryType::Binary',
    stringType: 'Binary',
    isScalar: false,
  },
  Timestamp: {
    label: 'Timestamp',
    rubyClass: 'Puppet::Pops::Time::Timestamp',
    stringType: 'Timestamp',
    isScalar: true,
  },
  Timespan: { label: 'Timespan', rubyClass: 'Puppet::Pops::Time::Timespan', stringType: 'Timespan', isScalar: true },
  SemVer: { label: 'Semver', rubyClass: 'SemanticPuppet::Version', stringType: 'SemVer', isScalar: true },
  SemVerRange: {
    label: 'SemverRange',
    rubyClass: 'SemanticPuppet::VersionRange',
    stringType: 'SemVerRange',
    isScalar: true,
  },
  URI: { label: 'Object', rubyClass: null, stringType: 'URI', isScalar: false },
  Object: UNKNOWN,
  Iterator: UNKNOWN,
  BytesText: { label: 'String', rubyClass: 'String', ...SCALAR },
  ResourceReference: UNKNOWN,
  Collector: { label: null, rubyClass: null, ...PLAIN },
  Internal: UNKNOWN,
};

/** The kind of a value. */
export function kindOf(value: Value): ValueKind {
  switch (typeof value) {
    case 'string':
      return 'String';
    case 'bigint':
      return 'Integer';
    case 'number':
      return 'Float';
    case 'boolean':
      return 'Boolean';
    default:
      return kindOfObject(value);
  }
}

function kindOfObject(value: Exclude<Value, string | bigint | number | boolean>): ValueKind {
  if (value === null) return 'Undef';
  if (value instanceof PuppetHash) return 'Hash';
  return isArray(value) ? 'Array' : value.valueKind;
}

export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isNumber(value: Value | undefined): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}
