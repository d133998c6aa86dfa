/**
 * Splits a JSON array, given in pieces of text, into the texts of its elements. Memory holds one
 * element. The text must be well-formed JSON; `isComplete` shows whether the array ended.
 */
export class JsonRowSplitter {
  #row = '';
  #depth = 0;
  #isText = false;
  #isEscaped = false;
  #hasEnded = false;

  get isComplete(): boolean {
    return this.#hasEnded;
  }

  /** The elements that end in this piece. */
  split(piece: string): readonly string[] {
    const rows: string[] = [];
    let begin = 0;
    for (let at = 0; at < piece.length; at += 1) {
      const char = piece.charAt(at);
      if (this.#isText) {
        this.#isText = this.#isEscaped || char !== '"';
        this.#isEscaped = !this.#isEscaped && char === '\\';
        continue;
      }
      const isEnd = this.#depth === 1 && (char === ',' || char === ']');
      if (isEnd) {
        this.#row += piece.slice(begin, at);
        if (this.#row.trim() !== '') rows.push(this.#row.trim());
        this.#row = '';
        begin = at + 1;
      }
      if (char === '"') this.#isText = true;
      else if (char === '[' || char === '{') {
        if (this.#depth === 0) begin = at + 1;
        this.#depth += 1;
      } else if (char === ']' || char === '}') this.#depth -= 1;
      if (this.#depth === 0 && char === ']') this.#hasEnded = true;
    }
    if (this.#depth > 0) this.#row += piece.slice(begin);
    return rows;
  }
}
