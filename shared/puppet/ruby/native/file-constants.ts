import type { RubySource } from '../../evaluator/ruby-port.ts';

const SET = /^[ \t]*([A-Z]\w*)[ \t]*(?:\|\|)?=(?![=~>])/gm;

type Place = readonly [name: string, source: RubySource];

/**
 * Constants that files of functions set in a compile. Ruby has one place for all of them, so that
 * the file that was loaded last says what a constant is, for the functions of all files.
 */
export class FileConstants {
  /** The files that set it, by the constant. */
  readonly #places = new Map<string, Place[]>();
  /** Texts of files that set a constant which others set. */
  readonly #contested = new Set<string>();

  clear(): void {
    this.#places.clear();
    this.#contested.clear();
  }

  /** A function was found in that file. */
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

  /** Others that set what this one sets. */
  rivalsOf(source: RubySource): readonly Place[] {
    if (!this.areContested(source.text)) return [];
    const places = constantsIn(source).flatMap((constant) => this.#places.get(constant) ?? []);
    return places.filter(([, { text }]) => text !== source.text);
  }
}

function constantsIn({ text }: RubySource): readonly string[] {
  return Array.from(text.matchAll(SET), ([, constant = '']) => constant);
}
