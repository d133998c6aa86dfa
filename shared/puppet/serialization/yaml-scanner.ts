import { scanDirective, scanName, scanTag } from './yaml-properties.ts';
import { scanBlockScalar, scanPlainScalar, scanQuotedScalar } from './yaml-scalars.ts';
import { YamlText } from './yaml-text.ts';
import { type Mark, type Punctuation, YamlSyntaxError, type YamlToken } from './yaml-tokens.ts';

/** A place where a key without `?` may have started. Only a `:` behind it decides. */
interface PossibleKey {
  readonly mark: Mark;
  /** Index of the token with which the key starts. */
  readonly token: number;
  /** Whether a `:` must follow on the line, because it is at the indentation of a block mapping. */
  readonly required: boolean;
}

const LONGEST_KEY = 1024;

/**
 * Splits a YAML text into tokens. Indentation becomes start and end tokens of blocks. Accepts and
 * rejects the same texts as libyaml, Ruby's YAML reader.
 */
export class YamlScanner {
  readonly #text: YamlText;
  readonly #queue: YamlToken[] = [];
  #taken = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #flowLevel = 0;
  #keyAllowed = true;
  readonly #possibleKeys: (PossibleKey | null)[] = [null];

  constructor(text: string) {
    this.#text = new YamlText(text);
  }

  peek(): YamlToken {
    while (this.#needsMore()) this.#fetch();
    const token = this.#queue[0];
    if (!token) throw new Error('invariant: a scanner never runs out of tokens');
    return token;
  }

  next(): YamlToken {
    const token = this.peek();
    this.#queue.shift();
    this.#taken += 1;
    return token;
  }

  #needsMore(): boolean {
    if (this.#queue.length === 0) return true;
    this.#dropStaleKeys();
    for (const key of this.#possibleKeys) if (key?.token === this.#taken) return true;
    return false;
  }

  #fetch(): void {
    const text = this.#text;
    this.#skipToToken();
    this.#dropStaleKeys();
    this.#unrollTo(text.column);
    if (text.isAtEnd()) this.#fetchStreamEnd();
    else if (text.column === 0 && text.charAt() === '%') this.#fetchDirective();
    else if (text.isDocumentIndicator('---')) this.#fetchDocumentIndicator('document-start');
    else if (text.isDocumentIndicator('...')) this.#fetchDocumentIndicator('document-end');
    else if (!this.#fetchIndicator()) this.#fetchScalar();
  }

  #fetchIndicator(): boolean {
    const text = this.#text;
    const blankNext = text.isBlankOrEnd(1);
    const inFlow = this.#flowLevel > 0;
    switch (text.charAt()) {
      case '[':
        return this.#fetchFlowStart('flow-sequence-start');
      case '{':
        return this.#fetchFlowStart('flow-mapping-start');
      case ']':
        return this.#fetchFlowEnd('flow-sequence-end');
      case '}':
        return this.#fetchFlowEnd('flow-mapping-end');
      case ',':
        return this.#fetchFlowEntry();
      case '-':
        return blankNext && this.#fetchBlockEntry();
      case '?':
        return (inFlow || blankNext) && this.#fetchKey();
      case ':':
        return (inFlow || blankNext) && this.#fetchValue();
      case '*':
        return this.#fetchName('alias');
      case '&':
        return this.#fetchName('anchor');
      case '!':
        return this.#fetchTag();
      default:
        return false;
    }
  }

  #fetchScalar(): void {
    const text = this.#text;
    const character = text.charAt();
    const inFlow = this.#flowLevel > 0;
    const start = text.mark;
    if ((character === '|' || character === '>') && !inFlow) {
      this.#removeKey();
      this.#keyAllowed = true;
      this.#queue.push({ kind: 'scalar', start, value: scanBlockScalar(text, this.#indent), plain: false });
      return;
    }
    this.#savePossibleKey();
    this.#keyAllowed = false;
    if (character === "'" || character === '"') {
      this.#queue.push({ kind: 'scalar', start, value: scanQuotedScalar(text), plain: false });
      return;
    }
    const special = '-?:,[]{}#&*!|>\'"%@`'.includes(character);
    const startsPlain =
      (character === '-' && !text.isBlank(1)) ||
      (!inFlow && (character === '?' || character === ':') && !text.isBlankOrEnd(1));
    if (text.isBlankOrEnd() || (special && !startsPlain)) {
      throw new YamlSyntaxError(
        'found character that cannot start any token',
        'while scanning for the next token',
        start,
      );
    }
    const { value, endedByBreak } = scanPlainScalar(text, this.#indent, inFlow);
    if (endedByBreak) this.#keyAllowed = true;
    this.#queue.push({ kind: 'scalar', start, value, plain: true });
  }

  #skipToToken(): void {
    const text = this.#text;
    for (;;) {
      if (text.column === 0 && text.charAt() === '\ufeff') text.skip();
      while (text.charAt() === ' ' || (text.charAt() === '\t' && (this.#flowLevel > 0 || !this.#keyAllowed)))
        text.skip();
      if (text.charAt() === '#') while (!text.isLineEnd()) text.skip();
      if (!text.isBreak()) return;
      text.takeBreak();
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  // ---- keys without `?`

  #dropStaleKeys(): void {
    const keys = this.#possibleKeys;
    const { line, index } = this.#text;
    for (let level = 0; level < keys.length; level += 1) {
      const key = keys[level];
      if (!key || (key.mark.line >= line && key.mark.index + LONGEST_KEY >= index)) continue;
      this.#requireNoKey(key);
      keys[level] = null;
    }
  }

  #requireNoKey(key: PossibleKey): void {
    if (key.required) throw new YamlSyntaxError("could not find expected ':'", 'while scanning a simple key', key.mark);
  }

  #savePossibleKey(): void {
    if (!this.#keyAllowed) return;
    this.#removeKey();
    this.#possibleKeys[this.#possibleKeys.length - 1] = {
      mark: this.#text.mark,
      token: this.#taken + this.#queue.length,
      required: this.#flowLevel === 0 && this.#indent === this.#text.column,
    };
  }

  #removeKey(): void {
    const key = this.#possibleKeys.at(-1);
    if (key) this.#requireNoKey(key);
    this.#possibleKeys[this.#possibleKeys.length - 1] = null;
  }

  // ---- indentation

  #rollTo(column: number, kind: 'block-sequence-start' | 'block-mapping-start', start: Mark, token?: number): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    const at = token === undefined ? this.#queue.length : token - this.#taken;
    this.#queue.splice(at, 0, { kind, start });
  }

  #unrollTo(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#queue.push({ kind: 'block-end', start: this.#text.mark });
      this.#indent = this.#indents.pop() ?? -1;
    }
  }

  // ---- tokens

  #push(kind: Punctuation, length = 1): true {
    this.#queue.push({ kind, start: this.#text.mark });
    this.#text.skip(length);
    return true;
  }

  #fetchStreamEnd(): void {
    this.#unrollTo(-1);
    for (const [level, key] of this.#possibleKeys.entries()) {
      if (key) this.#requireNoKey(key);
      this.#possibleKeys[level] = null;
    }
    this.#keyAllowed = false;
    const end = this.#text.mark;
    this.#queue.push({ kind: 'stream-end', start: end.column === 0 ? end : { ...end, line: end.line + 1, column: 0 } });
  }

  #fetchDocumentIndicator(kind: 'document-start' | 'document-end'): void {
    this.#unrollTo(-1);
    this.#removeKey();
    this.#keyAllowed = false;
    this.#push(kind, 3);
  }

  #fetchFlowStart(kind: 'flow-sequence-start' | 'flow-mapping-start'): true {
    this.#savePossibleKey();
    this.#possibleKeys.push(null);
    this.#flowLevel += 1;
    this.#keyAllowed = true;
    return this.#push(kind);
  }

  #fetchFlowEnd(kind: 'flow-sequence-end' | 'flow-mapping-end'): true {
    this.#removeKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel -= 1;
      this.#possibleKeys.pop();
    }
    this.#keyAllowed = false;
    return this.#push(kind);
  }

  #fetchFlowEntry(): true {
    this.#removeKey();
    this.#keyAllowed = true;
    return this.#push('flow-entry');
  }

  #fetchBlockEntry(): true {
    if (this.#flowLevel === 0) {
      this.#requireAllowed('block sequence entries');
      this.#rollTo(this.#text.column, 'block-sequence-start', this.#text.mark);
    }
    this.#removeKey();
    this.#keyAllowed = true;
    return this.#push('block-entry');
  }

  #fetchKey(): true {
    if (this.#flowLevel === 0) {
      this.#requireAllowed('mapping keys');
      this.#rollTo(this.#text.column, 'block-mapping-start', this.#text.mark);
    }
    this.#removeKey();
    this.#keyAllowed = this.#flowLevel === 0;
    return this.#push('key');
  }

  #fetchValue(): true {
    const key = this.#possibleKeys.at(-1);
    if (key) {
      this.#queue.splice(key.token - this.#taken, 0, { kind: 'key', start: key.mark });
      this.#rollTo(key.mark.column, 'block-mapping-start', key.mark, key.token);
      this.#possibleKeys[this.#possibleKeys.length - 1] = null;
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        this.#requireAllowed('mapping values');
        this.#rollTo(this.#text.column, 'block-mapping-start', this.#text.mark);
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    return this.#push('value');
  }

  #requireAllowed(what: string): void {
    if (!this.#keyAllowed) throw new YamlSyntaxError(`${what} are not allowed in this context`, null, this.#text.mark);
  }

  #fetchName(kind: 'alias' | 'anchor'): true {
    this.#savePossibleKey();
    this.#keyAllowed = false;
    this.#queue.push(scanName(this.#text, kind));
    return true;
  }

  #fetchTag(): true {
    this.#savePossibleKey();
    this.#keyAllowed = false;
    this.#queue.push(scanTag(this.#text, this.#flowLevel > 0));
    return true;
  }

  #fetchDirective(): void {
    this.#unrollTo(-1);
    this.#removeKey();
    this.#keyAllowed = false;
    this.#queue.push(scanDirective(this.#text));
  }
}
