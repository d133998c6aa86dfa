import { writeFileSync } from 'node:fs';

/** Everything that happened, in order, for the explanation of a violation. */
export class ChaosLog {
  readonly #began = performance.now();
  readonly #lines: string[] = [];

  /** Notes an event; the longest runs keep the newest events. */
  note(text: string): void {
    const at = ((performance.now() - this.#began) / 1000).toFixed(3).padStart(9);
    this.#lines.push(`${at} ${text}`);
    if (this.#lines.length > 2 * MOST_LINES) this.#lines.splice(0, MOST_LINES);
  }

  write(file: string): void {
    writeFileSync(file, `${this.#lines.join('\n')}\n`);
  }
}

const MOST_LINES = 200_000;
