import { compareNodeParts, type NodeParts } from '../node-changes.ts';
import { MOST_SHOWN_OF_FAILURE } from '../node-summary.ts';
import type {
  CatalogPointer,
  Classification,
  FactsPointer,
  FailureRecord,
  Grouping,
  InputSummary,
  JobClaim,
  NodeRecord,
} from '../ports/node-record.ts';
import type {
  CatalogPage,
  Commit,
  GroupedNode,
  LeaseClaim,
  NodeCounts,
  NodeMarks,
  NodeStore,
  NodeSummary,
  Verification,
  WantChange,
  WantedNode,
} from '../ports/node-store.ts';
import { limitReasons } from '../reasons.ts';
import { planWant } from '../want-plan.ts';
import { type EmbeddedDatabase, jsonOfColumn, numberOfColumn, type Row, textOfColumn, textOrNull } from './database.ts';
import type { EmbeddedNodeChangeLog } from './node-change-log.ts';

/** A worker begins a compile: its job stands for the generation. */
const START = 'started = wanted, asked_generation = wanted';

/** Columns of a node's summary: see `summaryOf`. */
const SUMMARY_COLUMNS = `certname, environment, wanted, built, last_seen,
  json_extract(catalog, '$.compiledAt') AS compiled_at,
  substr(json_extract(failure, '$.message'), 1, ${MOST_SHOWN_OF_FAILURE}) AS failure,
  coalesce(json_array_length(inputs, '$.volatile'), 0) > 0 AS is_volatile`;

function summaryOf(row: Row): NodeSummary {
  return {
    certname: textOfColumn(row, 'certname'),
    environment: textOfColumn(row, 'environment'),
    wanted: numberOfColumn(row, 'wanted'),
    built: numberOfColumn(row, 'built'),
    lastSeen: numberOfColumn(row, 'last_seen'),
    compiledAt: row.compiled_at === null ? null : numberOfColumn(row, 'compiled_at'),
    failure: textOrNull(row.failure),
    isVolatile: row.is_volatile === 1,
  };
}

/** Stores one row per node. A commit and the node's dependencies are written in one transaction. */
export class EmbeddedNodeStore implements NodeStore {
  readonly #database: EmbeddedDatabase;
  readonly #changes: EmbeddedNodeChangeLog;

  constructor(database: EmbeddedDatabase, changes: EmbeddedNodeChangeLog) {
    this.#database = database;
    this.#changes = changes;
  }

  async get(certname: string): Promise<NodeRecord | null> {
    return this.#get(certname);
  }

  async markSeen(certname: string, environment: string, at: number): Promise<NodeRecord> {
    return this.#withChanges(certname, () => this.#create(certname, environment, at));
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

  async want(certname: string, reason: string, at: number, change: WantChange): Promise<WantedNode | null> {
    return this.#withChanges(certname, () => {
      const row = this.#getRow(certname);
      const { expected, version } = change;
      if (!row || (expected ?? row.wanted) !== row.wanted || (version ?? row.version) !== row.version) return null;
      return this.#want(row, reason, at, change);
    });
  }

  #want(row: Row, reason: string, at: number, change: WantChange): WantedNode {
    const node = nodeOf(row);
    const state = {
      ...node,
      leasedUntil: numberOfColumn(row, 'leased_until'),
      invalidatedFor: textOrNull(row.invalidated_for),
    };
    const { wanted, asked, isJobDue, isUpgrade, isNews } = planWant(state, at, change);
    if (!isNews) return { ...node, isJobDue, isUpgrade };
    this.#database.run(
      `UPDATE nodes SET wanted = ?1, wanted_at = CASE WHEN wanted < ?1 THEN ?2 ELSE wanted_at END,
           touched_at = CASE WHEN wanted < ?1 OR ?3 THEN ?2 ELSE touched_at END, reasons = ?4, environment = ?5, facts = ?6,
           asked_generation = ?7, asked_at = ?8, asked_waiting = ?9, classification = ?10, invalidated_for = ?11, grouping = ?13,
           external = ?14, version = version + 1 WHERE certname = ?12`,
      wanted,
      at,
      isJobDue ? 1 : 0,
      JSON.stringify(limitReasons(node.reasons, reason)),
      change.environment ?? node.environment,
      jsonOrNull(change.facts ?? node.facts),
      asked.generation,
      asked.at,
      asked.waiting ? 1 : 0,
      jsonOrNull(change.classification === undefined ? node.classification : change.classification),
      change.revision ?? state.invalidatedFor,
      node.certname,
      jsonOrNull(change.grouping === undefined ? node.grouping : change.grouping),
      jsonOrNull(change.external === undefined ? node.external : change.external),
    );
    return { ...this.#requireNode(node.certname), isJobDue, isUpgrade };
  }

  async classify(
    certname: string,
    classification: Classification | null,
    reason: string,
    at: number,
  ): Promise<WantedNode> {
    return this.#withChanges(certname, () => {
      const row = this.#getRow(certname);
      if (row && numberOfColumn(row, 'wanted') > 0) return this.#want(row, reason, at, { asked: true, classification });
      if (!row) this.#create(certname, 'production', at);
      const sql = 'UPDATE nodes SET classification = ?, version = version + 1 WHERE certname = ?';
      this.#database.run(sql, jsonOrNull(classification), certname);
      return { ...this.#requireNode(certname), isJobDue: false, isUpgrade: false };
    });
  }

  async ask(
    certname: string,
    generation: number,
    at: number,
    unlessSince: number,
    waiting = false,
  ): Promise<JobClaim | null> {
    return this.#database.runInTransaction(() => {
      const before = this.#database.get(
        `SELECT asked_generation, asked_at, asked_waiting FROM nodes
         WHERE certname = ? AND (asked_generation < ? OR asked_at < ? OR asked_waiting < ?)`,
        certname,
        generation,
        unlessSince,
        waiting ? 1 : 0,
      );
      if (before === null) return null;
      this.#database.run(
        `UPDATE nodes SET asked_generation = ?1, asked_at = ?2, touched_at = ?2, asked_waiting = ?4
         WHERE certname = ?3`,
        generation,
        at,
        certname,
        waiting ? 1 : 0,
      );
      return claimOf(before);
    });
  }

  async unask(certname: string, generation: number): Promise<void> {
    const sql = 'UPDATE nodes SET asked_at = 0, touched_at = 0 WHERE certname = ? AND asked_generation = ?';
    this.#database.run(sql, certname, generation);
  }

  async demote(certname: string, generation: number): Promise<boolean> {
    const sql = `UPDATE nodes SET asked_waiting = 0
       WHERE certname = ?1 AND built < ?2 AND started < ?2 AND asked_waiting = 1`;
    return this.#database.run(sql, certname, generation) === 1;
  }

  async lease(certname: string, at: number, until: number, holder: string | null): Promise<LeaseClaim> {
    return this.#database.runInTransaction(() => {
      const sql = `UPDATE nodes SET leased_until = ?, leased_by = ?, ${START}
         WHERE certname = ? AND built < wanted AND (leased_until <= ? OR leased_by = ?)`;
      if (this.#database.run(sql, until, holder, certname, at, holder) === 1) {
        return { node: this.#requireNode(certname) };
      }
      const left = 'SELECT leased_until FROM nodes WHERE certname = ? AND built < wanted';
      const row = this.#database.get(left, certname);
      return row ? { heldUntil: numberOfColumn(row, 'leased_until') } : 'built';
    });
  }

  async finishRound(certname: string, until: number): Promise<NodeRecord | null> {
    return this.#database.runInTransaction(() => {
      const end = 'UPDATE nodes SET leased_until = 0 WHERE certname = ? AND leased_until = ? AND built >= wanted';
      if (this.#database.run(end, certname, until) === 1) return null;
      const more = `UPDATE nodes SET ${START} WHERE certname = ? AND leased_until = ?`;
      return this.#database.run(more, certname, until) === 1 ? this.#requireNode(certname) : null;
    });
  }

  async release(certname: string, until: number): Promise<void> {
    this.#database.run('UPDATE nodes SET leased_until = 0 WHERE certname = ? AND leased_until = ?', certname, until);
  }

  /** Releases all leases. */
  releaseAll(): void {
    this.#database.run('UPDATE nodes SET leased_until = 0 WHERE leased_until > 0');
  }

  /**
   * Notes of outstanding nodes whose job is due later, but is not in the queue, that they have
   * none: the process died between the note and the job. The feeder then sends one.
   */
  forgetLostJobs(now: number): void {
    const sql = `UPDATE nodes SET asked_at = 0, touched_at = 0 WHERE built < wanted AND touched_at > ?
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE json_extract(job, '$.certname') = nodes.certname)`;
    this.#database.run(sql, now);
  }

  async factsStored(certname: string, facts: FactsPointer, version?: number): Promise<boolean> {
    const sql =
      'UPDATE nodes SET facts = ?, version = version + 1 WHERE certname = ? AND version = coalesce(?, version)';
    const store = () => this.#database.run(sql, JSON.stringify(facts), certname, version ?? null);
    return this.#withChanges(certname, store) === 1;
  }

  async noteGrouping(certname: string, grouping: Grouping, version: number): Promise<boolean> {
    const sql = 'UPDATE nodes SET grouping = ?, version = version + 1 WHERE certname = ? AND version = ?';
    return this.#database.run(sql, JSON.stringify(grouping), certname, version) === 1;
  }

  async commit(commit: Commit): Promise<boolean> {
    return this.#withChanges(commit.certname, () => this.#commit(commit));
  }

  #commit(commit: Commit): boolean {
    const { dependencies } = commit.inputs;
    const changed = this.#database.run(
      `UPDATE nodes SET built = ?1, catalog = coalesce(?2, catalog), failure = ?3, inputs = ?4, dependency_set = ?5,
         membership = ?6, checked_facts = ?7, ring_position = ?8, revision = ?11, compiles = compiles + 1
       WHERE certname = ?9 AND built < ?1 AND wanted >= ?1 AND membership IS coalesce(?10, membership)`,
      commit.generation,
      jsonOrNull(commit.catalog),
      jsonOrNull(commit.failure),
      JSON.stringify(commit.inputs),
      dependencies.set,
      dependencies.membership,
      commit.facts ?? null,
      commit.at,
      commit.certname,
      commit.replaces ?? null,
      commit.revision ?? null,
    );
    return changed === 1;
  }

  async markVerified(
    certname: string,
    generation: number,
    at: number,
    { built, facts, revision = null }: Verification = {},
  ): Promise<boolean> {
    const changed = this.#database.run(
      `UPDATE nodes SET built = ?1, ring_position = ?2, verifications = verifications + 1,
         checked_facts = iif(?3, checked_facts, ?4), revision = ?5
       WHERE certname = ?6 AND built <= ?1 AND wanted >= ?1 AND built = coalesce(?7, built)`,
      generation,
      at,
      facts === undefined ? 1 : 0,
      facts ?? null,
      revision,
      certname,
      built ?? null,
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
    const sql = 'SELECT certname, catalog, facts FROM nodes WHERE certname > ? ORDER BY certname LIMIT ?';
    const rows = this.#database.selectAll(sql, after ?? '', limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      catalogs: rows.flatMap((row) => jsonOfColumn<CatalogPointer>(row, 'catalog') ?? []),
      facts: rows.flatMap((row) => {
        const facts = jsonOfColumn<FactsPointer>(row, 'facts');
        return facts === null ? [] : [{ ...facts, certname: textOfColumn(row, 'certname') }];
      }),
      next: last ? textOfColumn(last, 'certname') : null,
    };
  }

  async listGroupings(after: string | null, limit: number): Promise<readonly GroupedNode[]> {
    const sql = `SELECT certname, wanted, version, grouping, facts, classification IS NOT NULL AS is_pushed
       FROM nodes WHERE certname > ? ORDER BY certname LIMIT ?`;
    return this.#database.selectAll(sql, after ?? '', limit).map((row) => ({
      certname: textOfColumn(row, 'certname'),
      wanted: numberOfColumn(row, 'wanted'),
      version: numberOfColumn(row, 'version'),
      grouping: jsonOfColumn<Grouping>(row, 'grouping'),
      facts: jsonOfColumn<FactsPointer>(row, 'facts'),
      isPushed: row.is_pushed === 1,
    }));
  }

  async listSummaries(after: string | null, limit: number): Promise<readonly NodeSummary[]> {
    const sql = `SELECT ${SUMMARY_COLUMNS} FROM nodes WHERE certname > ? ORDER BY certname LIMIT ?`;
    return this.#database.selectAll(sql, after ?? '', limit).map(summaryOf);
  }

  async getSummaries(certnames: readonly string[]): Promise<readonly NodeSummary[]> {
    const sql = `SELECT ${SUMMARY_COLUMNS} FROM nodes WHERE certname IN (SELECT value FROM json_each(?))`;
    return this.#database.selectAll(sql, JSON.stringify(certnames)).map(summaryOf);
  }

  async listMarks(index: 'ring' | 'outstanding', since: number, limit: number): Promise<NodeMarks> {
    const sql =
      index === 'ring'
        ? 'SELECT certname, ring_position AS at FROM nodes WHERE ring_position >= ? ORDER BY 2, 1 LIMIT ?'
        : `SELECT certname, touched_at AS at FROM nodes WHERE built < wanted AND touched_at >= ? ORDER BY 2, 1 LIMIT ?`;
    const rows = this.#database.selectAll(sql, since, limit + 1);
    const marks = rows.map((row) => ({ certname: textOfColumn(row, 'certname'), at: numberOfColumn(row, 'at') }));
    return { marks: marks.slice(0, limit), hasMore: marks.length > limit };
  }

  async listOutstandingNames(limit: number): Promise<readonly string[]> {
    const sql = 'SELECT certname FROM main.nodes INDEXED BY nodes_outstanding WHERE built < wanted LIMIT ?';
    return this.#database.selectAll(sql, limit).map((row) => textOfColumn(row, 'certname'));
  }

  async getCounts(): Promise<NodeCounts> {
    const row = this.#database.get(
      `SELECT (SELECT count(*) FROM main.nodes) AS nodes, (SELECT count(*) FROM main.nodes WHERE built < wanted) AS outstanding`,
    );
    return row
      ? { nodes: numberOfColumn(row, 'nodes'), outstanding: numberOfColumn(row, 'outstanding') }
      : { nodes: 0, outstanding: 0 };
  }

  async delete(certname: string): Promise<void> {
    const sql = 'DELETE FROM nodes WHERE certname = ?';
    this.#withChanges(certname, () => this.#database.run(sql, certname));
  }

  /** Runs `work` in a transaction, and writes what it changes of the node for those who follow. */
  #withChanges<T>(certname: string, work: () => T): T {
    return this.#database.runInTransaction(() => {
      if (!this.#changes.hasConsumers()) return work();
      const before = this.#getParts(certname);
      const result = work();
      this.#changes.append(compareNodeParts(certname, before, this.#getParts(certname), this.#changes.now()));
      return result;
    });
  }

  #getParts(certname: string): NodeParts | null {
    const row = this.#database.get('SELECT facts, catalog, failure FROM nodes WHERE certname = ?', certname);
    return row && { facts: textOrNull(row.facts), catalog: textOrNull(row.catalog), failure: textOrNull(row.failure) };
  }

  #get(certname: string): NodeRecord | null {
    const row = this.#getRow(certname);
    return row && nodeOf(row);
  }

  #getRow(certname: string): Row | null {
    return this.#database.get('SELECT * FROM nodes WHERE certname = ?', certname);
  }
}

function jsonOrNull(value: object | null): string | null {
  return value && JSON.stringify(value);
}

function claimOf(row: Row): JobClaim {
  return {
    generation: numberOfColumn(row, 'asked_generation'),
    at: numberOfColumn(row, 'asked_at'),
    waiting: numberOfColumn(row, 'asked_waiting') === 1,
  };
}

function nodeOf(row: Row): NodeRecord {
  return {
    certname: textOfColumn(row, 'certname'),
    environment: textOfColumn(row, 'environment'),
    wanted: numberOfColumn(row, 'wanted'),
    started: numberOfColumn(row, 'started'),
    built: numberOfColumn(row, 'built'),
    revision: textOrNull(row.revision),
    reasons: jsonOfColumn<string[]>(row, 'reasons') ?? [],
    wantedAt: numberOfColumn(row, 'wanted_at'),
    asked: claimOf(row),
    classification: jsonOfColumn<Classification>(row, 'classification'),
    grouping: jsonOfColumn<Grouping>(row, 'grouping'),
    external: jsonOfColumn<Classification>(row, 'external'),
    catalog: jsonOfColumn<CatalogPointer>(row, 'catalog'),
    failure: jsonOfColumn<FailureRecord>(row, 'failure'),
    inputs: jsonOfColumn<InputSummary>(row, 'inputs'),
    facts: jsonOfColumn<FactsPointer>(row, 'facts'),
    checkedFacts: row.checked_facts === null ? null : textOfColumn(row, 'checked_facts'),
    version: numberOfColumn(row, 'version'),
    lastSeen: numberOfColumn(row, 'last_seen'),
    ringPosition: numberOfColumn(row, 'ring_position'),
    compiles: numberOfColumn(row, 'compiles'),
    verifications: numberOfColumn(row, 'verifications'),
  };
}
