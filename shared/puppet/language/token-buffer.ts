import type { LogEntry } from '../errors/compile-log.ts';
import type { PuppetError } from '../errors/puppet-error.ts';
import type { HeredocSpace } from './heredoc.ts';
import { T } from './token.ts';

/** A warning of the lexer; `token` is the index of the token that was being read. */
interface LexerWarning {
  readonly token: number;
  readonly entry: LogEntry;
}

/**
 * The tokens of one source text, stored in columns. `offsets` are positions in the text that was
 * lexed: for a token inside a heredoc that is the heredoc's own text (see `spaceOf`).
 */
export class TokenBuffer {
  kinds: Uint8Array;
  offsets: Int32Array;
  lengths: Int32Array;
  /** Texts of tokens that differ from the source text; undefined for all others. */
  readonly texts: (string | undefined)[];
  count = 0;
  /** Why lexing ended early; the last token is then `T.FAILURE`. */
  failure: PuppetError | null = null;
  readonly warnings: LexerWarning[] = [];
  /** Heredocs in the order of their last tokens. */
  readonly #spaces: { readonly from: number; readonly to: number; readonly space: HeredocSpace }[] = [];

  constructor(sourceLength: number) {
    const capacity = (sourceLength >> 2) + 32;
    this.kinds = new Uint8Array(capacity);
    this.offsets = new Int32Array(capacity);
    this.lengths = new Int32Array(capacity);
    this.texts = new Array(capacity);
  }

  add(kind: number, offset: number, length: number, text: string | undefined): void {
    const at = this.count++;
    if (at >= this.kinds.length) this.#grow();
    this.kinds[at] = kind;
    this.offsets[at] = offset;
    this.lengths[at] = length;
    this.texts[at] = text;
  }

  /** Drops the tokens from index `count` on. */
  truncate(count: number): void {
    this.count = count;
  }

  becomeVariable(at: number): void {
    this.kinds[at] = T.VARIABLE;
  }

  /** Marks the tokens from `from` to the last one as part of a heredoc's text. */
  inSpace(from: number, space: HeredocSpace): void {
    this.#spaces.push({ from, to: this.count, space });
  }

  /** The innermost heredoc that contains the token; null when it is outside of heredocs. */
  spaceOf(token: number): HeredocSpace | null {
    const spaces = this.#spaces;
    for (let at = this.#firstSpaceBehind(token); at < spaces.length; at += 1) {
      const candidate = spaces[at];
      if (candidate && candidate.from <= token) return candidate.space;
    }
    return null;
  }

  /**
   * Index of the first heredoc that ends behind the token. Heredocs are registered when they end,
   * inner ones before outer ones.
   */
  #firstSpaceBehind(token: number): number {
    const spaces = this.#spaces;
    let low = 0;
    let high = spaces.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((spaces[middle]?.to ?? 0) > token) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #grow(): void {
    const capacity = this.kinds.length * 2;
    const kinds = new Uint8Array(capacity);
    kinds.set(this.kinds);
    this.kinds = kinds;
    const offsets = new Int32Array(capacity);
    offsets.set(this.offsets);
    this.offsets = offsets;
    const lengths = new Int32Array(capacity);
    lengths.set(this.lengths);
    this.lengths = lengths;
  }
}
