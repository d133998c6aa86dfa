import { MARK } from '../erb-program.ts';
import { fallBack } from '../fallback.ts';

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  s: ' ',
  r: '\r',
  f: '\f',
  v: '\v',
  a: '\x07',
  b: '\b',
  e: '\x1b',
  '0': '\0',
};
const CLOSERS: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };

/** Reads Ruby source from left to right. Ambiguous source is a Fallback. */
export class RubyReader {
  #source: string;
  position = 0;

  constructor(source: string) {
    if (/^(?:=begin|__END__)/m.test(source)) fallBack('a block comment');
    this.#source = source;
  }

  /** The source without the heredocs read so far. */
  get source(): string {
    return this.#source;
  }

  get char(): string {
    return this.source.charAt(this.position);
  }

  /** Whether a blank, a line end or the end of the source is at the offset. */
  isBlankAt(offset: number): boolean {
    const char = this.source.charAt(this.position + offset);
    return char === '' || /\s/.test(char);
  }

  looksAt(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.position;
    return pattern.exec(this.source);
  }

  take(pattern: RegExp): RegExpExecArray | null {
    const match = this.looksAt(pattern);
    if (match) this.position += match[0].length;
    return match;
  }

  takeText(text: string): boolean {
    if (!this.source.startsWith(text, this.position)) return false;
    this.position += text.length;
    return true;
  }

  expect(text: string): void {
    if (!this.takeText(text))
      fallBack(`no ${text} at ${JSON.stringify(this.source.slice(this.position, this.position + 20))}`);
  }

  /** Skips blanks within a line. */
  skipBlanks(): void {
    this.take(/(?:[ \t\r\f\v]|\\\r?\n)*/y);
  }

  /** Skips blanks, line ends and comments. */
  skipLines(): void {
    this.take(/(?:[ \t\r\n\f\v]|\\\r?\n|#[^\n]*)*/y);
  }

  /** Skips the separators of statements. */
  skipTerminators(): void {
    this.take(/(?:[ \t\r\n\f\v;]|\\\r?\n|#[^\n]*)*/y);
  }

  /** Whether a statement ends here, apart from modifiers. */
  isAtEnd(): boolean {
    this.skipBlanks();
    return this.looksAt(/[;\n#)}\]]|$(?![\s\S])/y) !== null;
  }

  /** Whether that whole word is next. */
  looksAtWord(word: string): boolean {
    if (!this.source.startsWith(word, this.position)) return false;
    return !/^(?:[\w?!]|:(?!:))/.test(this.source.slice(this.position + word.length, this.position + word.length + 2));
  }

  takeWord(word: string): boolean {
    if (!this.looksAtWord(word)) return false;
    this.position += word.length;
    return true;
  }

  /** Reads a text in single quotes; the opening quote is already read. */
  singleQuoted(open: string, close: string): string {
    let text = '';
    let depth = 0;
    for (;;) {
      const char = this.#takeNext();
      if (char === '\\') {
        const next = this.#takeNext();
        text += next === '\\' || next === close || next === open ? next : `\\${next}`;
      } else if (char === close && depth === 0) return text;
      else {
        if (char === close) depth -= 1;
        else if (char === open && open !== close) depth += 1;
        text += char;
      }
    }
  }

  /** Reads the parts of a text in double quotes; `code` reads `#{...}` after its opening. */
  doubleQuoted<T>(open: string, close: string, code: () => T): (string | T)[] {
    return this.#readParts(open, close, code, () => this.#escape());
  }

  /** Reads the parts of a pattern; its escapes are kept. */
  readPattern<T>(open: string, close: string, code: () => T): (string | T)[] {
    return this.#readParts(open, close, code, () => {
      const next = this.#takeNext();
      if (next === '/') return '/';
      if (!/[\x20-\x7e]/.test(next)) fallBack('an escape in a pattern');
      return `\\${next}`;
    });
  }

  #readParts<T>(open: string, close: string, code: () => T, readEscape: () => string): (string | T)[] {
    const parts: (string | T)[] = [];
    let text = '';
    let depth = 0;
    for (;;) {
      const char = this.#takeNext();
      if (char === '\\') text += readEscape();
      else if (char === '#' && this.char === '{') {
        this.position += 1;
        if (text !== '') parts.push(text);
        text = '';
        parts.push(code());
      } else if (char === '#' && /[@$]/.test(this.char)) fallBack('a variable in a string');
      else if (char === close && depth === 0) {
        if (text !== '') parts.push(text);
        return parts;
      } else {
        if (char === close) depth -= 1;
        else if (char === open && open !== close) depth += 1;
        text += char;
      }
    }
  }

  #escape(): string {
    const char = this.#takeNext();
    if (char === '\n') return '';
    if (char === 'u') {
      const hex = this.take(/\{([0-9a-fA-F]{1,6})\}|([0-9a-fA-F]{4})/y) ?? fallBack('an escape');
      const code = Number.parseInt(hex[1] ?? hex[2] ?? '', 16);
      if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) fallBack('an escape');
      return String.fromCodePoint(code);
    }
    if (char === '0' && /[0-7]/.test(this.char)) fallBack('an escape');
    const known = ESCAPES[char];
    if (known !== undefined) return known;
    if (/[xcCM0-9\r]/.test(char)) fallBack('an escape');
    return char;
  }

  /**
   * Reads the parts of a heredoc, from the next line up to the line of the `end` marker. The
   * position is after the heredoc's start. The rest of the current line is then read as if the
   * heredoc were not there.
   */
  readHeredoc(mark: { readonly end: string; readonly isRaw: boolean; readonly isSquiggly: boolean }): string {
    const lineEnd = this.#source.indexOf('\n', this.position);
    // A text that continues there, or a second heredoc, would start inside the text.
    if (lineEnd < 0 || /['"`#%/]|<</.test(this.#source.slice(this.position, lineEnd))) fallBack('a heredoc here');
    const rest = this.#source.slice(lineEnd + 1);
    const last = new RegExp(`^[ \\t]*${mark.end}$`, 'm').exec(rest) ?? fallBack('a heredoc without an end');
    const body = rest.slice(0, last.index);
    if (body.includes(MARK) || body.includes('\r') || (!mark.isRaw && /#[{@$]/.test(body))) fallBack('a heredoc');
    this.#source = this.#source.slice(0, lineEnd) + rest.slice(last.index + last[0].length);
    const text = mark.isSquiggly ? dedent(body) : body;
    return mark.isRaw ? text : new RubyReader(text).#readEscaped();
  }

  #readEscaped(): string {
    let text = '';
    while (this.char !== '') text += this.takeText('\\') ? this.#escape() : this.#takeNext();
    return text;
  }

  /** Reads the words of `%w[...]`. */
  readWords(open: string): string[] {
    const text = this.#readPlain(open);
    if (text.includes('\\')) fallBack('an escape among words');
    return text.split(/[ \t\n\r\f\v]+/).filter((word) => word !== '');
  }

  #readPlain(open: string): string {
    const close = CLOSERS[open] ?? open;
    let text = '';
    for (let char = this.#takeNext(); char !== close; char = this.#takeNext()) {
      if (char === open) fallBack('nested brackets');
      text += char;
    }
    return text;
  }

  /** Returns the closing delimiter of a `%` literal with that opening character. */
  closerOf(open: string): string {
    if (!/[([{<|!/"']/.test(open)) fallBack('a literal with %');
    return CLOSERS[open] ?? open;
  }

  #takeNext(): string {
    const char = this.char;
    if (char === '' || char === MARK) fallBack('a literal without an end');
    // Ruby reads both line ends as one.
    if (char === '\r') fallBack('a carriage return in a literal');
    this.position += 1;
    return char;
  }
}

/** Removes indentation as `<<~` does: the smallest one of all lines that are not blank. */
function dedent(body: string): string {
  if (/^[ ]*\t|\\$/m.test(body)) fallBack('tabs in a heredoc');
  const lines = body.split('\n');
  const widths = lines.filter((line) => /\S/.test(line)).map((line) => line.search(/\S/));
  const width = widths.length > 0 ? Math.min(...widths) : 0;
  if (lines.some((line) => line !== '' && !/\S/.test(line))) fallBack('blank lines in a heredoc');
  return lines.map((line) => line.slice(width)).join('\n');
}
