import type { WorkSteps } from '../../util/in-steps.ts';
import { InvalidJson } from './json-texts.ts';

/**
 * The members of an object: scalars and those that were asked for as `JSON.parse` reads them, and
 * what else is there.
 */
export type JsonMembers = ReadonlyMap<string, unknown>;

const SPACE = /[ \t\n\r]*/y;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// Puppet: Ruby's parser rejects deeper nesting.
const MOST_NESTING = 100;
/** Values of a step; a value takes less than a microsecond. */
const VALUES_IN_STEP = 10_000;
/** The longest array or object that is read as a whole. */
const LONGEST_WHOLE = 64 * 1024;

/**
 * Checks a JSON text of any size in steps, and reads the members of the object that it is: scalars,
 * and an empty array or object for each array and object. It thus needs a tenth of the time and
 * none of the memory of `JSON.parse`. Members named in `wholes` are read with all that is in them,
 * unless they are longer than 64 KB. Null for another value. Throws InvalidJson.
 */
export function scanJsonMembers(text: string, wholes: readonly string[] = []): WorkSteps<JsonMembers | null> {
  return new MemberReader(text, wholes).read();
}

class MemberReader {
  readonly #text: string;
  readonly #members = new Map<string, unknown>();
  /** The arrays and objects around the place, from the outside. */
  readonly #open: ('[' | '{')[] = [];
  readonly #wholes: ReadonlySet<string>;
  /** The member that is being read as a whole, and where it begins. */
  #whole: { readonly key: string; readonly start: number } | null = null;
  #at = 0;

  constructor(text: string, wholes: readonly string[]) {
    this.#text = text;
    this.#wholes = new Set(wholes);
  }

  *read(): WorkSteps<JsonMembers | null> {
    this.#skipSpace();
    const isObject = this.#text[this.#at] === '{';
    let key = '';
    for (let values = 1; ; values += 1) {
      if (values % VALUES_IN_STEP === 0) yield;
      const value = this.#readValue();
      if (this.#isMember(value)) this.#note(key, value);
      if (this.#hasEntered) {
        if (!this.#closes()) {
          key = this.#readKey();
          continue;
        }
        this.#leave();
      }
      if (!this.#goesOn()) break;
      key = this.#readKey();
    }
    this.#skipSpace();
    if (this.#at < this.#text.length) throw this.#invalidError(this.#at);
    return isObject ? this.#members : null;
  }

  /** Whether the last value was an array or object that is open now. */
  #hasEntered = false;

  #readValue(): unknown {
    this.#skipSpace();
    const start = this.#text[this.#at];
    this.#hasEntered = start === '{' || start === '[';
    if (start === '"') return this.#readString();
    if (start !== '{' && start !== '[') return this.#readPlain();
    if (this.#open.length >= MOST_NESTING) throw this.#invalidError(this.#at);
    this.#open.push(start);
    this.#at += 1;
    return start === '{' ? {} : [];
  }

  /** Whether a value belongs to the outermost object. */
  #isMember(value: unknown): boolean {
    const depth = this.#open.length - (typeof value === 'object' && value !== null ? 1 : 0);
    return depth === 1 && this.#open[0] === '{';
  }

  /** Whether the innermost array or object ends here. */
  #closes(): boolean {
    return this.#take(this.#open.at(-1) === '{' ? '}' : ']');
  }

  /** Ends what ends here; whether another value follows. */
  #goesOn(): boolean {
    while (this.#open.length > 0) {
      if (this.#take(',')) return true;
      if (!this.#closes()) throw this.#invalidError(this.#at);
      this.#leave();
    }
    return false;
  }

  #note(key: string, value: unknown): void {
    this.#members.set(key, value);
    if (this.#hasEntered && this.#wholes.has(key)) this.#whole = { key, start: this.#at - 1 };
  }

  /** Leaves the innermost array or object, which ends before the place. */
  #leave(): void {
    this.#open.pop();
    if (this.#whole === null || this.#open.length > 1) return;
    const { key, start } = this.#whole;
    this.#whole = null;
    if (this.#at - start <= LONGEST_WHOLE) this.#members.set(key, JSON.parse(this.#text.slice(start, this.#at)));
  }

  /** The key of the next value, empty in an array. */
  #readKey(): string {
    if (this.#open.at(-1) !== '{') return '';
    this.#skipSpace();
    if (this.#text[this.#at] !== '"') throw this.#invalidError(this.#at);
    const key = this.#readString();
    if (!this.#take(':')) throw this.#invalidError(this.#at);
    return key;
  }

  #readString(): string {
    const start = this.#at;
    let end = this.#text.indexOf('"', start + 1);
    while (end > 0 && this.#isEscaped(end)) end = this.#text.indexOf('"', end + 1);
    if (end < 0) throw this.#invalidError(start);
    this.#at = end + 1;
    try {
      return String(JSON.parse(this.#text.slice(start, this.#at)));
    } catch {
      throw this.#invalidError(start);
    }
  }

  #isEscaped(at: number): boolean {
    let before = at - 1;
    while (this.#text[before] === '\\') before -= 1;
    return (at - before) % 2 === 0;
  }

  #readPlain(): unknown {
    PLAIN.lastIndex = this.#at;
    const text = PLAIN.exec(this.#text)?.[0];
    if (text === undefined) throw this.#invalidError(this.#at);
    this.#at += text.length;
    return JSON.parse(text);
  }

  #take(character: string): boolean {
    this.#skipSpace();
    if (this.#text[this.#at] !== character) return false;
    this.#at += 1;
    return true;
  }

  #skipSpace(): void {
    SPACE.lastIndex = this.#at;
    this.#at += SPACE.exec(this.#text)?.[0].length ?? 0;
  }

  #invalidError(at: number): InvalidJson {
    return new InvalidJson(this.#text.slice(at));
  }
}
