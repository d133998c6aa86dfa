import { type Ast, type AstList, printClause, Real } from './ast.ts';
import { QueryRefused } from './query-error.ts';

/** Maximum nesting of arrays and objects: Jackson's own bound. */
const DEEPEST = 1000;

/**
 * Reads JSON and keeps what `JSON.parse` loses: whole numbers beyond 2^53, and the difference
 * between 1 and 1.0. Throws QueryRefused with the line and column that Jackson, PuppetDB's JSON
 * parser, reports: the column after an unexpected character, or the end of an unknown word.
 */
class JsonReader {
  private at = 0;
  private depth = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Reads all values of the text, one after another. */
  readAll(): AstList {
    const values: Ast[] = [];
    for (this.skipSpace(); this.at < this.text.length; this.skipSpace()) values.push(this.readValue());
    return values;
  }

  private readValue(): Ast {
    this.skipSpace();
    const char = this.text[this.at];
    if (char === '[') return this.readArray();
    if (char === '{') return this.readObject();
    if (char === '"') return this.readString();
    if (char !== undefined && /[-0-9]/.test(char)) return this.readNumber();
    return this.readWord();
  }

  private readArray(): Ast {
    const items: Ast[] = [];
    this.open();
    this.skipSpace();
    if (this.text[this.at] === ']') return this.close(items);
    for (;;) {
      items.push(this.readValue());
      this.skipSpace();
      if (this.text[this.at] === ']') return this.close(items);
      this.expect(',');
    }
  }

  private readObject(): Ast {
    const entries = new Map<string, Ast>();
    this.open();
    this.skipSpace();
    if (this.text[this.at] === '}') return this.close(entries);
    for (;;) {
      this.skipSpace();
      if (this.text[this.at] !== '"') this.refuseCharacter('was expecting double-quote to start field name');
      const key = this.readString();
      this.skipSpace();
      this.expect(':');
      entries.set(key, this.readValue());
      this.skipSpace();
      if (this.text[this.at] === '}') return this.close(entries);
      this.expect(',');
    }
  }

  private readString(): string {
    const start = this.at;
    for (this.at++; this.at < this.text.length; this.at++) {
      const char = this.text[this.at] ?? '';
      if (char < ' ') this.refuse(`Illegal unquoted character ((CTRL-CHAR, code ${char.charCodeAt(0)}))`, this.at + 1);
      if (char === '\\') this.skipEscape();
      else if (char === '"') return JSON.parse(this.text.slice(start, ++this.at)) as string;
    }
    return this.refuse('Unexpected end-of-input in VALUE_STRING', this.at);
  }

  private skipEscape(): void {
    const known = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
    known.lastIndex = this.at;
    if (!known.test(this.text)) this.refuse('Unrecognized character escape', Math.min(this.at + 2, this.text.length));
    this.at = known.lastIndex - 1;
  }

  private readNumber(): Ast {
    const number = /-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?/y;
    number.lastIndex = this.at;
    const found = number.exec(this.text);
    if (found === null) return this.refuseCharacter('Expected space separating root-level values');
    this.at = number.lastIndex;
    if (/[0-9a-zA-Z_.]/.test(this.text[this.at] ?? ' ')) this.refuseCharacter('in numeric value');
    if (found[1] !== undefined || found[2] !== undefined) return new Real(Number(found[0]));
    return readInteger(found[0]);
  }

  private readWord(): Ast {
    const word = /[\p{L}\p{N}_$]+/uy;
    word.lastIndex = this.at;
    const found = word.exec(this.text)?.[0];
    if (found === undefined) return this.refuseCharacter('expected a valid value');
    this.at += found.length;
    if (found === 'true') return true;
    if (found === 'false') return false;
    if (found === 'null') return null;
    return this.refuse(
      `Unrecognized token '${found}': was expecting (JSON String, Number, Array, Object or token 'null', 'true' or 'false')`,
      this.at,
    );
  }

  private open(): void {
    this.at++;
    this.depth++;
    if (this.depth > DEEPEST) this.refuse(`Document nesting depth (${this.depth}) exceeds the maximum`, this.at);
  }

  private close<T>(value: T): T {
    this.at++;
    this.depth--;
    return value;
  }

  private skipSpace(): void {
    while (/[ \t\r\n]/.test(this.text[this.at] ?? 'x')) this.at++;
  }

  private expect(char: string): void {
    if (this.text[this.at] !== char) this.refuseCharacter(`was expecting '${char}'`);
    this.at++;
  }

  private refuseCharacter(expected: string): never {
    const char = this.text[this.at];
    if (char === undefined) return this.refuse('Unexpected end-of-input', this.at);
    return this.refuse(`Unexpected character ('${char}' (code ${char.charCodeAt(0)})): ${expected}`, this.at + 1);
  }

  private refuse(reason: string, at: number): never {
    const before = this.text.slice(0, at).split('\n');
    const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
    const shown = this.text.split('\n')[line - 1] ?? '';
    const caret = `${' '.repeat(Math.max(0, column - 2))}^`;
    throw new QueryRefused(`Json parse error at line ${line}, column ${column}:\n\n${shown}\n${caret}\n\n${reason}`);
  }
}

/** Reads a whole number of any size: as a `number` where that is exact, else as a `bigint`. */
export function readInteger(digits: string): number | bigint {
  const number = Number(digits);
  return Number.isSafeInteger(number) ? number : BigInt(digits);
}

/** Reads one JSON value; null for blank text. Throws QueryRefused, also for a second value. */
export function readJsonQuery(text: string): Ast {
  const [first = null, ...others] = new JsonReader(text).readAll();
  if (others.length === 0) return first;
  const rest = `(${others.map(printClause).join(' ')})`;
  throw new QueryRefused(
    `Only one query may be sent in a request. Found JSON ${rest} after the query ${printClause(first)}`,
  );
}

/** Reads the first JSON value of a text, as PuppetDB reads bodies; null for blank text. */
export function readJsonBody(text: string): Ast {
  const [first = null] = new JsonReader(text).readAll();
  return first;
}
