import { PuppetError } from '../errors/puppet-error.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import { rubyFloat } from '../util/ruby-float.ts';

/**
 * JSON text as Puppet data: integers are Integer whatever their size, numbers with a fraction or an exponent Float, objects
 * hashes in the order of the text (the last of equal keys wins). Throws SyntaxError.
 */
export function parseJson(text: string): Value {
  const reader = new JsonReader(text);
  const value = reader.value();
  reader.end();
  return value;
}

/** A number that JSON has not. */
export class NotJson extends PuppetError {}

/** Data as Ruby's `JSON.generate` prints it. Throws TypeError for a value that is no data, NotJson for a number that JSON has not. */
export function printJson(value: Value): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) throw new NotJson(`${rubyFloat(value)} not allowed in JSON`);
    return rubyFloat(value);
  }
  if (isArray(value)) return `[${value.map(printJson).join(',')}]`;
  if (!(value instanceof PuppetHash)) throw new TypeError(`${value.constructor.name} is no JSON data`);
  let members = '';
  for (const [key, item] of value.entries()) {
    members += `${members === '' ? '' : ','}${JSON.stringify(keyText(key))}:${printJson(item)}`;
  }
  return `{${members}}`;
}

/** Data as `JSON.parse` would give it: Integers and Floats become numbers, hashes objects. */
export function toPlainJson(value: Value): unknown {
  return JSON.parse(printJson(value));
}

function keyText(key: Value): string {
  if (typeof key === 'string') return key;
  return key === null ? '' : printJson(key);
}

function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
/** Ruby's parser takes comments for white space. */
const SPACE = /(?:[ \t\n\r]|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*/y;
const LITERALS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

const MOST_NESTING = 100;

class JsonReader {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(): Value {
    this.#match(SPACE);
    const start = this.#text[this.#at];
    if (start === '{') return this.#nested(() => this.#object());
    if (start === '[') return this.#nested(() => this.#array());
    if (start === '"') return this.#string();
    for (const [name, value] of LITERALS) {
      if (!this.#text.startsWith(name, this.#at)) continue;
      this.#at += name.length;
      return value;
    }
    return this.#number();
  }

  end(): void {
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#unexpected();
  }

  // Puppet: Ruby's parser takes no deeper nesting.
  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > MOST_NESTING) throw new SyntaxError(`nesting of ${this.#depth} is too deep`);
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #object(): PuppetHash {
    const hash = new PuppetHash();
    this.#at += 1;
    if (this.#take('}')) return hash;
    do {
      this.#match(SPACE);
      const key = this.#string();
      if (!this.#take(':')) throw this.#unexpected();
      hash.set(key, this.value());
    } while (this.#take(','));
    if (!this.#take('}')) throw this.#unexpected();
    return hash;
  }

  #array(): readonly Value[] {
    const items: Value[] = [];
    this.#at += 1;
    if (this.#take(']')) return items;
    do items.push(this.value());
    while (this.#take(','));
    if (!this.#take(']')) throw this.#unexpected();
    return items;
  }

  #string(): string {
    const text = this.#match(STRING)?.[0];
    if (text === undefined) throw this.#unexpected();
    const parsed: unknown = JSON.parse(text);
    return String(parsed);
  }

  #number(): Value {
    const match = this.#match(NUMBER);
    if (!match) throw this.#unexpected();
    const [text, fraction, exponent] = match;
    return fraction === undefined && exponent === undefined ? BigInt(text) : Number(text);
  }

  #take(character: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match) this.#at += match[0].length;
    return match;
  }

  #unexpected(): SyntaxError {
    const rest = this.#text.slice(this.#at, this.#at + 20);
    const what = rest === '' ? 'end of input' : `token at '${rest}'`;
    return new SyntaxError(`unexpected ${what} at position ${this.#at}`);
  }
}
