/**
 * Converts values to data that JSON can represent. Follows
 * lib/puppet/pops/serialization/to_data_converter.rb.
 */

import { PuppetError } from '../errors/puppet-error.ts';
import { displayString, formatValue } from '../types/format/string-converter.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { PType } from '../types/ptype.ts';
import { StructElement } from '../types/record-types.ts';
import { TypeAliasType } from '../types/reference-types.ts';
import { rubyClassName } from '../types/ruby-class.ts';
import { BytesText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { isArray, VALUE_KINDS } from '../types/values/value-kinds.ts';
import { DEFAULT, RichValue, Sensitive, type Value } from '../types/values/values.ts';
import { jsonProblem } from './json-bytes.ts';
import { attributesOf } from './type-attributes.ts';
import { RubySymbol } from './yaml.ts';

interface ToDataOptions {
  /**
   * When false, values other than plain data become strings, and `warn` is called. Default true.
   */
  readonly richData?: boolean;
  /**
   * Writes a repeated array, hash or object as a reference to its first occurrence. Default false.
   */
  readonly localReferences?: boolean;
  /** Text before the path in messages. */
  readonly messagePrefix?: string;
  /** Called for each loss of information, with the code and text of Puppet's issue. */
  readonly warn?: (issueCode: string, message: string) => void;
}

/** Puppet's error text for a TypeSet, which it cannot serialize. */
const NO_TYPE_SETS =
  "Initializer for class Puppet::Pops::Types::PTypeSetType parameter 'name_or_init_hash' does not match any of the attributes of type Pcore::TypeSetType";

/** Thrown for a value that cannot be serialized. */
export class UnwritableValue extends PuppetError {}

/** Thrown for a value that contains itself, which cannot be serialized without references. */
export class EndlessRecursion extends UnwritableValue {
  constructor(value: Value) {
    super(`Endless recursion detected when attempting to serialize value of class ${rubyClassName(value)}`);
  }
}

const TYPE_KEY = '__ptype';
const VALUE_KEY = '__pvalue';

/**
 * Converts a value to nulls, booleans, numbers, strings, arrays and hashes with string keys. All
 * other values become `{__ptype, ...}`.
 */
export function toRichData(value: Value, options: ToDataOptions = {}): Value {
  return new DataConverter(options).convert(value);
}

class DataConverter {
  readonly #options: ToDataOptions;
  readonly #path: Value[] = [];
  /** By object: the path of its first occurrence, replaced by the reference once one was made. */
  readonly #seen = new Map<object, readonly Value[] | PuppetHash>();

  /**
   * Type aliases that are being converted; detects recursion when there are no local references.
   */
  readonly #open = new Set<TypeAliasType>();

  constructor(options: ToDataOptions) {
    this.#options = options;
  }

  convert(value: Value): Value {
    if (value === null || typeof value !== 'object') return value;
    if (value === DEFAULT) return this.#convertDefault();
    if (value instanceof BytesText) return this.#convertBytes(value);
    if (isArray(value))
      return this.#convertOnce(value, () => value.map((item, index) => this.#convertAt(BigInt(index), item)));
    if (value instanceof PuppetHash) return this.#convertOnce(value, () => this.#convertHash(value));
    if (value instanceof Sensitive) {
      return this.#convertOnce(value, () => createTagged('Sensitive').set(VALUE_KEY, this.convert(value.unwrap())));
    }
    return value instanceof RichValue ? this.#convertUnknown(value) : null;
  }

  #convertBytes(value: BytesText): Value {
    if (value.isBroken) throw new UnwritableValue(jsonProblem(value.bytes));
    const binary = Buffer.from(value.bytes).toString('base64');
    return this.#isRich ? createTagged('Binary').set(VALUE_KEY, binary) : String(value);
  }

  #convertDefault(): Value {
    if (this.#isRich) return createTagged('Default');
    this.#warn(
      'SERIALIZATION_DEFAULT_CONVERTED_TO_STRING',
      "contains the special value default. It will be converted to the String 'default'",
    );
    return 'default';
  }

  get #isRich(): boolean {
    return this.#options.richData ?? true;
  }

  #warn(issueCode: string, what: string): void {
    const where = `${this.#options.messagePrefix ?? ''}${(pathText(this.#path) ?? '$').slice(1)}`;
    this.#options.warn?.(issueCode, `${where} ${what}`);
  }

  #convertAt(key: Value, value: Value): Value {
    this.#path.push(key);
    const converted = this.convert(value);
    this.#path.pop();
    return converted;
  }

  /** Returns `make()`, or a reference to an earlier occurrence of the same object. */
  #convertOnce(value: object, make: () => Value): Value {
    if (!this.#options.localReferences) return this.#guardRecursion(value, make);
    const known = this.#seen.get(value);
    if (known === undefined) {
      this.#seen.set(value, [...this.#path]);
      return make();
    }
    if (known instanceof PuppetHash) return known;
    const path = pathText(known);
    if (path === null) return make();
    const reference = createTagged('LocalRef').set(VALUE_KEY, path);
    this.#seen.set(value, reference);
    return reference;
  }

  /** Returns `make()`; throws when the alias contains itself. */
  #guardRecursion(value: object, make: () => Value): Value {
    if (!(value instanceof TypeAliasType)) return make();
    if (this.#open.has(value)) throw new EndlessRecursion(value);
    this.#open.add(value);
    const made = make();
    this.#open.delete(value);
    return made;
  }

  #convertHash(hash: PuppetHash): Value {
    const entries = [...hash.entries()];
    if (entries.every(([key]) => typeof key === 'string' && key !== TYPE_KEY)) {
      return PuppetHash.of(entries.map(([key, value]) => [key, this.#convertAt(key, value)] as const));
    }
    if (this.#isRich) return this.#convertExtendedHash(entries);
    return PuppetHash.of(
      entries.map(([key, value]) => {
        const text = typeof key === 'string' ? key : this.#keyText(key);
        return [text, this.#convertAt(text, value)] as const;
      }),
    );
  }

  #keyText(key: Value): string {
    const text = lossyText(key);
    this.#warn(
      'SERIALIZATION_UNKNOWN_KEY_CONVERTED_TO_STRING',
      `contains a hash with a ${rubyClassName(key)} key. It will be converted to the String '${text}'`,
    );
    return text;
  }

  #convertExtendedHash(entries: readonly (readonly [Value, Value])[]): Value {
    const flat = entries.flatMap(([key, value]) => {
      const shown = this.convert(key);
      return [shown, this.#convertAt(shown, value)];
    });
    return createTagged('Hash').set(VALUE_KEY, flat);
  }

  #convertUnknown(value: RichValue): Value {
    if (value instanceof RubySymbol) return value.name;
    if (!this.#isRich) return this.#toLossyText(value);
    const simple = VALUE_KINDS[value.valueKind].stringType;
    if (simple !== null) return createTagged(simple).set(VALUE_KEY, formatValue(value));
    if (value instanceof PType) return this.#convertOnce(value, () => this.#convertType(value));
    if (value instanceof PuppetObject) return this.#convertOnce(value, () => this.#convertObject(value));
    return this.#toLossyText(value);
  }

  #toLossyText(value: RichValue): string {
    const text = lossyText(value);
    const article = /^[AEIOUaeiou]/.test(rubyClassName(value)) ? 'an' : 'a';
    this.#warn(
      'SERIALIZATION_UNKNOWN_CONVERTED_TO_STRING',
      `contains ${article} ${rubyClassName(value)} value. It will be converted to the String '${text}'`,
    );
    return text;
  }

  #convertObject(value: PuppetObject): Value {
    const result = createTagged(value.shape.name);
    const given = [...value.shape.constructorAttributes];
    while (given.length > 0) {
      const last = given.at(-1);
      if (last === undefined || !last.isDefault(value.get(last.name) ?? null)) break;
      given.pop();
    }
    for (const { name } of given) result.set(name, this.#convertAt(name, value.get(name) ?? null));
    return result;
  }

  #convertType(type: PType): Value {
    if (type.kind === 'TypeSet') throw new UnwritableValue(NO_TYPE_SETS);
    const result = createTagged(`Pcore::${kindName(type)}Type`);
    for (const { name, value } of attributesOf(type)) {
      this.#path.push(name);
      result.set(name, isElements(value) ? this.#convertElements(value) : this.convert(value));
      this.#path.pop();
    }
    return result;
  }

  #convertElements(elements: readonly StructElement[]): Value {
    return elements.map((element, index) => {
      this.#path.push(BigInt(index));
      const result = createTagged('Pcore::StructElement');
      result.set('key_type', this.#convertAt('key_type', element.keyType));
      result.set('value_type', this.#convertAt('value_type', element.valueType));
      this.#path.pop();
      return result;
    });
  }
}

function isElements(value: Value | readonly StructElement[]): value is readonly StructElement[] {
  return Array.isArray(value) && value[0] instanceof StructElement;
}

function kindName(type: PType): string {
  // Puppet: the type's name is cut out of the class name (lib/puppet/pops/types/types.rb,
  // simple_name).
  return type.kind === 'ObjectExtension' ? 'ObjectTypeExten' : type.kind;
}

function createTagged(type: string): PuppetHash {
  return new PuppetHash().set(TYPE_KEY, type);
}

function lossyText(value: Value): string {
  return value instanceof PuppetRegexp ? value.toDelimited() : displayString(value);
}

/** A path as text, `$['a'][0]`; null when a part of it cannot be written. */
function pathText(path: readonly Value[]): string | null {
  let text = '$';
  for (const part of path) {
    if (typeof part === 'object' && part !== null) return null;
    text += part === null ? '[null]' : `[${formatValue(part, '%p')}]`;
  }
  return text;
}
