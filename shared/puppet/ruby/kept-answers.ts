import type { Value } from '../types/values/values.ts';
import { isContainer, type ObjectTable } from './object-table.ts';
import { numberContainer, printShared } from './wire.ts';

interface KeptAnswer {
  readonly id: number;
  /** All that crossed but for the numbers of the request. */
  readonly content: string;
}

/**
 * Answers that Ruby keeps for as long as a compile, by key, so that arrays and hashes that it asks
 * for again and again (data of a file in Hiera's backends) cross the border once. Each time the
 * answer has new numbers, and its content when that is another than Ruby has.
 */
export class KeptAnswers {
  readonly #kept = new Map<string, KeptAnswer>();
  #lastId = 0;

  /** The answer as JSON. `has`: which answer for that key Ruby has; null for none. */
  print(key: string, has: Value, value: Value, objects: ObjectTable): string {
    if (!isContainer(value) || objects.numberOf(value) !== undefined) return printShared(value, objects);
    const { numbers, content } = numberContainer(value, objects);
    const known = this.#kept.get(key);
    if (known && has === BigInt(known.id) && known.content === content) return `{"$a":${known.id},${numbers}}`;
    const text = `{${numbers},${content}}`;
    // Referenced objects belong to the request.
    if (content.includes('{"$r":')) return text;
    this.#lastId += 1;
    this.#kept.set(key, { id: this.#lastId, content });
    return `{"$a":${this.#lastId},"v":${text}}`;
  }

  clear(): void {
    this.#kept.clear();
    this.#lastId = 0;
  }
}
