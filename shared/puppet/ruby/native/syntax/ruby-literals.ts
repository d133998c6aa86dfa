import { fallBack } from '../fallback.ts';
import type { RubyNode } from './ruby-ast.ts';
import { RubyReader } from './ruby-reader.ts';

type RubyString = RubyNode & { readonly kind: 'string' };

/** Parses Ruby's literals. */
export abstract class RubyLiterals {
  protected readonly in: RubyReader;

  constructor(source: string) {
    this.in = new RubyReader(source);
  }

  /** Parses statements up to a token that cannot start one. */
  protected abstract parseStatements(): RubyNode;

  protected parseRest(): string {
    return this.in.source.slice(this.in.position, this.in.position + 20);
  }

  protected parseQuoted(): RubyNode {
    return this.assertString(this.#parseQuoted() ?? fallBack('a text'));
  }

  #parseQuoted(): RubyString | null {
    if (this.in.takeText("'")) return { kind: 'string', parts: [this.in.singleQuoted("'", "'")] };
    return this.in.takeText('"') ? { kind: 'string', parts: this.doubleQuoted('"', '"') } : null;
  }

  /**
   * Parses a text in quotes that a colon follows. Behind the `?` of a condition it is no key: Ruby
   * expects none there. Null, at the same position, for everything else.
   */
  protected takeTextBeforeColon(): RubyNode | null {
    const start = this.in.position;
    const text = this.#parseQuoted();
    if (text && this.in.looksAt(/[ \t]*:(?!:)/y)) return text;
    this.in.position = start;
    return null;
  }

  /** Adjacent strings are concatenated; `'text':` is a key. */
  protected assertString(text: RubyString): RubyNode {
    if (this.in.looksAt(/:(?!:)/y)) fallBack('what follows a text');
    if (!this.in.take(/(?:[ \t]|\\\n)*(?=['"])/y)) return text;
    const next = this.#parseQuoted();
    return next ? this.assertString({ kind: 'string', parts: [...text.parts, ...next.parts] }) : text;
  }

  /** Parses `<<-END` and the like; null when there is no heredoc. */
  protected takeHeredoc(): RubyNode | null {
    const [, kind, quote, end = ''] = this.in.take(/<<([-~])(['"]?)([A-Za-z_]\w*)\2/y) ?? [];
    if (kind === undefined) return null;
    return { kind: 'string', parts: [this.in.readHeredoc({ end, isRaw: quote === "'", isSquiggly: kind === '~' })] };
  }

  protected doubleQuoted(open: string, close: string): (string | RubyNode)[] {
    return this.in.doubleQuoted(open, close, () => this.parseInterpolation());
  }

  protected parseInterpolation(): RubyNode {
    const value = this.parseStatements();
    this.in.expect('}');
    return value;
  }

  protected parseRegexp(open: string, close: string): RubyNode {
    const parts = this.in.readPattern(open, close, () => this.parseInterpolation());
    const options = this.in.take(/[a-z]*/y)?.[0] ?? '';
    if (!/^[imx]*$/.test(options)) fallBack('an option of a pattern');
    return { kind: 'regexp', parts, options };
  }

  protected parsePercent(): RubyNode {
    const [, kind = '', open = ''] = this.in.take(/%([wWiqQr]?)([^\w\s])/y) ?? fallBack('a literal with %');
    const close = this.in.closerOf(open);
    if (kind === 'r') return this.parseRegexp(open, close);
    if (kind === 'q') return this.assertString({ kind: 'string', parts: [this.in.singleQuoted(open, close)] });
    if (kind === '' || kind === 'Q')
      return this.assertString({ kind: 'string', parts: this.doubleQuoted(open, close) });
    const words = this.in.readWords(open);
    if (kind === 'W' && words.some((word) => word.includes('#'))) fallBack('interpolation among words');
    const items = words.map(
      (word): RubyNode => (kind === 'i' ? { kind: 'symbol', name: word } : { kind: 'string', parts: [word] }),
    );
    return { kind: 'array', items };
  }

  protected parseSymbol(): RubyNode {
    const [, name, quote, operator] =
      this.in.take(
        /:(?:([a-zA-Z_]\w*(?:[?!](?!=))?)(?!=(?![=~>]))|(['"])|(\*\*|<=>|===?|=~|<<|>>|[<>]=?|\[\]|[-+*/%|&^]))/y,
      ) ?? fallBack('a symbol');
    if (name !== undefined) return { kind: 'symbol', name };
    if (operator !== undefined) return { kind: 'symbol', name: operator };
    const parts = quote === "'" ? [this.in.singleQuoted("'", "'")] : this.doubleQuoted('"', '"');
    const [text = ''] = parts;
    if (parts.length > 1 || typeof text !== 'string') fallBack('a symbol that is put together');
    return { kind: 'symbol', name: text };
  }

  protected parseGlobal(): RubyNode {
    const [, group] = this.in.take(/\$(?:([1-9])(?!\d)|~)/y) ?? fallBack('a global variable');
    return { kind: 'match', group: group === undefined ? null : Number(group) };
  }

  protected parseNumber(): RubyNode {
    const [octal] = this.in.take(/0[oO]?[0-7]+(?![\w.])/y) ?? [];
    if (octal !== undefined) return { kind: 'integer', value: BigInt(`0o${octal.replace(/^0[oO]?/, '')}`) };
    const [text] = this.in.take(/0|[1-9]\d*(?:_\d+)*/y) ?? fallBack('a number');
    const fraction = this.in.take(/\.\d+(?:[eE][+-]?\d+)?/y)?.[0];
    if (/[\w]/.test(this.in.char)) fallBack('a number of another kind');
    const digits = text.replaceAll('_', '');
    if (fraction === undefined) return { kind: 'integer', value: BigInt(digits) };
    return { kind: 'float', value: Number(digits + fraction) };
  }
}
