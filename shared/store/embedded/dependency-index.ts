import type { DependencyRegistration } from '../ports/dependency-set.ts';
import type { InputSummary } from '../ports/node-record.ts';
import { type EmbeddedDatabase, textOfColumn } from './database.ts';

/**
 * From a few paths (JSON) to their nodes. CROSS JOIN fixes the join order, so that SQLite never
 * scans all nodes.
 */
export const DEPENDANTS = `
  SELECT DISTINCT m.certname FROM json_each(?2) changed
    CROSS JOIN dependency_paths p ON p.environment = ?1 AND p.path = changed.value
    CROSS JOIN dependency_members m ON m.environment = p.environment AND m.set_id = p.set_id
    CROSS JOIN nodes n ON n.certname = m.certname
  WHERE m.generation > n.built OR n.dependency_set = m.set_id`;

/**
 * Reverse index from a path to the nodes that read it or looked for it: path -> dependency sets ->
 * certnames.
 */
export class EmbeddedDependencyIndex {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  register({ certname, generation, environment, id, paths }: DependencyRegistration): void {
    this.#database.runInTransaction(() => {
      const members = 'SELECT 1 FROM dependency_members WHERE environment = ? AND set_id = ? LIMIT 1';
      if (!this.#database.get(members, environment, id)) {
        this.#database.run(
          'INSERT OR IGNORE INTO dependency_paths SELECT ?, value, ? FROM json_each(?)',
          environment,
          id,
          JSON.stringify(paths),
        );
      }
      this.#database.run(
        `INSERT INTO dependency_members (environment, set_id, certname, generation) VALUES (?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET generation = max(generation, excluded.generation)`,
        environment,
        id,
        certname,
        generation,
      );
    });
  }

  /**
   * Finds the nodes of these paths. A member counts when the node's last commit has the set, or
   * when the compile that registered it may still commit.
   */
  findDependants(environment: string, paths: readonly string[]): readonly string[] {
    const rows = this.#database.selectAll(DEPENDANTS, environment, JSON.stringify(paths));
    return rows.map((row) => textOfColumn(row, 'certname')).sort();
  }

  /**
   * Cleans up after a commit: deletes memberships that no compile can commit any more, and sets
   * without members.
   */
  dropStale(certname: string, generation: number, { environment, dependencySet }: InputSummary): void {
    this.#drop(
      certname,
      'certname = ? AND generation <= ? AND NOT (environment = ? AND set_id = ?)',
      generation,
      environment,
      dependencySet,
    );
  }

  forget(certname: string): void {
    this.#drop(certname, 'certname = ?');
  }

  #drop(certname: string, condition: string, ...more: (string | number)[]): void {
    const stale = this.#database.selectAll(
      `SELECT environment, set_id FROM dependency_members WHERE ${condition}`,
      certname,
      ...more,
    );
    for (const row of stale) {
      const set = [textOfColumn(row, 'environment'), textOfColumn(row, 'set_id')] as const;
      this.#database.run(
        'DELETE FROM dependency_members WHERE environment = ? AND set_id = ? AND certname = ?',
        ...set,
        certname,
      );
      const others = 'SELECT 1 FROM dependency_members WHERE environment = ? AND set_id = ? LIMIT 1';
      if (this.#database.get(others, ...set)) continue;
      this.#database.run('DELETE FROM dependency_paths WHERE environment = ? AND set_id = ?', ...set);
    }
  }
}
