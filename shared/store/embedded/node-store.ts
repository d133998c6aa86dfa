import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  InputSummary,
  NodeRecord,
} from '../ports/node-record.ts';
import type { CatalogPage, Commit, LeaseClaim, NodeCounts, NodeStore, WantChange } from '../ports/node-store.ts';
import { limitReasons } from '../reasons.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row, textOfColumn } from './database.ts';

/** Stores one row per node. A commit and the node's dependencies are written in one transaction. */
export class EmbeddedNodeStore implements NodeStore {
  readonly #database: EmbeddedDatabase;

  constructor(database: EmbeddedDatabase) {
    this.#database = database;
  }

  async get(certname: string): Promise<NodeRecord | null> {
    return this.#get(certname);
  }

  async markSeen(certname: string, environment: string, at: number): Promise<NodeRecord> {
    return this.#create(certname, environment, at);
  }

  #create(certname: string, environment: string, at: number): NodeRecord {
    this.#database.run(
      `INSERT INTO nodes (certname, environment, wanted, built, reasons, wanted_at, touched_at, asked_generation, asked_at,
         last_seen, ring_position, compiles, verifications)
       VALUES (?1, ?2, 0, 0, '[]', ?3, ?3, 0, 0, ?3, ?3, 0, 0)
       ON CONFLICT (certname) DO UPDATE SET last_seen = max(last_seen, excluded.last_seen)`,
      certname,
      environment,
      at,
    );
    return this.#requireNode(certname);
  }

  #requireNode(certname: string): NodeRecord {
    const node = this.#get(certname);
    if (!node) throw new Error(`node ${certname} vanished while it was written`);
    return node;
  }

  async want(certname: string, reason: string, at: number, change: WantChange): Promise<NodeRecord | null> {
    return this.#database.runInTransaction(() => {
      const node = this.#get(certname);
      if (!node || node.wanted !== (change.expected ?? node.wanted)) return null;
      this.#want(node, reason, at, change);
      return this.#get(certname);
    });
  }

  #want(node: NodeRecord, reason: string, at: number, change: WantChange): void {
    const wanted = node.wanted + 1;
    this.#database.run(
      `UPDATE nodes SET wanted = ?, wanted_at = ?, touched_at = ?, reasons = ?, environment = ?, facts = ?,
           asked_generation = ?, asked_at = ?, asked_waiting = ?,
           classification = ? WHERE certname = ?`,
      wanted,
      at,
      at,
      JSON.stringify(limitReasons(node.reasons, reason)),
      change.environment ?? node.environment,
      jsonOrNull(change.facts ?? node.facts),
      change.asked ? wanted : node.asked.generation,
      change.asked ? at : node.asked.at,
      (change.asked ? change.waiting : node.asked.waiting) ? 1 : 0,
      jsonOrNull(change.classification === undefined ? node.classification : change.classification),
      node.certname,
    );
  }

  async classify(
    certname: string,
    classification: Classification | null,
    reason: string,
    at: number,
  ): Promise<NodeRecord> {
    return this.#database.runInTransaction(() => {
      const node = this.#get(certname) ?? this.#create(certname, 'production', at);
      if (node.wanted > 0) this.#want(node, reason, at, { asked: true, classification });
      else {
        const sql = 'UPDATE nodes SET classification = ? WHERE certname = ?';
        this.#database.run(sql, jsonOrNull(classification), certname);
      }
      return this.#requireNode(certname);
    });
  }

  async ask(certname: string, generation: number, at: number, unlessSince: number, waiting = false): Promise<boolean> {
    const changed = this.#database.run(
      `UPDATE nodes SET asked_generation = ?1, asked_at = ?2, touched_at = ?2, asked_waiting = ?5
       WHERE certname = ?3 AND (asked_generation < ?1 OR asked_at < ?4 OR asked_waiting < ?5)`,
      generation,
      at,
      certname,
      unlessSince,
      waiting ? 1 : 0,
    );
    return changed === 1;
  }

  async lease(
    certname: string,
    generation: number,
    at: number,
    until: number,
    holder: string | null,
  ): Promise<LeaseClaim> {
    return this.#database.runInTransaction(() => {
      const sql = `UPDATE nodes SET leased_until = ?, leased_by = ?
         WHERE certname = ? AND built < ? AND (leased_until <= ? OR leased_by = ?)`;
      if (this.#database.run(sql, until, holder, certname, generation, at, holder) === 1) return 'claimed';
      const left = 'SELECT leased_until FROM nodes WHERE certname = ? AND built < ?';
      const row = this.#database.get(left, certname, generation);
      return row ? { heldUntil: numberOfColumn(row, 'leased_until') } : 'built';
    });
  }

  async release(certname: string, until: number, regardless: boolean): Promise<boolean> {
    return this.#database.runInTransaction(() => {
      const sql = `UPDATE nodes SET leased_until = 0 WHERE certname = ? AND leased_until = ? AND (built >= wanted OR ?)`;
      if (this.#database.run(sql, certname, until, regardless ? 1 : 0) === 1) return true;
      return (
        this.#database.get('SELECT 1 FROM nodes WHERE certname = ? AND leased_until = ?', certname, until) === null
      );
    });
  }

  /** Releases all leases. */
  releaseAll(): void {
    this.#database.run('UPDATE nodes SET leased_until = 0 WHERE leased_until > 0');
  }

  async factsStored(certname: string, facts: FactsPointer): Promise<void> {
    this.#database.run('UPDATE nodes SET facts = ? WHERE certname = ?', JSON.stringify(facts), certname);
  }

  async commit(commit: Commit): Promise<boolean> {
    const { dependencies } = commit.inputs;
    const changed = this.#database.run(
      `UPDATE nodes SET built = ?1, catalog = coalesce(?2, catalog), failure = ?3, inputs = ?4, dependency_set = ?5,
         membership = ?6, checked_facts = ?7, ring_position = ?8, compiles = compiles + 1
       WHERE certname = ?9 AND built < ?1 AND wanted >= ?1 AND membership IS coalesce(?10, membership)`,
      commit.generation,
      jsonOrNull(commit.catalog),
      jsonOrNull(commit.failure),
      JSON.stringify(commit.inputs),
      dependencies?.set ?? null,
      dependencies?.membership ?? null,
      commit.facts ?? null,
      commit.at,
      commit.certname,
      commit.replaces ?? null,
    );
    return changed === 1;
  }

  async markVerified(certname: string, generation: number, at: number, facts?: string | null): Promise<boolean> {
    const changed = this.#database.run(
      `UPDATE nodes SET built = ?, ring_position = ?, verifications = verifications + 1,
         checked_facts = iif(?, checked_facts, ?)
       WHERE certname = ? AND built <= ? AND wanted >= ?`,
      generation,
      at,
      facts === undefined ? 1 : 0,
      facts ?? null,
      certname,
      generation,
      generation,
    );
    return changed === 1;
  }

  async listRing(limit: number, before: number): Promise<readonly NodeRecord[]> {
    const sql = 'SELECT * FROM nodes WHERE ring_position < ? ORDER BY ring_position, certname LIMIT ?';
    return this.#database.selectAll(sql, before, limit).map(nodeOf);
  }

  async moveToRingEnd(certname: string, ringPosition: number, at: number): Promise<boolean> {
    const sql = 'UPDATE nodes SET ring_position = ? WHERE certname = ? AND ring_position = ?';
    return this.#database.run(sql, at, certname, ringPosition) === 1;
  }

  async listOutstanding(before: number, limit: number): Promise<readonly NodeRecord[]> {
    const sql = 'SELECT * FROM nodes WHERE built < wanted AND touched_at < ? ORDER BY touched_at, certname LIMIT ?';
    return this.#database.selectAll(sql, before, limit).map(nodeOf);
  }

  async list(after: string | null, limit: number): Promise<readonly NodeRecord[]> {
    const sql = 'SELECT * FROM nodes WHERE certname > ? ORDER BY certname LIMIT ?';
    return this.#database.selectAll(sql, after ?? '', limit).map(nodeOf);
  }

  async listCatalogs(after: string | null, limit: number): Promise<CatalogPage> {
    const sql = 'SELECT certname, catalog FROM nodes WHERE certname > ? ORDER BY certname LIMIT ?';
    const rows = this.#database.selectAll(sql, after ?? '', limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      catalogs: rows.flatMap((row) => jsonOfColumn<CatalogPointer>(row, 'catalog') ?? []),
      next: last ? textOfColumn(last, 'certname') : null,
    };
  }

  async getCounts(): Promise<NodeCounts> {
    const row = this.#database.get(
      `SELECT (SELECT count(*) FROM nodes) AS nodes, (SELECT count(*) FROM nodes WHERE built < wanted) AS outstanding`,
    );
    return row
      ? { nodes: numberOfColumn(row, 'nodes'), outstanding: numberOfColumn(row, 'outstanding') }
      : { nodes: 0, outstanding: 0 };
  }

  async delete(certname: string): Promise<void> {
    this.#database.run('DELETE FROM nodes WHERE certname = ?', certname);
  }

  #get(certname: string): NodeRecord | null {
    const row = this.#database.get('SELECT * FROM nodes WHERE certname = ?', certname);
    return row && nodeOf(row);
  }
}

function jsonOrNull(value: object | null): string | null {
  return value && JSON.stringify(value);
}

function nodeOf(row: Row): NodeRecord {
  return {
    certname: textOfColumn(row, 'certname'),
    environment: textOfColumn(row, 'environment'),
    wanted: numberOfColumn(row, 'wanted'),
    built: numberOfColumn(row, 'built'),
    reasons: jsonOfColumn<string[]>(row, 'reasons') ?? [],
    wantedAt: numberOfColumn(row, 'wanted_at'),
    asked: {
      generation: numberOfColumn(row, 'asked_generation'),
      at: numberOfColumn(row, 'asked_at'),
      waiting: numberOfColumn(row, 'asked_waiting') === 1,
    },
    classification: jsonOfColumn<Classification>(row, 'classification'),
    catalog: jsonOfColumn<CatalogPointer>(row, 'catalog'),
    failure: jsonOfColumn<FailureRecord>(row, 'failure'),
    inputs: jsonOfColumn<InputSummary>(row, 'inputs'),
    facts: jsonOfColumn<FactsPointer>(row, 'facts'),
    checkedFacts: row.checked_facts === null ? null : textOfColumn(row, 'checked_facts'),
    lastSeen: numberOfColumn(row, 'last_seen'),
    ringPosition: numberOfColumn(row, 'ring_position'),
    compiles: numberOfColumn(row, 'compiles'),
    verifications: numberOfColumn(row, 'verifications'),
  };
}
