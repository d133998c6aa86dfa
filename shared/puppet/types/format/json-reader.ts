import { runAtOnce, type WorkSteps } from '../../../util/in-steps.ts';
import { PuppetHash } from '../values/puppet-hash.ts';
import type { Value } from '../values/values.ts';

/** Parses a JSON text for `parseJson`. Throws SyntaxError with the text of Ruby's parser. */
export function parseRubyJson(text: string): Value {
  return runAtOnce(parseRubyJsonInSteps(text));
}

/** Does the same in steps. Throws TooManyValues for a text with more than `mostValues`. */
export function parseRubyJsonInSteps(text: string, mostValues = Number.POSITIVE_INFINITY): WorkSteps<Value> {
  return new JsonReader(text, mostValues).readWhole();
}

/** A JSON text has more values than its reader takes. */
export class TooManyValues extends Error {
  constructor(most: number) {
    super(`more than ${most} values`);
    this.name = 'TooManyValues';
  }
}

const NUMBER = /-?(?:0(?!\d)|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const STRING = /"[^"\\]*(?:\\.[^"\\]*)*"/sy;
/** White space; Ruby's parser includes comments. */
const SPACE = /(?:[ \t\n\r]|\/\*[\s\S]*?\*\/|\/\/[^\n]*\n)*/y;
const LITERALS: readonly (readonly [string, Value])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

const MOST_NESTING = 100;
/** Characters of a number in a bounded text: an Integer takes the square of their number. */
const MOST_DIGITS = 1000;
/** Values of a step; a value takes two to six microseconds. */
const VALUES_IN_STEP = 100;

/**
 * Thrown for a malformed object or value, for which Ruby's parser has no message. The enclosing
 * list, or the text as a whole, then reports where it starts. The numbers in the messages are
 * source lines of Ruby's parser (json 2.6.1).
 */
class NoValue extends Error {
  readonly at: number;

  constructor(at: number) {
    super();
    this.at = at;
  }
}

const LINE_OF_WHOLE = 859;
const LINE_OF_LIST = 451;
const LINE_OF_NAN = 225;
const LINE_OF_INFINITY = 232;
const LINE_OF_MINUS_INFINITY = 249;

class JsonReader {
  readonly #text: string;
  readonly #mostValues: number;
  readonly #mostDigits: number;
  #at = 0;
  #depth = 0;
  #values = 0;

  constructor(text: string, mostValues: number) {
    this.#text = text;
    this.#mostValues = mostValues;
    this.#mostDigits = Number.isFinite(mostValues) ? MOST_DIGITS : mostValues;
  }

  *readWhole(): WorkSteps<Value> {
    const value = yield* this.#readItem(LINE_OF_WHOLE);
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#unexpectedTokenError(LINE_OF_WHOLE, this.#at);
    return value;
  }

  *#readValue(): WorkSteps<Value> {
    this.#match(SPACE);
    this.#values += 1;
    if (this.#values > this.#mostValues) throw new TooManyValues(this.#mostValues);
    if (this.#values % VALUES_IN_STEP === 0) yield;
    const start = this.#text[this.#at];
    if (start === '{' || start === '[') return yield* this.#readNested(start);
    return start === '"' ? this.#readString() : this.#readPlain();
  }

  #readPlain(): Value {
    for (const [name, value] of LITERALS) {
      if (!this.#text.startsWith(name, this.#at)) continue;
      this.#at += name.length;
      return value;
    }
    return this.#readNumber();
  }

  // Puppet: Ruby's parser rejects deeper nesting.
  *#readNested(start: '{' | '['): WorkSteps<Value> {
    this.#depth += 1;
    if (this.#depth > MOST_NESTING) throw new SyntaxError(`nesting of ${this.#depth} is too deep`);
    const value = start === '{' ? yield* this.#readObject() : yield* this.#readArray();
    this.#depth -= 1;
    return value;
  }

  *#readObject(): WorkSteps<PuppetHash> {
    const start = this.#at;
    try {
      return yield* this.#readMembers();
    } catch (error) {
      throw error instanceof NoValue ? new NoValue(start) : error;
    }
  }

  *#readMembers(): WorkSteps<PuppetHash> {
    const hash = new PuppetHash();
    this.#at += 1;
    if (this.#take('}')) return hash;
    do {
      this.#match(SPACE);
      const key = this.#readString();
      if (!this.#take(':')) throw new NoValue(this.#at);
      hash.set(key, yield* this.#readValue());
    } while (this.#take(','));
    if (!this.#take('}')) throw new NoValue(this.#at);
    return hash;
  }

  *#readArray(): WorkSteps<readonly Value[]> {
    const items: Value[] = [];
    this.#at += 1;
    if (this.#take(']')) return items;
    do items.push(yield* this.#readItem(LINE_OF_LIST));
    while (this.#take(','));
    if (!this.#take(']')) throw this.#unexpectedTokenError(LINE_OF_LIST, this.#at);
    return items;
  }

  #readString(): string {
    const start = this.#at;
    const text = this.#match(STRING)?.[0];
    if (text === undefined) throw new NoValue(start);
    try {
      const parsed: unknown = JSON.parse(text.includes('\\') ? text.replace(ESCAPE, usualEscape) : text);
      return String(parsed);
    } catch {
      throw new NoValue(start);
    }
  }

  #readNumber(): Value {
    const match = this.#match(NUMBER);
    if (!match) throw this.#noNumber();
    const [text, fraction, exponent] = match;
    if (text.length > this.#mostDigits) throw this.#unexpectedTokenError(LINE_OF_WHOLE, this.#at - text.length);
    return fraction === undefined && exponent === undefined ? BigInt(text) : Number(text);
  }

  #noNumber(): Error {
    if (this.#text.startsWith('NaN', this.#at)) return this.#unexpectedTokenError(LINE_OF_NAN, this.#at);
    if (this.#text.startsWith('-Infinity', this.#at))
      return this.#unexpectedTokenError(LINE_OF_MINUS_INFINITY, this.#at);
    if (this.#text.startsWith('Infinity', this.#at)) return this.#infinityError(this.#at);
    return new NoValue(this.#at);
  }

  // Puppet: Ruby shows the text from the character before. At the start of the text that position
  // wraps to its end.
  #infinityError(at: number): SyntaxError {
    return this.#unexpectedTokenError(LINE_OF_INFINITY, at === 0 ? this.#text.length : at - 1);
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

  *#readItem(line: number): WorkSteps<Value> {
    try {
      return yield* this.#readValue();
    } catch (error) {
      throw error instanceof NoValue ? this.#unexpectedTokenError(line, error.at) : error;
    }
  }

  // Ruby: an unterminated comment shows nothing.
  #unexpectedTokenError(line: number, at: number): SyntaxError {
    const rest = this.#text.slice(at);
    return new SyntaxError(`${line}: unexpected token at '${rest.startsWith('/') ? '' : rest}'`);
  }
}

const ESCAPE = /\\([\s\S])/g;

/** An unnecessary escape represents the character itself, as in Ruby. */
function usualEscape(text: string, character: string): string {
  return '"\\/bfnrtu'.includes(character) ? text : character;
}
