import type { Positioned } from '../language/ast.ts';

/** The code that runs: an expression, or a file of which the line is not known (hiera.yaml). */
export type ReadSite = Positioned | { readonly file: string };

/** A place in code: the path in errors, and the line from 1; 0 when it is not known. */
export interface ReadPlace {
  readonly file: string;
  readonly line: number;
}

/** Places of the first reads of a compile's inputs; an input without a known place is absent. */
export interface FirstReads {
  /** By the paths of `InputSet.facts`. */
  readonly facts: ReadonlyMap<string, ReadPlace>;
  readonly trusted: ReadonlyMap<string, ReadPlace>;
  /** By key of data. */
  readonly keys: ReadonlyMap<string, ReadPlace>;
  /** By the paths of `InputSet.files`. */
  readonly files: ReadonlyMap<string, ReadPlace>;
}

/** Inputs of one kind whose first reads are kept; of a compile with more, the rest has none. */
const MOST_KEPT = 5000;

/**
 * The sites of first reads by name. A note takes one look-up in a Map; places are computed at the
 * end, for the inputs that count.
 */
export class FirstSites {
  readonly #sites = new Map<string, ReadSite>();

  note(name: string, site: ReadSite | null): void {
    if (site !== null && !this.#sites.has(name) && this.#sites.size < MOST_KEPT) this.#sites.set(name, site);
  }

  get(name: string): ReadSite | null {
    return this.#sites.get(name) ?? null;
  }
}

/** The place of a site; null for code without a file. */
export function placeOfSite(site: ReadSite | null): ReadPlace | null {
  if (site === null) return null;
  if ('file' in site) return { file: site.file, line: 0 };
  const { file } = site.locator;
  return file === null || file === '' ? null : { file, line: site.locator.lineAt(site.offset) };
}
