import type { Mark } from './yaml-tokens.ts';

const SPACE = 0x20;
const NEXT_LINE = 0x85;
const PLAIN_RUN = /[-\w.%/()+@=$&*!?<>|'"]*/y;

/** A cursor over a YAML text that tracks its line and column. '' represents the end. */
export class YamlText {
  readonly #text: string;
  #index = 0;
  #line = 0;
  #column = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get mark(): Mark {
    return { index: this.#index, line: this.#line, column: this.#column };
  }

  get index(): number {
    return this.#index;
  }

  get line(): number {
    return this.#line;
  }

  get column(): number {
    return this.#column;
  }

  /** The character `offset` places ahead. */
  charAt(offset = 0): string {
    return this.#text[this.#index + offset] ?? '';
  }

  startsWith(prefix: string): boolean {
    return this.#text.startsWith(prefix, this.#index);
  }

  isAtEnd(): boolean {
    return this.#index >= this.#text.length;
  }

  isBreak(offset = 0): boolean {
    const character = this.charAt(offset);
    return character === '\n' || character === '\r' || isRareBreak(character);
  }

  isBlank(offset = 0): boolean {
    const character = this.charAt(offset);
    return character === ' ' || character === '\t';
  }

  /** Whether a blank, a line break or the end follows. */
  isBlankOrEnd(offset = 0): boolean {
    const code = this.#text.charCodeAt(this.#index + offset);
    if (code > SPACE && code < NEXT_LINE) return false;
    return this.charAt(offset) === '' || this.isBlank(offset) || this.isBreak(offset);
  }

  /** Whether a line break or the end follows. */
  isLineEnd(): boolean {
    return this.charAt() === '' || this.isBreak();
  }

  /** Whether a separate `---` or `...` starts the line. */
  isDocumentIndicator(indicator?: '---' | '...'): boolean {
    if (this.#column !== 0 || !this.isBlankOrEnd(3)) return false;
    return indicator ? this.startsWith(indicator) : this.startsWith('---') || this.startsWith('...');
  }

  skip(count = 1): void {
    this.#index += count;
    this.#column += count;
  }

  take(): string {
    const character = this.charAt();
    this.skip();
    return character;
  }

  /** Consumes characters as long as `accept` returns true. */
  takeWhile(accept: (character: string) => boolean): string {
    const start = this.#index;
    while (!this.isAtEnd() && accept(this.charAt())) this.skip();
    return this.#text.slice(start, this.#index);
  }

  /**
   * Consumes letters, digits and other ASCII characters that never end or change a plain scalar.
   */
  takePlainRun(): string {
    const start = this.#index;
    PLAIN_RUN.lastIndex = start;
    PLAIN_RUN.test(this.#text);
    this.skip(PLAIN_RUN.lastIndex - start);
    return this.#text.slice(start, this.#index);
  }

  /** Consumes a line break; CR, CR LF and NEL are returned as LF. */
  takeBreak(): string {
    const character = this.charAt();
    this.#index += this.startsWith('\r\n') ? 2 : 1;
    this.#line += 1;
    this.#column = 0;
    return character === '\u2028' || character === '\u2029' ? character : '\n';
  }
}

function isRareBreak(character: string): boolean {
  return character === '\u0085' || character === '\u2028' || character === '\u2029';
}
