/**
 * Encodes values as JSON frames for the Ruby side of the port (`side/wire.rb`). Data is plain JSON:
 * integers of any size, floats always with a fraction or an exponent, hashes with String keys as
 * ordered objects. A value that JSON lacks is an object tagged with `$t`. A hash with other keys is
 * `{"$h": [[key, value], ...]}`.
 *
 * Arrays and hashes of a shared value have numbers, so that both sides keep their identity. `{"$n":
 * 7, "e": 9, "v": ...}` assigns the numbers 7 and 8, in the order in which the containers begin. In
 * it, `"f": 1` marks frozen ones and `"s": 1` one that occurs twice; `{"$f": 1, "v": ...}` is a
 * frozen one inside another. `{"$r": 7}` refers to one that has crossed before. `{"$w": 7, "v":
 * ...}` is one that Ruby may have changed. `{"$k": -1, "v": ...}` is one of Ruby's that keeps its
 * number. `{"$c": [...], "v": ...}` is a value together with Ruby's other changes. `{"$l": 7}` is a
 * lent hash of facts: Ruby requests the keys that it reads (`side/lazy_hash.rb`), until the compile
 * ends.
 */
import { RecordingHash } from '../environment/recording-hash.ts';
import { LegacyResourceReference } from '../evaluator/resource-reference.ts';
import { rubyFloat } from '../ruby-core/ruby-number.ts';
import { parseJson } from '../serialization/json.ts';
import { RubySymbol } from '../serialization/yaml.ts';
import { ResourceReferenceType as ParameterReference } from '../types/catalog-types.ts';
import { PuppetObject } from '../types/objects/puppet-object.ts';
import { PType } from '../types/ptype.ts';
import { TypeReferenceType } from '../types/reference-types.ts';
import { RuntimeType } from '../types/runtime-type.ts';
import { Timespan } from '../types/time/timespan.ts';
import { Timestamp } from '../types/time/timestamp.ts';
import { parseType } from '../types/type-parser.ts';
import { Uri } from '../types/uri/uri.ts';
import { Binary } from '../types/values/binary.ts';
import { BytesText } from '../types/values/bytes-text.ts';
import { isFrozen } from '../types/values/frozen.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import { PuppetIterator } from '../types/values/puppet-iterator.ts';
import { PuppetRegexp } from '../types/values/regexp.ts';
import { DEFAULT, InternalValue, RichValue, Sensitive, type Value } from '../types/values/values.ts';
import { SemVer } from '../types/versions/sem-ver.ts';
import { SemVerRange } from '../types/versions/sem-ver-range.ts';
import { type Container, isContainer, type ObjectTable, replaceContent, WireError } from './object-table.ts';

/** An object that only Ruby knows: it can be handed back to the same request, nothing else. */
class RubyObject extends InternalValue {
  readonly id: bigint;
  readonly className: string;

  readonly rubyClass: string;
  readonly type: RuntimeType;

  readonly #text: string;

  constructor(id: bigint, className: string, text = '') {
    super();
    this.rubyClass = className || 'Anonymous Class';
    this.type = new RuntimeType('ruby', className || null);
    this.#text = text || `#<${className}>`;
    this.id = id;
    this.className = className;
  }

  equalityKey(): string {
    return `ruby:${this.id}`;
  }

  override toString(): string {
    return this.#text;
  }
}

/**
 * Prints the fields of a frame: texts and numbers as JSON, `Value`s already printed with
 * `printValue`.
 */
export function printFrame(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;
}

/** Prints a value by copy: changes that Ruby makes to its arrays and hashes have no effect here. */
export function printValue(value: Value, objects: ObjectTable): string {
  return print(value, new Printing(objects, false));
}

/** Prints a value by reference: both sides share its arrays and hashes from now on. */
export function printShared(value: Value, objects: ObjectTable): string {
  if (isLent(value, objects)) return `{"$l":${objects.lend(value)}}`;
  if (isContainer(value)) return printNumbered(value, objects);
  // Containers in an object's attributes have no number, because Ruby cannot learn the first one.
  return value instanceof Sensitive
    ? printTagged('Sensitive', printShared(value.unwrap(), objects))
    : printValue(value, objects);
}

export function printSharedArray(values: readonly Value[], objects: ObjectTable): string {
  return `[${values.map((item) => printShared(item, objects)).join(',')}]`;
}

export function printArray(values: readonly Value[], objects: ObjectTable): string {
  return `[${values.map((item) => printValue(item, objects)).join(',')}]`;
}

/**
 * The state of printing one value: whether its arrays and hashes are numbered, and whether the
 * printer is inside a frozen one.
 */
class Printing {
  readonly objects: ObjectTable;
  readonly isShared: boolean;
  #isFrozen: boolean;
  /** The number of the outermost container. */
  readonly #first: number;
  #hasRepeated = false;

  constructor(objects: ObjectTable, isShared: boolean, isFrozen = false) {
    this.objects = objects;
    this.isShared = isShared;
    this.#isFrozen = isFrozen;
    this.#first = objects.nextNumber;
  }

  get isFrozen(): boolean {
    return this.#isFrozen;
  }

  /** Prints the inside of a frozen container. */
  printFrozen(print: () => string): string {
    this.#isFrozen = true;
    const printed = print();
    this.#isFrozen = false;
    return printed;
  }

  /** Whether a container occurs twice. */
  get hasRepeated(): boolean {
    return this.#hasRepeated;
  }

  refer(number: number): string {
    if (number >= this.#first) this.#hasRepeated = true;
    return `{"$r":${number}}`;
  }
}

function isLent(value: Value, objects: ObjectTable): value is RecordingHash {
  return objects.isLending && value instanceof RecordingHash;
}

function printNumbered(value: Container, objects: ObjectTable): string {
  const known = objects.numberOf(value);
  if (known !== undefined) return `{"$r":${known}}`;
  const { numbers, content } = numberContainer(value, objects);
  return `{${numbers},${content}}`;
}

/**
 * One that has not crossed in this request, as the fields of an object: its numbers, and all else.
 */
export function numberContainer(
  value: Container,
  objects: ObjectTable,
): { readonly numbers: string; readonly content: string } {
  const frozen = isFrozen(value);
  const first = objects.nextNumber;
  const inner = new Printing(objects, true, frozen);
  const printed = printContent(value, inner);
  const flags = `${frozen ? '"f":1,' : ''}${inner.hasRepeated ? '"s":1,' : ''}`;
  return { numbers: `"$n":${first},"e":${objects.nextNumber}`, content: `${flags}"v":${printed}` };
}

function print(value: Value, printing: Printing): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return JSON.stringify(value.isWellFormed() ? value : value.toWellFormed());
  if (typeof value === 'number') return printFloat(value);
  if (value instanceof RichValue) return printRich(value, printing);
  return printContainer(value, printing);
}

function printContainer(value: Container, printing: Printing): string {
  if (!printing.isShared) return printContent(value, printing);
  if (isLent(value, printing.objects)) return `{"$l":${printing.objects.lend(value)}}`;
  const known = printing.objects.numberOf(value);
  if (known !== undefined) return printing.refer(known);
  if (printing.isFrozen || !isFrozen(value)) return printContent(value, printing);
  return `{"$f":1,"v":${printing.printFrozen(() => printContent(value, printing))}}`;
}

function printContent(value: Container, printing: Printing): string {
  if (printing.isShared) printing.objects.add(value);
  return value instanceof PuppetHash ? printHash(value, printing) : printItems(value, printing);
}

function printItems(values: readonly Value[], printing: Printing): string {
  return `[${values.map((item) => print(item, printing)).join(',')}]`;
}

function printFloat(value: number): string {
  return Number.isFinite(value) ? rubyFloat(value) : printTagged('Float', JSON.stringify(rubyFloat(value)));
}

function printHash(hash: PuppetHash, printing: Printing): string {
  const entries = [...hash.entries()];
  if (!entries.every(([key]) => typeof key === 'string' && !key.startsWith('$'))) {
    return `{"$h":[${entries.map((pair) => printItems(pair, printing)).join(',')}]}`;
  }
  return `{${entries.map(([key, value]) => `${JSON.stringify(key)}:${print(value, printing)}`).join(',')}}`;
}

function printRich(value: RichValue, printing: Printing): string {
  if (value instanceof Sensitive) return printTagged('Sensitive', print(value.unwrap(), printing));
  if (value === DEFAULT) return '{"$t":"Default"}';
  if (value instanceof PuppetIterator) return printContainer(value.toArray(), printing);
  if (value instanceof ParameterReference)
    return printTagged('Reference', JSON.stringify([value.typeName, value.title]));
  const [tag, text] = textForm(value) ?? [];
  if (tag !== undefined && text !== undefined) return printTagged(tag, JSON.stringify(text));
  if (value instanceof RubyObject)
    return `{"$t":"Object","class":${JSON.stringify(value.className)},"ruby":${value.id}}`;
  return printObject(value, printing);
}

function textForm(value: RichValue): readonly [tag: string, text: string] | null {
  if (value instanceof PuppetRegexp) return ['Regexp', value.source];
  if (value instanceof PType) return ['Type', String(value)];
  if (value instanceof LegacyResourceReference) return ['Type', String(value.type)];
  if (value instanceof SemVer) return ['SemVer', String(value)];
  if (value instanceof SemVerRange) return ['SemVerRange', String(value)];
  if (value instanceof Timestamp) return ['Timestamp', value.nsecs.toString()];
  if (value instanceof Timespan) return ['Timespan', value.nsecs.toString()];
  if (value instanceof Binary) return ['Binary', Buffer.from(value.bytes).toString('base64')];
  if (value instanceof BytesText)
    return [value.isBroken ? 'Broken' : 'Bytes', Buffer.from(value.bytes).toString('base64')];
  if (value instanceof Uri) return ['URI', String(value)];
  if (value instanceof RubySymbol) return ['Symbol', value.name];
  return null;
}

function printObject(value: RichValue, printing: Printing): string {
  const isObject = value instanceof PuppetObject;
  const name = JSON.stringify(isObject ? String(value.type) : value.constructor.name);
  const attributes = isObject ? printHash(value.toInitHash(), printing) : '{}';
  return `{"$t":"Object","v":${printing.objects.register(value)},"class":${name},"attributes":${attributes}}`;
}

function printTagged(tag: string, json: string): string {
  return `{"$t":"${tag}","v":${json}}`;
}

/** Parses the JSON of a frame. Throws WireError. */
export function parseFrame(text: string): PuppetHash {
  let frame: Value;
  try {
    frame = parseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw new WireError(`Ruby sent what is no JSON: ${error.message}`);
    throw error;
  }
  if (frame instanceof PuppetHash) return frame;
  throw new WireError('Ruby sent what is no frame');
}

/** Readers for texts that only a compile can interpret. */
export interface WireReaders {
  type?(text: string): Value;
}

/**
 * Converts a value of a parsed frame to a Puppet value. Throws WireError; PuppetError for an
 * invalid type text.
 */
export function readValue(json: Value, objects: ObjectTable, readers: WireReaders = {}): Value {
  if (json === null || typeof json !== 'object') return json;
  const read = (value: Value): Value => readValue(value, objects, readers);
  if (!(json instanceof PuppetHash)) return json instanceof RichValue ? json : json.map(read);
  const tag = json.get('$t');
  if (tag !== undefined) return readTagged(String(tag), json, objects, readers);
  const changes = json.get('$c');
  if (Array.isArray(changes)) {
    changes.forEach(read);
    return read(json.get('v') ?? null);
  }
  const container = readContainer(json, objects, read);
  if (container) return container;
  const pairs = json.get('$h');
  if (Array.isArray(pairs)) return PuppetHash.of(pairs.map((pair) => readPair(pair, read)));
  return PuppetHash.of([...json.entries()].map(([key, value]) => [key, read(value)] as const));
}

/** Returns a numbered container; null for other values. */
function readContainer(json: PuppetHash, objects: ObjectTable, read: (value: Value) => Value): Container | null {
  const known = json.get('$r');
  if (typeof known === 'bigint') return objects.getContainer(Number(known));
  const lent = json.get('$l');
  if (typeof lent === 'bigint') {
    const hash = objects.lent(Number(lent));
    if (hash instanceof PuppetHash) return hash;
    throw new WireError(`no hash is lent by the number ${lent}`);
  }
  const changed = json.get('$w');
  if (typeof changed === 'bigint') {
    const container = objects.getContainer(Number(changed));
    replaceContent(container, read(json.get('v') ?? null));
    return container;
  }
  const kept = json.get('$k');
  if (typeof kept !== 'bigint') return null;
  const container = read(json.get('v') ?? null);
  if (!isContainer(container)) throw new WireError('Ruby sent no array or hash under its number');
  objects.adopt(Number(kept), container);
  return container;
}

function readPair(pair: Value, read: (value: Value) => Value): readonly [Value, Value] {
  const [key, value] = Array.isArray(pair) ? pair : [];
  if (key === undefined || value === undefined) throw new WireError('Ruby sent a hash without pairs');
  return [read(key), read(value)];
}

const TEXTS: ReadonlyMap<string, (text: string) => Value> = new Map<string, (text: string) => Value>([
  ['Regexp', (text) => new PuppetRegexp(text)],
  ['SemVer', (text) => SemVer.parse(text)],
  ['SemVerRange', (text) => SemVerRange.parse(text)],
  ['Timestamp', (text) => new Timestamp(BigInt(text))],
  ['Timespan', (text) => new Timespan(BigInt(text))],
  ['Binary', (text) => Binary.fromBase64(text)],
  ['Bytes', (text) => BytesText.fromBytes(Buffer.from(text, 'base64'))],
  ['Broken', (text) => BytesText.fromUtf8(Buffer.from(text, 'base64'))],
  ['URI', (text) => Uri.parse(text)],
  ['Symbol', (text) => new RubySymbol(text)],
  ['Float', (text) => Number(text)],
]);

function readTagged(tag: string, json: PuppetHash, objects: ObjectTable, readers: WireReaders): Value {
  const value = json.get('v') ?? null;
  if (tag === 'Sensitive') return new Sensitive(readValue(value, objects, readers));
  if (tag === 'Default') return DEFAULT;
  if (tag === 'Type') return readType(readableType(String(value)), readers.type ?? parseType);
  if (tag === 'Reference' && Array.isArray(value)) return new ParameterReference(String(value[0]), String(value[1]));
  if (tag === 'Object') return readObject(json, value, objects);
  const read = TEXTS.get(tag);
  if (!read) throw new WireError(`Ruby sent a value of an unknown kind, ${tag}`);
  return read(String(value));
}

/**
 * Reads a type. A name that is not Puppet's own, with parameters, is a reference to a resource:
 * `Yumrepo['x']`.
 */
function readType(text: string, parse: (text: string) => Value): Value {
  const type = parse(text);
  const [, name, title] = /^([A-Z]\w*(?:::[A-Z]\w*)*)\[(.+)\]$/s.exec(text) ?? [];
  return name !== undefined && type instanceof TypeReferenceType ? parse(`Resource['${name}', ${title}]`) : type;
}

/**
 * Rewrites forms that Puppet prints but does not parse: a float `1.0e+300`, and an alias `Name =
 * Type`.
 */
function readableType(text: string): string {
  const named = text.replace(/^(\w+(?:::\w+)*) = .*$/s, '$1');
  return named.includes('Float[') ? named.replace(/(?<=\de)\+(?=\d)/g, '') : named;
}

function readObject(json: PuppetHash, id: Value, objects: ObjectTable): Value {
  if (typeof id !== 'bigint') throw new WireError('Ruby sent an object without a number');
  if (json.has('ruby'))
    return new RubyObject(id, String(json.get('class') ?? 'Object'), String(json.get('text') ?? ''));
  return objects.get(Number(id));
}
