import type { Value } from './values/values.ts';

type Table = Map<Value, Value>;

/**
 * The keys that a version changed, with their previous values; undefined for keys that were
 * missing.
 */
type Changes = readonly (readonly [Value, Value | undefined])[];

/**
 * A version of a table whose newer versions differ in a few entries. Only the newest version holds
 * the table; each older one holds the changes to undo. Overlaying a table with entries therefore
 * costs no copy as long as nobody reads the older versions again, as when a `reduce` builds up a
 * hash. (Henry Baker's version tables; an old version that is read gets a table of its own.)
 */
export class TableVersion {
  /** The table; null for all but the newest version. */
  #table: Table | null;
  #newer: TableVersion | null = null;
  /** The changes of the next version. */
  #changes: Changes = [];

  constructor(table: Table) {
    this.#table = table;
  }

  /**
   * Creates the next version and its table: this version's table overlaid with `entries`. Only the
   * newest version permits it.
   */
  createNext(entries: readonly (readonly [Value, Value])[]): readonly [TableVersion, Table] {
    const table = this.#table;
    if (!table) throw new Error('a version that is not the newest has no table');
    this.#changes = entries.map(([key]) => [key, table.get(key)]);
    for (const [key, value] of entries) table.set(key, value);
    this.#table = null;
    this.#newer = new TableVersion(table);
    return [this.#newer, table];
  }

  /** A copy of the table as of this version, which the caller may keep. */
  copy(): Table {
    const changes: Changes[] = [];
    let version: TableVersion = this;
    while (version.#newer) {
      changes.push(version.#changes);
      version = version.#newer;
    }
    const table = new Map(version.#table);
    for (const steps of changes.reverse()) {
      for (const [key, value] of steps.toReversed()) {
        if (value === undefined) table.delete(key);
        else table.set(key, value);
      }
    }
    return table;
  }
}
