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
import { shortenName } from '../short-texts.ts';
import { jsonOfColumn, numberOfColumn, type Row, type SqlConnection, textOfColumn } from './connection.ts';
import type { SqlDialect } from './dialect.ts';

/**
 * The members of a shard that count, in the order of the primary key. The nodes' own rows, which
 * are large, are checked by those who serve or compile them.
 */
export function selectMembers({ ordered, unchecked }: SqlDialect): string {
  return `
    SELECT DISTINCT m.certname FROM dependency_memberships m
      ${ordered} ${unchecked('nodes')} n ON n.certname = m.certname
    WHERE m.environment = ? AND m.set_id = ? AND m.shard = ? AND m.certname > ?
      AND (m.generation > n.built OR n.dependency_set = m.set_id)
    ORDER BY m.certname LIMIT ?`;
}

/**
 * From a few paths (JSON) to the nodes that own them. The order of the join is fixed, so that
 * SQLite never scans all owners. The path `*` stands for all paths of a node whose dependencies
 * were lost by damage.
 */
export function selectOwners({ ordered, unchecked, texts }: SqlDialect): string {
  return `
    SELECT DISTINCT o.certname FROM (${texts('?2')}) changed
      ${ordered} dependency_owners o ON o.environment = ?1 AND o.path = changed.value
      ${ordered} ${unchecked('nodes')} n ON n.certname = o.certname
    WHERE changed.value <> '*' OR n.membership IS NULL
    ORDER BY o.certname`;
}

/** Possible remains of a registration; see `retire`. */
interface Leaving {
  readonly certname: string;
  readonly generation: number;
  readonly memberships: readonly (MembershipKey & { readonly environment: string })[];
  /** Whether the node was purged, with all its paths. */
  readonly purged: boolean;
}

export class SqlDependencyIndex implements DependencyIndex {
  readonly #database: SqlConnection;

  constructor(database: SqlConnection) {
    this.#database = database;
  }

  async register({ certname, generation, environment, joins, leaves, ownPaths, at }: Registration): Promise<boolean> {
    return this.#database.runInTransaction(async (on) => {
      const own = `INSERT INTO dependency_owners (environment, path, certname)
        SELECT ?, value, ? FROM (${on.dialect.texts('?')}) AS paths WHERE true ON CONFLICT DO NOTHING`;
      const paths = ownPaths.map(shortenName).sort();
      if (paths.length > 0) await on.run(own, environment, certname, JSON.stringify(paths));
      if (!joins) return true;
      await lockSet(on, environment, joins.set);
      await on.run(
        `INSERT INTO dependency_memberships (environment, set_id, shard, certname, token, generation)
         VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (environment, set_id, shard, certname, token)
         DO UPDATE SET generation = excluded.generation`,
        environment,
        joins.set,
        memberShard(certname),
        certname,
        joins.token,
        generation,
      );
      const memberships = [{ ...joins, environment }, ...(leaves ? [leaves] : [])];
      await noteLeaving(on, { certname, generation, memberships, purged: false }, at);
      const known = 'SELECT 1 AS one FROM dependency_sets WHERE environment = ? AND id = ?';
      return (await on.get(known, environment, joins.set)) !== null;
    });
  }

  async define({ environment, id, parts }: DependencySet): Promise<void> {
    await this.#database.runInTransaction(async (on) => {
      await lockSet(on, environment, ALL_SETS);
      for (const { id: part, name, observations } of parts) {
        const sql = `INSERT INTO dependency_parts (environment, name, id, observations) VALUES (?, ?, ?, ?)
          ON CONFLICT DO NOTHING`;
        await on.run(sql, environment, shortenName(name), part, JSON.stringify(observations));
      }
      const names = JSON.stringify(Object.fromEntries(parts.map((part) => [part.id, shortenName(part.name)])));
      const sql = 'INSERT INTO dependency_sets (environment, id, parts) VALUES (?, ?, ?) ON CONFLICT DO NOTHING';
      await on.run(sql, environment, id, names);
    });
  }

  async findParts(environment: string, names: Iterable<string>): Promise<readonly RegisteredPart[]> {
    const { ordered, texts } = this.#database.dialect;
    const rows = await this.#database.selectAll(
      `SELECT p.id, p.observations FROM (${texts('?2')}) wanted
         ${ordered} dependency_parts p ON p.environment = ?1 AND p.name = wanted.value`,
      environment,
      JSON.stringify([...new Set([...names].map(shortenName))]),
    );
    return rows.map((row) => ({
      id: textOfColumn(row, 'id'),
      observations: jsonOfColumn<Observations>(row, 'observations'),
    }));
  }

  async findSets(environment: string, parts: ReadonlySet<string>): Promise<readonly string[]> {
    if (parts.size === 0) return [];
    const { members, texts } = this.#database.dialect;
    const rows = await this.#database.selectAll(
      `SELECT s.id FROM dependency_sets s WHERE s.environment = ?1 AND EXISTS
         (SELECT 1 FROM ${members('s.parts')} p WHERE p.key IN (${texts('?2')}))`,
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
    const sql = selectMembers(this.#database.dialect);
    const rows = await this.#database.selectAll(sql, environment, set, shard, after ?? '', limit);
    const certnames = rows.map((row) => textOfColumn(row, 'certname'));
    return { certnames, next: certnames.length < limit ? null : (certnames.at(-1) ?? null) };
  }

  async findOwners(environment: string, paths: Iterable<string>): Promise<readonly string[]> {
    const changed = [...new Set([...paths].map(shortenName))];
    if (changed.length === 0) return [];
    const sql = selectOwners(this.#database.dialect);
    const rows = await this.#database.selectAll(sql, environment, JSON.stringify([...changed, '*']));
    return rows.map((row) => textOfColumn(row, 'certname'));
  }

  async forget({ certname, leaves, at }: Omit<Registration, 'joins' | 'generation'>): Promise<void> {
    const memberships = leaves ? [leaves] : [];
    await noteLeaving(this.#database, { certname, generation: 0, memberships, purged: true }, at);
  }

  async retire(before: number, limit: number): Promise<Retired> {
    return this.#database.runInTransaction(async (on) => {
      // Two that delete the last members of a set would both see one that is left.
      await lockSet(on, '', ALL_SETS);
      const sql = 'SELECT id, leaving FROM dependency_leavings WHERE at < ? ORDER BY at, id LIMIT ?';
      const rows = await on.selectAll(sql, before, limit);
      const sets: string[] = [];
      for (const row of rows) sets.push(...(await finishLeaving(on, row)));
      return { registrations: rows.length, sets };
    });
  }
}

async function noteLeaving(on: SqlConnection, leaving: Leaving, at: number): Promise<void> {
  await on.run('INSERT INTO dependency_leavings (at, leaving) VALUES (?, ?)', at, JSON.stringify(leaving));
}

/** Returns the sets that go with it. */
async function finishLeaving(on: SqlConnection, row: Row): Promise<readonly string[]> {
  const leaving = jsonOfColumn<Leaving>(row, 'leaving');
  await on.run('DELETE FROM dependency_leavings WHERE id = ?', numberOfColumn(row, 'id'));
  if (!leaving) return [];
  const retired: string[] = [];
  const { certname, generation, memberships, purged } = leaving;
  if (purged) {
    // One statement: a node that is created meanwhile registers its paths after it.
    const sql = `DELETE FROM dependency_owners WHERE certname = ?1
      AND NOT EXISTS (SELECT 1 FROM nodes WHERE certname = ?1)`;
    await on.run(sql, certname);
  }
  const node = await on.get('SELECT built, membership FROM nodes WHERE certname = ?', certname);
  for (const { environment, set, token } of memberships) {
    if (node && (numberOfColumn(node, 'built') < generation || node.membership === token)) continue;
    await on.run(
      `DELETE FROM dependency_memberships
       WHERE environment = ? AND set_id = ? AND shard = ? AND certname = ? AND token = ?`,
      environment,
      set,
      memberShard(certname),
      certname,
      token,
    );
    if (await dropUnused(on, environment, set)) retired.push(set);
  }
  return retired;
}

/** Deletes a set without members, and its parts that no other set has; whether it did. */
async function dropUnused(on: SqlConnection, environment: string, set: string): Promise<boolean> {
  const members = 'SELECT 1 AS one FROM dependency_memberships WHERE environment = ? AND set_id = ? LIMIT 1';
  if (await on.get(members, environment, set)) return false;
  await lockSet(on, environment, ALL_SETS);
  await lockSet(on, environment, set);
  if (await on.get(members, environment, set)) return false;
  const drop = 'DELETE FROM dependency_sets WHERE environment = ? AND id = ? RETURNING parts';
  const row = await on.get(drop, environment, set);
  const parts = (row && jsonOfColumn<Record<string, string>>(row, 'parts')) ?? {};
  const { members: list } = on.dialect;
  await on.run(
    `DELETE FROM dependency_parts WHERE (environment, name, id) IN (SELECT ?1, value, key FROM ${list('?2')} AS old
       WHERE key NOT IN (SELECT p.key FROM dependency_sets s ${on.dialect.ordered} ${list('s.parts')} p ON s.environment = ?1))`,
    environment,
    JSON.stringify(parts),
  );
  return row !== null;
}

/** A name that stands for all sets of an environment: their parts are being counted. */
const ALL_SETS = '*';

/** Other transactions that join, define or drop this set wait until this one ends. */
async function lockSet(on: SqlConnection, environment: string, set: string): Promise<void> {
  const { lockNames } = on.dialect;
  if (lockNames !== null) await on.selectAll(lockNames, JSON.stringify([`${environment} ${set}`]));
}
