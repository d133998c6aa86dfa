/**
 * Translates a template to Ruby code as Ruby does (erb.rb, trim mode `-`), with markers in place of
 * the statements that write. The parser therefore reads the same program as Ruby, including
 * comments that hide the rest of their line.
 */

/**
 * Starts a marker. Before a number it writes the text with that number; before `(` it writes the
 * expression in parentheses.
 */
export const MARK = '\u0001';

interface ErbProgram {
  readonly code: string;
  /** By number. */
  readonly texts: readonly string[];
}

const OPENING = /([\s\S]*?)((?<![^\n])[ \t]*<%-|<%-|<%%|<%=|<%#|<%|$(?![\s\S]))/y;
const CLOSING = /([\s\S]*?)(-%>|%%>|%>|$(?![\s\S]))/y;
const LINE_END = /\r?\n|$(?![\s\S])/y;
/** Comments that set the encoding of the template and the like. */
const MAGIC = /<%#[^\n]*(?:coding|frozen)/;

/** Translates a template; null when its translation depends on more than its text. */
export function translateErb(template: string): ErbProgram | null {
  if (template.includes(MARK) || template.includes('\0') || MAGIC.test(template)) return null;
  const translation = new Translation();
  let rest = template;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = 0;
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(match[0].length);
    return match;
  };
  // The rest is scanned as if it started a line, like Ruby's scanner does.
  while (rest !== '') {
    const match = take(translation.isInTag ? CLOSING : OPENING);
    if (!match) return null;
    const [, before = '', tag = ''] = match;
    translation.add(before);
    if (/[ \t]*<%-/.test(tag)) translation.add('<%');
    else if (tag === '-%>') {
      translation.add('%>');
      if (take(LINE_END)) translation.endLine();
    } else translation.add(tag);
  }
  return translation.finish();
}

class Translation {
  readonly #texts: string[] = [];
  #tag: string | null = null;
  #content = '';
  #line: string[] = [];
  #code = '';

  get isInTag(): boolean {
    return this.#tag !== null;
  }

  add(token: string): void {
    if (token === '') return;
    if (this.#tag === null) this.#addOutside(token);
    else this.#addInside(token, this.#tag);
  }

  endLine(): void {
    this.#code += `${this.#line.join('; ')}\n`;
    this.#line = [];
  }

  finish(): ErbProgram {
    this.#write();
    return { code: this.#code + this.#line.join('; '), texts: this.#texts };
  }

  #addOutside(token: string): void {
    if (token === '<%' || token === '<%=' || token === '<%#') {
      this.#write();
      this.#tag = token;
    } else if (token === '\n') {
      this.#content += token;
      this.#write();
    } else this.#content += token === '<%%' ? '<%' : token;
  }

  #addInside(token: string, tag: string): void {
    if (token !== '%>') {
      this.#content += token === '%%>' ? '%>' : token;
      return;
    }
    const code = this.#content;
    if (tag === '<%=') this.#line.push(`${MARK}((${code}))`);
    else if (tag === '<%' && code.endsWith('\n')) {
      this.#line.push(code.slice(0, code.endsWith('\r\n') ? -2 : -1));
      this.endLine();
    } else if (tag === '<%') this.#line.push(code);
    this.#tag = null;
    this.#content = '';
  }

  #write(): void {
    if (this.#content === '') return;
    const lines = '\n'.repeat(this.#content.split('\n').length - 1);
    this.#line.push(`${MARK}${this.#texts.push(this.#content) - 1} ${lines}`);
    this.#content = '';
  }
}
