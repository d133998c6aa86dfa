/**
 * The line that contains `offset`, counted from 1. `starts` has the offset of each line; the first
 * is 0.
 */
export function lineOf(starts: readonly number[], offset: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low + 1;
}

/** Maps character offsets of one source text to lines and columns, both counted from 1. */
export class Locator {
  readonly source: string;
  /** The file's path in errors; null for text without a file (`Puppet[:code]`). */
  readonly file: string | null;
  #lineStarts: number[] | undefined;

  constructor(source: string, file: string | null) {
    this.source = source;
    this.file = file;
  }

  lineAt(offset: number): number {
    return lineOf(this.#starts(), offset);
  }

  /** The column of `offset` on its line, counted from 1, in characters. */
  columnAt(offset: number): number {
    const start = this.#starts()[this.lineAt(offset) - 1] ?? 0;
    let column = offset - start + 1;
    for (let at = start; at < offset; at++) if (isHighSurrogate(this.source.charCodeAt(at))) column--;
    return column;
  }

  #starts(): number[] {
    if (this.#lineStarts) return this.#lineStarts;
    const starts = [0];
    for (let at = this.source.indexOf('\n'); at >= 0; at = this.source.indexOf('\n', at + 1)) starts.push(at + 1);
    this.#lineStarts = starts;
    return starts;
  }
}

/**
 * Whether a code unit is the first half of a surrogate pair, a character outside the basic plane.
 */
function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xdc00;
}
