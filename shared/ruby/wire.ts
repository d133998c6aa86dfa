/**
 * Values as JSON frames, for Ruby's side of the border (`side/wire.rb`). Data is plain JSON: integers of any size, floats always
 * with a fraction or an exponent, hashes of names as objects in their order. What JSON has not is an object tagged with `$t`,
 * hashes with other keys are `{"$h": [[key, value], ...]}`.
 */
import { ResourceReference } from '../functions/resource-reference.ts';
import { parseJson } from '../serialization/json.ts';
import { RubySymbol } from '../serialization/yaml.ts';
import { PType } from '../types/ptype.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { PuppetIterator } from '../types/puppet-iterator.ts';
import { PuppetRegexp } from '../types/regexp.ts';
import { Binary, PuppetObject, SemVer, SemVerRange, Timespan, Timestamp, Uri } from '../types/rich-values.ts';
import { parseType } from '../types/type-parser.ts';
import { DEFAULT, RichValue, Sensitive, type Value } from '../types/values.ts';
import { rubyFloat } from '../util/ruby-float.ts';

/** An object that only Ruby knows: it can be handed back to the same request, nothing else. */
export class RubyObject extends RichValue {
  readonly id: bigint;
  readonly className: string;

  constructor(id: bigint, className: string) {
    super();
    this.id = id;
    this.className = className;
  }

  equalityKey(): string {
    return `ruby:${this.id}`;
  }

  override toString(): string {
    return `#<${this.className}>`;
  }
}

/** The values of one request that cross the border by number. */
export class ObjectTable {
  readonly #values: Value[] = [];

  keep(value: Value): number {
    const known = this.#values.indexOf(value);
    return known === -1 ? this.#values.push(value) - 1 : known;
  }

  /** Throws WireError when there is no such number. */
  get(id: number): Value {
    const value = this.#values[id];
    if (value === undefined) throw new WireError(`no object has the number ${id}`);
    return value;
  }

  clear(): void {
    this.#values.length = 0;
  }
}

/** What Ruby sent is no frame that we know. */
export class WireError extends Error {}

/** A frame's fields: texts and numbers as JSON, `Value`s already printed with `printValue`. */
export function printFrame(fields: Readonly<Record<string, string>>): string {
  return `{${Object.entries(fields)
    .map(([name, json]) => `${JSON.stringify(name)}:${json}`)
    .join(',')}}`;
}

export function printValue(value: Value, objects: ObjectTable): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return JSON.stringify(value.isWellFormed() ? value : value.toWellFormed());
  if (typeof value === 'number') return printFloat(value);
  if (value instanceof PuppetHash) return printHash(value, objects);
  if (value instanceof RichValue) return printRich(value, objects);
  return printArray(value, objects);
}

export function printArray(values: readonly Value[], objects: ObjectTable): string {
  return `[${values.map((item) => printValue(item, objects)).join(',')}]`;
}

function printFloat(value: number): string {
  return Number.isFinite(value) ? rubyFloat(value) : tagged('Float', JSON.stringify(rubyFloat(value)));
}

function printHash(hash: PuppetHash, objects: ObjectTable): string {
  const members: string[] = [];
  for (const [key, value] of hash.entries()) {
    if (typeof key !== 'string' || key.startsWith('$')) return printPairs(hash, objects);
    members.push(`${JSON.stringify(key)}:${printValue(value, objects)}`);
  }
  return `{${members.join(',')}}`;
}

function printPairs(hash: PuppetHash, objects: ObjectTable): string {
  return `{"$h":[${[...hash.entries()].map((pair) => printArray(pair, objects)).join(',')}]}`;
}

function printRich(value: RichValue, objects: ObjectTable): string {
  if (value instanceof Sensitive) return tagged('Sensitive', printValue(value.unwrap(), objects));
  if (value === DEFAULT) return '{"$t":"Default"}';
  if (value instanceof PuppetIterator) return printArray(value.toArray(), objects);
  const [tag, text] = textForm(value) ?? [];
  if (tag !== undefined && text !== undefined) return tagged(tag, JSON.stringify(text));
  if (value instanceof RubyObject)
    return `{"$t":"Object","class":${JSON.stringify(value.className)},"ruby":${value.id}}`;
  return printObject(value, objects);
}

function textForm(value: RichValue): readonly [tag: string, text: string] | null {
  if (value instanceof PuppetRegexp) return ['Regexp', value.source];
  if (value instanceof PType) return ['Type', String(value)];
  if (value instanceof ResourceReference) return ['Type', String(value.type)];
  if (value instanceof SemVer) return ['SemVer', String(value)];
  if (value instanceof SemVerRange) return ['SemVerRange', String(value)];
  if (value instanceof Timestamp) return ['Timestamp', value.nsecs.toString()];
  if (value instanceof Timespan) return ['Timespan', value.nsecs.toString()];
  if (value instanceof Binary) return ['Binary', Buffer.from(value.bytes).toString('base64')];
  if (value instanceof Uri) return ['URI', String(value)];
  if (value instanceof RubySymbol) return ['Symbol', value.name];
  return null;
}

function printObject(value: RichValue, objects: ObjectTable): string {
  const isObject = value instanceof PuppetObject;
  const name = JSON.stringify(isObject ? String(value.type) : value.constructor.name);
  const attributes = isObject ? printHash(value.toInitHash(), objects) : '{}';
  return `{"$t":"Object","v":${objects.keep(value)},"class":${name},"attributes":${attributes}}`;
}

function tagged(tag: string, json: string): string {
  return `{"$t":"${tag}","v":${json}}`;
}

/** The JSON of a frame. Throws WireError. */
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

/** How texts that only a compile understands are read. */
export interface WireReaders {
  type?(text: string): Value;
}

/** A value of a parsed frame, as Puppet knows it. Throws WireError; PuppetError for a text that is no type. */
export function readValue(json: Value, objects: ObjectTable, readers: WireReaders = {}): Value {
  if (json === null || typeof json !== 'object') return json;
  const read = (value: Value): Value => readValue(value, objects, readers);
  if (!(json instanceof PuppetHash)) return json instanceof RichValue ? json : json.map(read);
  const tag = json.get('$t');
  if (tag !== undefined) return readTagged(String(tag), json, objects, readers);
  const pairs = json.get('$h');
  if (Array.isArray(pairs)) return PuppetHash.of(pairs.map((pair) => readPair(pair, read)));
  return PuppetHash.of([...json.entries()].map(([key, value]) => [key, read(value)] as const));
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
  ['URI', (text) => Uri.parse(text)],
  ['Symbol', (text) => new RubySymbol(text)],
  ['Float', (text) => Number(text)],
]);

function readTagged(tag: string, json: PuppetHash, objects: ObjectTable, readers: WireReaders): Value {
  const value = json.get('v') ?? null;
  if (tag === 'Sensitive') return new Sensitive(readValue(value, objects, readers));
  if (tag === 'Default') return DEFAULT;
  if (tag === 'Type') return (readers.type ?? parseType)(String(value));
  if (tag === 'Object') return readObject(json, value, objects);
  const read = TEXTS.get(tag);
  if (!read) throw new WireError(`Ruby sent a value of an unknown kind, ${tag}`);
  return read(String(value));
}

function readObject(json: PuppetHash, id: Value, objects: ObjectTable): Value {
  if (typeof id !== 'bigint') throw new WireError('Ruby sent an object without a number');
  if (json.has('ruby')) return new RubyObject(id, String(json.get('class') ?? 'Object'));
  return objects.get(Number(id));
}
