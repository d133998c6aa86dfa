/** Converts rich data to values. Follows lib/puppet/pops/serialization/from_data_converter.rb. */
import { ISSUES } from '../errors/issues/catalogue.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { newInstance } from '../types/construct/new-instance.ts';
import { createObject } from '../types/objects/object-instance.ts';
import { ObjectType } from '../types/objects/object-type.ts';
import { typeFromAttributes } from '../types/objects/type-from-attributes.ts';
import { PType } from '../types/ptype.ts';
import { resolveAliases, TypeReferenceType } from '../types/reference-types.ts';
import { parseType, type TypeResolver } from '../types/type-parser.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { DEFAULT, Sensitive, type Value } from '../types/values/values.ts';

const TYPE_KEY = '__ptype';
const VALUE_KEY = '__pvalue';
const TYPE_NAME = /^[A-Z]\w*(::[A-Z]\w*)*$/;
const ATTRIBUTE_NAME = /^[a-z]\w*$/;

interface FromDataOptions {
  /** Finds types beyond Puppet's built-in ones. */
  readonly resolver?: TypeResolver;
  /**
   * Accepts objects of unknown types: each gets an ad hoc type with exactly the attributes of the
   * data. Default: throw.
   */
  readonly takeUnknownTypes?: boolean;
}

/**
 * Converts data (values, or the result of JSON.parse) to the value that it represents. Throws
 * PuppetError when the data names an unknown type.
 */
export function fromRichData(data: unknown, options: FromDataOptions = {}): Value {
  return fromRichValue(plainToValue(data), options);
}

/** Converts data that already consists of Puppet values, so that a Float stays a Float. */
export function fromRichValue(data: Value, options: FromDataOptions = {}): Value {
  return new ValueBuilder(data, options).build(data);
}

/** Converts plain JavaScript objects and numbers to Puppet values. */
function plainToValue(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (typeof data === 'number') return Number.isInteger(data) ? BigInt(data) : data;
  if (Array.isArray(data)) return data.map(plainToValue);
  if (typeof data !== 'object') return data as string | boolean | bigint;
  if (Object.getPrototypeOf(data) !== Object.prototype) return data as Value;
  return PuppetHash.of(Object.entries(data).map(([key, value]) => [key, plainToValue(value)] as const));
}

class ValueBuilder {
  readonly #root: Value;
  readonly #options: FromDataOptions;

  constructor(root: Value, options: FromDataOptions) {
    this.#root = root;
    this.#options = options;
  }

  build(data: Value): Value {
    if (Array.isArray(data)) return data.map((item: Value) => this.build(item));
    if (!(data instanceof PuppetHash)) return data;
    const type = data.get(TYPE_KEY);
    if (typeof type === 'string') return this.#buildTagged(type, data);
    if (type instanceof PuppetHash) return this.#ofInlineType(type, data);
    return PuppetHash.of([...data.entries()].map(([key, value]) => [key, this.build(value)] as const));
  }

  #buildTagged(type: string, data: PuppetHash): Value {
    const value = data.get(VALUE_KEY) ?? null;
    switch (type) {
      case 'Hash':
        return this.#buildExtendedHash(Array.isArray(value) ? value : []);
      case 'Sensitive':
        return new Sensitive(this.build(value));
      case 'Default':
        return DEFAULT;
      case 'Symbol':
        return value;
      case 'LocalRef':
        return this.build(resolvePath(this.#root, String(value)));
    }
    if (type.startsWith('Pcore::')) return typeFromAttributes(type, (name) => this.#readAttribute(data, name));
    const found = parseType(type, this.#options.resolver);
    return found instanceof TypeReferenceType ? this.#buildUnresolved(type, data) : this.#buildInstance(found, data);
  }

  #readAttribute(data: PuppetHash, name: string): Value {
    return this.build(data.get(name) ?? null);
  }

  #buildUnresolved(type: string, data: PuppetHash): Value {
    if (this.#options.takeUnknownTypes && TYPE_NAME.test(type))
      return this.#buildInstance(typeOfAttributes(type, data), data);
    throw new PuppetError(ISSUES.NO_IMPLEMENTATION_MAPPING({ type }));
  }

  #ofInlineType(type: PuppetHash, data: PuppetHash): Value {
    const found = this.build(type);
    if (found instanceof PType) return this.#buildInstance(found, data);
    throw new PuppetError(ISSUES.TYPE_NOT_DESERIALIZABLE());
  }

  #buildExtendedHash(flat: readonly Value[]): Value {
    const hash = new PuppetHash();
    for (let index = 0; index < flat.length; index += 2) {
      hash.set(this.build(flat[index] ?? null), this.build(flat[index + 1] ?? null));
    }
    return hash;
  }

  #buildInstance(type: PType, data: PuppetHash): Value {
    const target = resolveAliases(type);
    const value = data.get(VALUE_KEY);
    if (typeof value === 'string') return newInstance(target, [value], this.#options);
    if (!(target instanceof ObjectType)) {
      throw new PuppetError(
        ISSUES.VALUE_NOT_CREATABLE({ target: target.name, actual: value === undefined ? 'Hash' : typeof value }),
      );
    }
    const given = value instanceof PuppetHash ? value : data;
    return createObject(target, (name) => {
      const item = given.get(name);
      return item === undefined ? undefined : this.build(item);
    });
  }
}

/** An Object type with the attributes of the data, each of type Any. */
function typeOfAttributes(name: string, data: PuppetHash): PType {
  const names = [...data.keys()].filter((key) => typeof key === 'string' && ATTRIBUTE_NAME.test(key));
  return parseType(`Object[{name => '${name}', attributes => {${names.map((one) => `${one} => Any`).join(', ')}}}]`);
}

/** The part of the data at a path such as `$['a'][0]`. */
function resolvePath(root: Value, path: string): Value {
  let current: Value = root;
  for (const match of path.matchAll(/\[(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^\]]*))\]/g)) {
    const [, single, double, bare = ''] = match;
    const text = single ?? double;
    const key = text === undefined ? bareKey(bare) : text.replace(/\\(['"\\])/g, '$1');
    if (current instanceof PuppetHash) current = current.get(key) ?? null;
    else if (Array.isArray(current)) current = current[Number(key)] ?? null;
    else return null;
  }
  return current;
}

function bareKey(text: string): Value {
  if (text === 'null') return null;
  return /^-?\d+$/.test(text) ? BigInt(text) : text;
}
