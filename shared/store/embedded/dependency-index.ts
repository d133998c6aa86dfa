import { memberShard } from '../member-shard.ts';
import type {
  DependencyIndex,
  DependencySet,
  MemberPage,
  MembershipKey,
  Observations,
  RegisteredPart,
  Registration,
  Retired,
} from '../ports/dependency-index.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row, textOfColumn } from './database.ts';

/**
 * The members of a shard that count, in the order of the primary key. The nodes' own rows, which
 * are large, are checked by those who serve or compile them.
 */
export const MEMBERS = `
  SELECT DISTINCT m.certname FROM dependency_memberships m CROSS JOIN main.nodes n ON n.certname = m.certname
  WHERE m.environment = ? AND m.set_id = ? AND m.shard = ? AND m.certname > ?
    AND (m.generation > n.built OR n.dependency_set = m.set_id)
  ORDER BY m.certname LIMIT ?`;

/**
 * From a few paths (JSON) to the nodes that own them. CROSS JOIN fixes the join order, so that
 * SQLite never scans all owners. The path `*` stands for all paths of a node whose dependencies
 * were lost by damage.
 */
export const OWNERS = `
  SELECT DISTINCT o.certname FROM json_each(?2) changed
    CROSS JOIN dependency_owners o ON o.environment = ?1 AND o.path = changed.value
    CROSS JOIN main.nodes n ON n.certname = o.certname
  WHERE changed.value <> '*' OR n.membership IS NULL
  ORDER BY o.certname`;

/** Possible remains of a registration; see `retire`. */
interface Leaving {
  readonly certname: string;
  readonly generation: number;
  readonly memberships: readonly (MembershipKey & { readonly environment: string })[];
  /** Whether the node was purged, with all its paths. */
  readonly purged: boolean;
}

export class EmbeddedDependencyIndex implements DependencyIndex {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  async register({ certname, generation, environment, joins, leaves, ownPaths, at }: Registration): Promise<boolean> {
    return this.#database.runInTransaction(() => {
      const own =
        'INSERT OR IGNORE INTO dependency_owners (environment, path, certname) SELECT ?, value, ? FROM json_each(?)';
      if (ownPaths.length > 0) this.#database.run(own, environment, certname, JSON.stringify(ownPaths));
      if (!joins) return true;
      this.#database.run(
        `INSERT OR REPLACE INTO dependency_memberships (environment, set_id, shard, certname, token, generation)
         VALUES (?, ?, ?, ?, ?, ?)`,
        environment,
        joins.set,
        memberShard(certname),
        certname,
        joins.token,
        generation,
      );
      const memberships = [{ ...joins, environment }, ...(leaves ? [leaves] : [])];
      this.#noteLeaving({ certname, generation, memberships, purged: false }, at);
      const known = 'SELECT 1 FROM dependency_sets WHERE environment = ? AND id = ?';
      return this.#database.get(known, environment, joins.set) !== null;
    });
  }

  async define({ environment, id, parts }: DependencySet): Promise<void> {
    this.#database.runInTransaction(() => {
      for (const { id: part, name, observations } of parts) {
        const sql = 'INSERT OR IGNORE INTO dependency_parts (environment, name, id, observations) VALUES (?, ?, ?, ?)';
        this.#database.run(sql, environment, name, part, JSON.stringify(observations));
      }
      const names = JSON.stringify(Object.fromEntries(parts.map((part) => [part.id, part.name])));
      this.#database.run('INSERT OR IGNORE INTO dependency_sets VALUES (?, ?, ?)', environment, id, names);
    });
  }

  async findParts(environment: string, names: Iterable<string>): Promise<readonly RegisteredPart[]> {
    return this.#database
      .selectAll(
        `SELECT p.id, p.observations FROM json_each(?2) wanted
           CROSS JOIN dependency_parts p ON p.environment = ?1 AND p.name = wanted.value`,
        environment,
        JSON.stringify([...new Set(names)]),
      )
      .map((row) => ({ id: textOfColumn(row, 'id'), observations: jsonOfColumn<Observations>(row, 'observations') }));
  }

  async findSets(environment: string, parts: ReadonlySet<string>): Promise<readonly string[]> {
    if (parts.size === 0) return [];
    const rows = this.#database.selectAll(
      `SELECT s.id FROM dependency_sets s WHERE s.environment = ?1 AND EXISTS
         (SELECT 1 FROM json_each(s.parts) p WHERE p.key IN (SELECT value FROM json_each(?2)))`,
      environment,
      JSON.stringify([...parts]),
    );
    return rows.map((row) => textOfColumn(row, 'id'));
  }

  async listMembers(
    environment: string,
    set: string,
    shard: number,
    after: string | null,
    limit: number,
  ): Promise<MemberPage> {
    const rows = this.#database.selectAll(MEMBERS, environment, set, shard, after ?? '', limit);
    const certnames = rows.map((row) => textOfColumn(row, 'certname'));
    return { certnames, next: certnames.length < limit ? null : (certnames.at(-1) ?? null) };
  }

  async findOwners(environment: string, paths: Iterable<string>): Promise<readonly string[]> {
    const changed = [...new Set(paths)];
    if (changed.length === 0) return [];
    const rows = this.#database.selectAll(OWNERS, environment, JSON.stringify([...changed, '*']));
    return rows.map((row) => textOfColumn(row, 'certname'));
  }

  async forget({ certname, leaves, at }: Omit<Registration, 'joins' | 'generation'>): Promise<void> {
    this.#noteLeaving({ certname, generation: 0, memberships: leaves ? [leaves] : [], purged: true }, at);
  }

  async retire(before: number, limit: number): Promise<Retired> {
    return this.#database.runInTransaction(() => {
      const sql = 'SELECT id, leaving FROM dependency_leavings WHERE at < ? ORDER BY at, id LIMIT ?';
      const rows = this.#database.selectAll(sql, before, limit);
      return { registrations: rows.length, sets: rows.flatMap((row) => this.#finishLeaving(row)) };
    });
  }

  #noteLeaving(leaving: Leaving, at: number): void {
    this.#database.run('INSERT INTO dependency_leavings (at, leaving) VALUES (?, ?)', at, JSON.stringify(leaving));
  }

  /** Returns the sets that go with it. */
  #finishLeaving(row: Row): readonly string[] {
    const leaving = jsonOfColumn<Leaving>(row, 'leaving');
    this.#database.run('DELETE FROM dependency_leavings WHERE id = ?', numberOfColumn(row, 'id'));
    if (!leaving) return [];
    const retired: string[] = [];
    const { certname, generation, memberships, purged } = leaving;
    const node = this.#database.get('SELECT built, membership FROM nodes WHERE certname = ?', certname);
    if (purged && !node) this.#database.run('DELETE FROM dependency_owners WHERE certname = ?', certname);
    for (const { environment, set, token } of memberships) {
      if (node && (numberOfColumn(node, 'built') < generation || node.membership === token)) continue;
      this.#database.run(
        `DELETE FROM dependency_memberships
         WHERE environment = ? AND set_id = ? AND shard = ? AND certname = ? AND token = ?`,
        environment,
        set,
        memberShard(certname),
        certname,
        token,
      );
      if (this.#dropUnused(environment, set)) retired.push(set);
    }
    return retired;
  }

  /** Deletes a set without members, and its parts that no other set has; whether it did. */
  #dropUnused(environment: string, set: string): boolean {
    const members = 'SELECT 1 FROM dependency_memberships WHERE environment = ? AND set_id = ? LIMIT 1';
    if (this.#database.get(members, environment, set)) return false;
    const row = this.#database.get(
      'SELECT parts FROM dependency_sets WHERE environment = ? AND id = ?',
      environment,
      set,
    );
    const parts = (row && jsonOfColumn<Record<string, string>>(row, 'parts')) ?? {};
    this.#database.run('DELETE FROM dependency_sets WHERE environment = ? AND id = ?', environment, set);
    this.#database.run(
      `DELETE FROM dependency_parts WHERE (environment, name, id) IN (SELECT ?1, value, key FROM json_each(?2)
         WHERE key NOT IN (SELECT p.key FROM dependency_sets s, json_each(s.parts) p WHERE s.environment = ?1))`,
      environment,
      JSON.stringify(parts),
    );
    return row !== null;
  }
}
