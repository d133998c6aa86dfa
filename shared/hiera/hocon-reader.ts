import type { Value } from '../types/values.ts';

export type HoconNode =
  | { readonly kind: 'value'; readonly value: Value }
  | HoconObject
  | { readonly kind: 'list'; readonly items: readonly HoconNode[] }
  | { readonly kind: 'substitution'; readonly path: readonly string[]; readonly optional: boolean }
  | { readonly kind: 'concatenation'; readonly parts: readonly HoconNode[] }
  /** What two fields of one name are when it takes resolving to know: `above` was written later. */
  | { readonly kind: 'merge'; readonly below: HoconNode; readonly above: HoconNode };

export interface HoconObject {
  readonly kind: 'object';
  readonly members: Map<string, HoconNode>;
}

const UNQUOTED_END = '$"{}[]:=,+#`^?!@*&\\\n';

/** Reads a HOCON text into nodes. Throws Error with the line of what it can't read. */
export class HoconReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n');
  }

  readRoot(): HoconObject {
    this.#skip(true);
    const braced = this.#take('{');
    const root = this.#readMembers(braced ? '}' : '');
    this.#skip(true);
    if (this.#at < this.#text.length) this.#fail(`unexpected '${this.#peek()}'`);
    return root;
  }

  #readMembers(end: '}' | ''): HoconObject {
    const object: HoconObject = { kind: 'object', members: new Map() };
    for (;;) {
      this.#skip(true);
      if (end !== '' && this.#take(end)) return object;
      if (this.#at >= this.#text.length) {
        if (end === '') return object;
        this.#fail("expecting a close brace '}'");
      }
      if (this.#takeInclude()) continue;
      const path = this.#readPath();
      this.#skip(false);
      const appends = this.#take('+=');
      if (!appends && this.#peek() !== '{' && !this.#take(':') && !this.#take('=')) {
        this.#fail(`Key '${path.join('.')}' may not be followed by token: ${this.#tokenName()}`);
      }
      this.#skip(true);
      addMember(object, path, this.#readValue(), appends);
      this.#skip(false);
      this.#take(',');
    }
  }

  /** What Hiera reads has no folder of its own: files that are included by name are never found, which is no error. */
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
      if (path.at(-1) === '' && this.#text[this.#at - 1] !== '"') this.#fail(`unexpected '${this.#peek()}'`);
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
    if (!only) this.#fail(`unexpected '${this.#peek()}'`);
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
    for (;;) {
      this.#skip(true);
      if (this.#take(']')) return { kind: 'list', items };
      if (this.#at >= this.#text.length) this.#fail("expecting a close square bracket ']'");
      items.push(this.#readValue());
      this.#skip(true);
      this.#take(',');
    }
  }

  #readSubstitution(): HoconNode {
    const optional = this.#take('?');
    const path = this.#readPath();
    if (!this.#take('}')) this.#fail("expecting a close brace '}' of a substitution");
    return { kind: 'substitution', path, optional };
  }

  #readString(): string {
    if (this.#take('"""')) {
      const end = this.#text.indexOf('"""', this.#at);
      if (end < 0) this.#fail('End of input but triple-quoted string was still open');
      const text = this.#text.slice(this.#at, end);
      this.#at = end + 3;
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

  /** What errors call the next character. */
  #tokenName(): string {
    return this.#peek() === '' ? 'end of file' : `'${this.#peek()}'`;
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
    const line = this.#text.slice(0, this.#at).split('\n').length;
    throw new Error(`String: ${line}: ${problem}`);
  }
}

function plainValue(word: string): Value {
  if (word === 'true' || word === 'false') return word === 'true';
  if (word === 'null') return null;
  if (/^-?(0|[1-9]\d*)$/.test(word)) return BigInt(word);
  if (!/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return word;
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
