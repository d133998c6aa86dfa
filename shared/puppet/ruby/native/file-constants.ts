import type { RubySource } from '../../evaluator/ruby-port.ts';

const SET = /^[ \t]*([A-Z]\w*)[ \t]*(?:\|\|)?=(?![=~>])/gm;

type Place = readonly [name: string, source: RubySource];

/**
 * Constants that function files set in a compile. Ruby has one global table: the file loaded last
 * determines the value for the functions of all files.
 */
export class FileConstants {
  /** The files that set a constant, by its name. */
  readonly #places = new Map<string, Place[]>();
  /** Texts of files that set a constant which another file sets too. */
  readonly #contested = new Set<string>();

  clear(): void {
    this.#places.clear();
    this.#contested.clear();
  }

  /** Records the constants of a function's file. */
  note(name: string, source: RubySource): void {
    for (const constant of constantsIn(source)) {
      const places = this.#places.get(constant) ?? [];
      this.#places.set(constant, places);
      if (places.some(([, { text }]) => text === source.text)) continue;
      places.push([name, source]);
      if (places.length > 1) for (const [, { text }] of places) this.#contested.add(text);
    }
  }

  areContested(text: string): boolean {
    return this.#contested.has(text);
  }

  /** Returns the other files that set a constant of this one. */
  rivalsOf(source: RubySource): readonly Place[] {
    if (!this.areContested(source.text)) return [];
    const places = constantsIn(source).flatMap((constant) => this.#places.get(constant) ?? []);
    return places.filter(([, { text }]) => text !== source.text);
  }
}

function constantsIn({ text }: RubySource): readonly string[] {
  return Array.from(text.matchAll(SET), ([, constant = '']) => constant);
}
