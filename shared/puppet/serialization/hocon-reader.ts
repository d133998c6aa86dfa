import type { Value } from '../types/values/values.ts';

export type HoconNode =
  | { readonly kind: 'value'; readonly value: Value }
  | HoconObject
  | { readonly kind: 'list'; readonly items: readonly HoconNode[] }
  | HoconSubstitution
  | { readonly kind: 'concatenation'; readonly parts: readonly HoconNode[] }
  /**
   * Two values of one field that can only be merged after substitution; `above` was written later.
   */
  | { readonly kind: 'merge'; readonly below: HoconNode; readonly above: HoconNode };

const RESERVED = '`^?!@*&\\';
const BAD_PATH =
  'path has a leading, trailing, or two adjacent period \'.\' (use quoted "" empty string if you want an empty element)';

/** `${path}`, or the optional `${?path}`, whose path may not exist. */
export interface HoconSubstitution {
  readonly kind: 'substitution';
  readonly path: readonly string[];
  readonly optional: boolean;
  readonly line: number;
}

export interface HoconObject {
  readonly kind: 'object';
  readonly members: Map<string, HoconNode>;
}

const UNQUOTED_END = '$"{}[]:=,+#`^?!@*&\\\n';

/** Parses a HOCON text to nodes. Throws Error with the line when the text is malformed. */
export class HoconReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  }

  readRoot(): HoconObject {
    this.#skip(true);
    const line = this.#countLine();
    const isList = this.#take('[');
    if (isList) this.#readList();
    const root = this.#readMembers(this.#take('{') ? '}' : '', isList);
    this.#skip(true);
    if (this.#at < this.#text.length) {
      this.#fail(`Document has trailing tokens after first object or array: ${this.#tokenName()}`);
    }
    if (isList) throw new Error(`String: ${line}:  has type LIST rather than object at file root`);
    return root;
  }

  #readMembers(end: '}' | '', isEmpty = false): HoconObject {
    const object: HoconObject = { kind: 'object', members: new Map() };
    if (isEmpty) return object;
    for (;;) {
      this.#skip(true);
      if (this.#endsMembers(end)) return object;
      if (this.#takeInclude()) continue;
      if (/[=:,{[\]$+]/.test(this.#peek()) || this.#peek() === '') {
        this.#fail(`expecting a close brace or a field name here, got ${this.#tokenName()}`);
      }
      const path = this.#readPath();
      this.#skip(true);
      const appends = this.#take('+=');
      if (!appends && this.#peek() !== '{' && !this.#take(':') && !this.#take('=')) {
        this.#fail(this.#withQuotes(`Key '${path.join('.')}' may not be followed by token: ${this.#tokenName()}`));
      }
      this.#skip(true);
      addMember(object, path, this.#readValue(), appends);
      if (this.#takeSeparator()) continue;
      if (this.#endsMembers(end)) return object;
      this.#fail(this.#withQuotes(`Expecting close brace } or a comma, got ${this.#tokenName()}`));
    }
  }

  #endsMembers(end: '}' | ''): boolean {
    if (end === '' && this.#peek() === '}') {
      this.#fail(this.#withQuotes("unbalanced close brace '}' with no open brace"));
    }
    return end === '' ? this.#at >= this.#text.length : this.#take(end);
  }

  /** Consumes a separator: line breaks, a comma, or both. */
  #takeSeparator(): boolean {
    const before = this.#countLine();
    this.#skip(true);
    return this.#take(',') || this.#countLine() > before;
  }

  /**
   * Consumes an `include`. The text has no folder, so an included file is never found. That is not
   * an error.
   */
  #takeInclude(): boolean {
    const [keyword, after = ''] = /^include(?=[^\w.-])[ \t]*([^\s"]?[^\s(]*\(?)/.exec(this.#text.slice(this.#at)) ?? [];
    if (keyword === undefined) return false;
    const [quoted] = /^include\s+"(?:[^"\\\n]|\\.)*"/.exec(this.#text.slice(this.#at)) ?? [];
    if (quoted !== undefined) {
      this.#at += quoted.length;
      this.#skip(false);
      this.#take(',');
      return true;
    }
    if (/^(?:=|:|\{|\+=)/.test(after)) {
      this.#fail(`include keyword is not followed by a quoted string, but by: '${after.slice(0, 1)}'`);
    }
    if (/^(?:file|url|classpath)\($/.test(after)) this.#fail(`include ${after}...) is not supported in Hiera data`);
    this.#fail(
      `expecting include parameter to be quoted filename, file(), classpath(), or url(). No spaces are allowed before the open paren. Not expecting: '${after}'`,
    );
  }

  #readPath(): string[] {
    const path: string[] = [];
    do {
      this.#skip(false);
      if (this.#peek() === '"') path.push(this.#readString());
      else path.push(this.#takeUntil(`${UNQUOTED_END}.`).trim());
      if (path.at(-1) === '' && this.#text[this.#at - 1] !== '"') throw new Error(BAD_PATH);
    } while (this.#take('.'));
    return path;
  }

  #readValue(): HoconNode {
    const parts: HoconNode[] = [];
    for (;;) {
      const blanks = this.#takeBlanks();
      const part = this.#readPart();
      if (!part) break;
      if (blanks !== '' && parts.length > 0) parts.push({ kind: 'value', value: blanks });
      parts.push(part);
    }
    const [only] = parts;
    if (!only) this.#fail(this.#withQuotes(`Expecting a value but got wrong token: ${this.#tokenName()}`));
    return parts.length === 1 ? only : { kind: 'concatenation', parts };
  }

  #readPart(): HoconNode | null {
    if (this.#startsComment()) return null;
    if (this.#take('{')) return this.#readMembers('}');
    if (this.#take('[')) return this.#readList();
    if (this.#peek() === '"') return { kind: 'value', value: this.#readString() };
    if (this.#take('${')) return this.#readSubstitution();
    const word = this.#takeUntil(`${UNQUOTED_END} \t`);
    return word === '' ? null : { kind: 'value', value: plainValue(word) };
  }

  #readList(): HoconNode {
    const items: HoconNode[] = [];
    this.#skip(true);
    if (this.#take(']')) return { kind: 'list', items };
    this.#expectItem('List should have ] or a first element after the open [, instead had token:', '');
    for (;;) {
      items.push(this.#readValue());
      const isMore = this.#takeSeparator();
      this.#skip(true);
      if (this.#take(']')) return { kind: 'list', items };
      if (!isMore) this.#failItem('List should have ended with ] or had a comma, instead had token:', '');
      this.#expectItem('List should have had new element after a comma, instead had token:', 'the comma or ');
    }
  }

  #expectItem(problem: string, also: string): void {
    if (this.#peek() === '' || /[,}:=\]]/.test(this.#peek())) this.#failItem(problem, also);
  }

  #failItem(problem: string, also: string): never {
    const token = this.#tokenName();
    this.#fail(`${problem} ${token} (if you want ${also}${token} to be part of a string value, then double-quote it)`);
  }

  #readSubstitution(): HoconNode {
    const line = this.#countLine();
    const optional = this.#take('?');
    const path = this.#readPath();
    if (!this.#take('}')) this.#fail("expecting a close brace '}' of a substitution");
    return { kind: 'substitution', path, optional, line };
  }

  #readString(): string {
    if (this.#take('"""')) {
      const end = this.#text.indexOf('"""', this.#at);
      if (end < 0) this.#fail('End of input but triple-quoted string was still open');
      const [quotes = ''] = /^"*/.exec(this.#text.slice(end)) ?? [];
      const text = this.#text.slice(this.#at, end + quotes.length - 3);
      this.#at = end + quotes.length;
      return text;
    }
    const [literal] = /^"(?:[^"\\\n]|\\.)*"/.exec(this.#text.slice(this.#at)) ?? [];
    if (literal === undefined) this.#fail('End of input but string quote was still open');
    this.#at += literal.length;
    const text: unknown = JSON.parse(literal);
    return String(text);
  }

  #startsComment(): boolean {
    return this.#text.startsWith('#', this.#at) || this.#text.startsWith('//', this.#at);
  }

  #skip(breaks: boolean): void {
    for (;;) {
      this.#takeBlanks();
      if (this.#startsComment()) while (this.#at < this.#text.length && this.#peek() !== '\n') this.#at += 1;
      if (!breaks || this.#peek() !== '\n') return;
      this.#at += 1;
    }
  }

  #takeBlanks(): string {
    const start = this.#at;
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  #takeUntil(ends: string): string {
    const start = this.#at;
    while (this.#at < this.#text.length && !ends.includes(this.#peek()) && !this.#startsComment()) this.#at += 1;
    return this.#text.slice(start, this.#at);
  }

  /**
   * A message with the hocon gem's hint about the likely cause. The gem, too, leaves the bracket
   * open.
   */
  #withQuotes(message: string): string {
    if (this.#peek() === '') return message;
    const use = 'to be part of a key or string value, try enclosing the key or value in double quotes';
    return `${message} (if you intended ${this.#tokenName()} ${use}`;
  }

  /** The name of the next token in errors. */
  #tokenName(): string {
    const next = this.#peek();
    if (next === '') return 'end of file';
    const [word] = /^[^\s$"{}[\]:=,+#`^?!@*&\\]+/.exec(this.#text.slice(this.#at)) ?? [];
    if (word !== undefined) return `'${word}'`;
    return RESERVED.includes(next)
      ? `'${next}' (Reserved character '${next}' is not allowed outside quotes)`
      : `'${next}'`;
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #take(token: string): boolean {
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #fail(problem: string): never {
    throw new Error(`String: ${this.#countLine()}: ${problem}`);
  }

  #countLine(): number {
    return this.#text.slice(0, this.#at).split('\n').length;
  }
}

function plainValue(word: string): Value {
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (/^-?\d+$/.test(word)) return BigInt(word);
  if (!/^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return word;
  const number = Number(word);
  return Number.isSafeInteger(number) ? BigInt(number) : number;
}

function addMember(object: HoconObject, path: readonly string[], value: HoconNode, appends: boolean): void {
  const [key = '', ...rest] = path;
  let node = value;
  if (rest.length > 0) {
    const inner: HoconObject = { kind: 'object', members: new Map() };
    addMember(inner, rest, value, appends);
    node = inner;
  }
  const old = object.members.get(key);
  if (appends && rest.length === 0) {
    const item: HoconNode = { kind: 'list', items: [value] };
    node = old ? { kind: 'concatenation', parts: [old, item] } : item;
  } else if (old) node = combine(old, node);
  object.members.set(key, node);
}

function combine(below: HoconNode, above: HoconNode): HoconNode {
  if (below.kind === 'object' && above.kind === 'object') {
    const members = new Map(above.members);
    for (const [key, node] of below.members) {
      const later = members.get(key);
      members.set(key, later ? combine(node, later) : node);
    }
    return { kind: 'object', members };
  }
  if (above.kind === 'value' || above.kind === 'list') return above;
  return { kind: 'merge', below, above };
}
