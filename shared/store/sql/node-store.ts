import { gatherCalls } from '../../util/gather-calls.ts';
import { compareNodeParts, type NodeParts } from '../node-changes.ts';
import { shortenFailure } from '../node-summary.ts';
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
import { limitReasons } from '../short-texts.ts';
import { planWant } from '../want-plan.ts';
import { jsonOfColumn, numberOfColumn, type Row, type SqlConnection, textOfColumn, textOrNull } from './connection.ts';
import type { SqlNodeChangeLog } from './node-change-log.ts';

/** A worker begins a compile: its job stands for the generation. */
const START = 'started = wanted, asked_generation = wanted';

/** Columns of a node's summary: see `summaryOf`. */
const SUMMARY_COLUMNS = 'certname, environment, wanted, built, last_seen, compiled_at, failure_text, is_volatile';

const NODE = 'SELECT * FROM nodes WHERE certname = ?';

/** Columns whose changes others may follow: see `compareNodeParts`. */
const PARTS = 'facts, catalog, failure';

/** A node's row after a write, null without one, and the answer of the write. */
interface Changed<T> {
  readonly row: Row | null;
  readonly answer: T;
}

function summaryOf(row: Row): NodeSummary {
  return {
    certname: textOfColumn(row, 'certname'),
    environment: textOfColumn(row, 'environment'),
    wanted: numberOfColumn(row, 'wanted'),
    built: numberOfColumn(row, 'built'),
    lastSeen: numberOfColumn(row, 'last_seen'),
    compiledAt: row.compiled_at === null ? null : numberOfColumn(row, 'compiled_at'),
    failure: textOrNull(row.failure_text),
    isVolatile: row.is_volatile === 1,
  };
}

/** Stores one row per node. A commit and the node's dependencies are written in one transaction. */
export class SqlNodeStore implements NodeStore {
  readonly #database: SqlConnection;
  readonly #changes: SqlNodeChangeLog;
  readonly #get: (certname: string) => Promise<NodeRecord | null>;

  constructor(database: SqlConnection, changes: SqlNodeChangeLog) {
    this.#database = database;
    this.#changes = changes;
    // Held requests look again and again: over a network, one query is for all of them.
    this.#get = database.dialect.isDistant
      ? gatherCalls((certnames) => this.#getAll(certnames))
      : (certname) => this.#getAlone(certname);
  }

  async get(certname: string): Promise<NodeRecord | null> {
    return this.#get(certname);
  }

  async #getAlone(certname: string): Promise<NodeRecord | null> {
    const row = await this.#database.get(NODE, certname);
    return row && nodeOfRow(row);
  }

  async #getAll(certnames: readonly string[]): Promise<ReadonlyMap<string, NodeRecord>> {
    const sql = `SELECT * FROM nodes WHERE certname IN (${this.#database.dialect.texts('?')})`;
    const rows = await this.#database.selectAll(sql, JSON.stringify(certnames));
    return new Map(rows.map(nodeOfRow).map((node) => [node.certname, node]));
  }

  async markSeen(certname: string, environment: string, at: number): Promise<NodeRecord> {
    return this.#change(certname, PARTS, async (on) => {
      const row = await create(on, certname, environment, at);
      return { row, answer: nodeOfRow(row) };
    });
  }

  async want(certname: string, reason: string, at: number, change: WantChange): Promise<WantedNode | null> {
    return this.#change(certname, '*', async (on, row) => {
      const { expected, version } = change;
      const isRefused = !row || (expected ?? row.wanted) !== row.wanted || (version ?? row.version) !== row.version;
      return isRefused ? { row, answer: null } : wantRow(on, row, reason, at, change);
    });
  }

  async classify(
    certname: string,
    classification: Classification | null,
    reason: string,
    at: number,
  ): Promise<WantedNode> {
    return this.#change(certname, '*', async (on, before) => {
      if (before && numberOfColumn(before, 'wanted') > 0) {
        return wantRow(on, before, reason, at, { asked: true, classification });
      }
      if (!before) await create(on, certname, 'production', at);
      const sql = 'UPDATE nodes SET classification = ?, version = version + 1 WHERE certname = ? RETURNING *';
      const row = requireRow(await on.get(sql, jsonOrNull(classification), certname), certname);
      return { row, answer: { ...nodeOfRow(row), isJobDue: false, isUpgrade: false } };
    });
  }

  async ask(
    certname: string,
    generation: number,
    at: number,
    unlessSince: number,
    waiting = false,
  ): Promise<JobClaim | null> {
    return this.#database.runInTransaction(async (on) => {
      const before = await on.get(
        `SELECT asked_generation, asked_at, asked_waiting FROM nodes
         WHERE certname = ? AND (asked_generation < ? OR asked_at < ? OR asked_waiting < ?)${on.dialect.locked}`,
        certname,
        generation,
        unlessSince,
        waiting ? 1 : 0,
      );
      if (before === null) return null;
      await on.run(
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
    await this.#database.run(sql, certname, generation);
  }

  async demote(certname: string, generation: number): Promise<boolean> {
    const sql = `UPDATE nodes SET asked_waiting = 0
       WHERE certname = ?1 AND built < ?2 AND started < ?2 AND asked_waiting = 1`;
    return (await this.#database.run(sql, certname, generation)) === 1;
  }

  async lease(certname: string, at: number, until: number, holder: string | null): Promise<LeaseClaim> {
    const sql = `UPDATE nodes SET leased_until = ?, leased_by = ?, ${START}
       WHERE certname = ? AND built < wanted AND (leased_until <= ? OR leased_by = ?) RETURNING *`;
    const leased = await this.#database.get(sql, until, holder, certname, at, holder);
    if (leased !== null) return { node: nodeOfRow(leased) };
    const left = 'SELECT leased_until FROM nodes WHERE certname = ? AND built < wanted';
    const row = await this.#database.get(left, certname);
    return row ? { heldUntil: numberOfColumn(row, 'leased_until') } : 'built';
  }

  async finishRound(certname: string, until: number): Promise<NodeRecord | null> {
    const row = await this.#database.get(
      `UPDATE nodes SET leased_until = CASE WHEN built < wanted THEN leased_until ELSE 0 END,
         started = CASE WHEN built < wanted THEN wanted ELSE started END,
         asked_generation = CASE WHEN built < wanted THEN wanted ELSE asked_generation END
       WHERE certname = ? AND leased_until = ? RETURNING *`,
      certname,
      until,
    );
    return row === null || row.leased_until === 0 ? null : nodeOfRow(row);
  }

  async release(certname: string, until: number): Promise<void> {
    const sql = 'UPDATE nodes SET leased_until = 0 WHERE certname = ? AND leased_until = ?';
    await this.#database.run(sql, certname, until);
  }

  async endLease(certname: string, holder: string): Promise<void> {
    const sql = `UPDATE nodes SET leased_until = 0 WHERE certname = ? AND leased_by = ? AND leased_until > 0
      AND built >= wanted`;
    await this.#database.run(sql, certname, holder);
  }

  /** Releases all leases. */
  async releaseAll(): Promise<void> {
    await this.#database.run('UPDATE nodes SET leased_until = 0 WHERE leased_until > 0');
  }

  /**
   * Notes of outstanding nodes whose job is due later, but is not in the queue, that they have
   * none: the process died between the note and the job. The feeder then sends one.
   */
  async forgetLostJobs(now: number): Promise<void> {
    const sql = `UPDATE nodes SET asked_at = 0, touched_at = 0 WHERE built < wanted AND touched_at > ?
       AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.certname = nodes.certname)`;
    await this.#database.run(sql, now);
  }

  async factsStored(certname: string, facts: FactsPointer, version?: number): Promise<boolean> {
    const sql = `UPDATE nodes SET facts = ?, version = version + 1
       WHERE certname = ? AND version = coalesce(?, version) RETURNING ${PARTS}`;
    return this.#change(certname, PARTS, async (on, before) => {
      const row = await on.get(sql, JSON.stringify(facts), certname, version ?? null);
      return { row: row ?? before, answer: row !== null };
    });
  }

  async noteGrouping(certname: string, grouping: Grouping, version: number): Promise<boolean> {
    const sql = 'UPDATE nodes SET grouping = ?, version = version + 1 WHERE certname = ? AND version = ?';
    return (await this.#database.run(sql, JSON.stringify(grouping), certname, version)) === 1;
  }

  async commit(commit: Commit): Promise<boolean> {
    return this.#change(commit.certname, PARTS, async (on, before) => {
      const row = await writeCommit(on, commit);
      return { row: row ?? before, answer: row !== null };
    });
  }

  async markVerified(
    certname: string,
    generation: number,
    at: number,
    { built, facts, revision = null }: Verification = {},
  ): Promise<boolean> {
    const changed = await this.#database.run(
      `UPDATE nodes SET built = ?1, ring_position = ?2, verifications = verifications + 1,
         checked_facts = CASE WHEN ?3 = 1 THEN checked_facts ELSE ?4 END, revision = ?5
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
    return (await this.#database.selectAll(sql, before, limit)).map(nodeOfRow);
  }

  async moveToRingEnd(certname: string, ringPosition: number, at: number): Promise<boolean> {
    const sql = 'UPDATE nodes SET ring_position = ? WHERE certname = ? AND ring_position = ?';
    return (await this.#database.run(sql, at, certname, ringPosition)) === 1;
  }

  async listOutstanding(before: number, limit: number, jobBefore = before): Promise<readonly NodeRecord[]> {
    const sql = `SELECT * FROM nodes WHERE built < wanted AND touched_at < ?
      AND (touched_at < ? OR NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.certname = nodes.certname))
      ORDER BY touched_at, certname LIMIT ?`;
    return (await this.#database.selectAll(sql, Math.max(before, jobBefore), before, limit)).map(nodeOfRow);
  }

  async list(after: string | null, limit: number): Promise<readonly NodeRecord[]> {
    return (await this.#listAfter('*', after, limit)).map(nodeOfRow);
  }

  async listCatalogs(after: string | null, limit: number): Promise<CatalogPage> {
    const rows = await this.#listAfter('certname, catalog, facts', after, limit);
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
    const columns = 'certname, wanted, version, grouping, facts, classification IS NOT NULL AS is_pushed';
    return (await this.#listAfter(columns, after, limit)).map((row) => ({
      certname: textOfColumn(row, 'certname'),
      wanted: numberOfColumn(row, 'wanted'),
      version: numberOfColumn(row, 'version'),
      grouping: jsonOfColumn<Grouping>(row, 'grouping'),
      facts: jsonOfColumn<FactsPointer>(row, 'facts'),
      isPushed: row.is_pushed === 1,
    }));
  }

  async listSummaries(after: string | null, limit: number): Promise<readonly NodeSummary[]> {
    return (await this.#listAfter(SUMMARY_COLUMNS, after, limit)).map(summaryOf);
  }

  #listAfter(columns: string, after: string | null, limit: number): Promise<readonly Row[]> {
    const sql = `SELECT ${columns} FROM nodes WHERE certname > ? ORDER BY certname LIMIT ?`;
    return this.#database.selectAll(sql, after ?? '', limit);
  }

  async getSummaries(certnames: readonly string[]): Promise<readonly NodeSummary[]> {
    const sql = `SELECT ${SUMMARY_COLUMNS} FROM nodes WHERE certname IN (${this.#database.dialect.texts('?')})`;
    return (await this.#database.selectAll(sql, JSON.stringify(certnames))).map(summaryOf);
  }

  async listMarks(index: 'ring' | 'outstanding', since: number, limit: number): Promise<NodeMarks> {
    const sql =
      index === 'ring'
        ? 'SELECT certname, ring_position AS at FROM nodes WHERE ring_position >= ? ORDER BY 2, 1 LIMIT ?'
        : `SELECT certname, touched_at AS at FROM nodes WHERE built < wanted AND touched_at >= ? ORDER BY 2, 1 LIMIT ?`;
    const rows = await this.#database.selectAll(sql, since, limit + 1);
    const marks = rows.map((row) => ({ certname: textOfColumn(row, 'certname'), at: numberOfColumn(row, 'at') }));
    return { marks: marks.slice(0, limit), hasMore: marks.length > limit };
  }

  async listOutstandingNames(limit: number): Promise<readonly string[]> {
    const nodes = this.#database.dialect.indexed('nodes', 'nodes_outstanding');
    const rows = await this.#database.selectAll(`SELECT certname FROM ${nodes} WHERE built < wanted LIMIT ?`, limit);
    return rows.map((row) => textOfColumn(row, 'certname'));
  }

  async getCounts(): Promise<NodeCounts> {
    const nodes = this.#database.dialect.unchecked('nodes');
    const row = await this.#database.get(
      `SELECT (SELECT count(*) FROM ${nodes}) AS nodes, (SELECT count(*) FROM ${nodes} WHERE built < wanted) AS outstanding`,
    );
    return row
      ? { nodes: numberOfColumn(row, 'nodes'), outstanding: numberOfColumn(row, 'outstanding') }
      : { nodes: 0, outstanding: 0 };
  }

  async delete(certname: string): Promise<void> {
    await this.#change(certname, PARTS, async (on) => {
      const deleted = await on.run('DELETE FROM nodes WHERE certname = ?', certname);
      return { row: null, answer: deleted };
    });
  }

  /**
   * Runs `work` in a transaction, and writes what it changes of the node for those who follow. It
   * gets these columns of the node's row, which no other transaction changes until this one ends.
   */
  #change<T>(
    certname: string,
    columns: '*' | typeof PARTS,
    work: (on: SqlConnection, row: Row | null) => Promise<Changed<T>>,
  ): Promise<T> {
    return this.#database.runInTransaction(async (on) => {
      const before = await lockNode(on, certname, columns);
      const { row, answer } = await work(on, before);
      const changes = compareNodeParts(certname, partsOf(before), partsOf(row), this.#changes.now());
      await this.#changes.append(on, changes);
      return answer;
    });
  }
}

async function create(on: SqlConnection, certname: string, environment: string, at: number): Promise<Row> {
  const seen = on.dialect.greatest('nodes.last_seen', 'excluded.last_seen');
  const row = await on.get(
    `INSERT INTO nodes (certname, environment, wanted, built, reasons, wanted_at, touched_at, asked_generation, asked_at,
       last_seen, ring_position, compiles, verifications)
     VALUES (?1, ?2, 0, 0, '[]', ?3, ?3, 0, 0, ?3, ?3, 0, 0)
     ON CONFLICT (certname) DO UPDATE SET last_seen = ${seen} RETURNING *`,
    certname,
    environment,
    at,
  );
  return requireRow(row, certname);
}

function requireRow(row: Row | null, certname: string): Row {
  if (!row) throw new Error(`node ${certname} vanished while it was written`);
  return row;
}

/** Columns of a node, which others create, change or delete after this transaction only. */
async function lockNode(on: SqlConnection, certname: string, columns: '*' | typeof PARTS): Promise<Row | null> {
  const sql = `SELECT ${columns} FROM nodes WHERE certname = ?${on.dialect.locked}`;
  const row = await on.get(sql, certname);
  const { lockNames } = on.dialect;
  if (row !== null || lockNames === null) return row;
  // No row can be locked: another transaction may be creating it.
  await on.selectAll(lockNames, JSON.stringify([`node ${certname}`]));
  return on.get(sql, certname);
}

function partsOf(row: Row | null): NodeParts | null {
  return row && { facts: textOrNull(row.facts), catalog: textOrNull(row.catalog), failure: textOrNull(row.failure) };
}

async function wantRow(
  on: SqlConnection,
  row: Row,
  reason: string,
  at: number,
  change: WantChange,
): Promise<Changed<WantedNode>> {
  const node = nodeOfRow(row);
  const state = {
    ...node,
    leasedUntil: numberOfColumn(row, 'leased_until'),
    invalidatedFor: textOrNull(row.invalidated_for),
  };
  const { wanted, asked, isJobDue, isUpgrade, isNews } = planWant(state, at, change);
  if (!isNews) return { row, answer: { ...node, isJobDue, isUpgrade } };
  const after = await on.get(
    `UPDATE nodes SET wanted = ?1, wanted_at = CASE WHEN wanted < ?1 THEN ?2 ELSE wanted_at END,
         touched_at = CASE WHEN wanted < ?1 OR ?3 = 1 THEN ?2 ELSE touched_at END, reasons = ?4, environment = ?5,
         facts = ?6, asked_generation = ?7, asked_at = ?8, asked_waiting = ?9, classification = ?10,
         invalidated_for = ?11, grouping = ?13, external = ?14, version = version + 1 WHERE certname = ?12
       RETURNING *`,
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
  const changed = requireRow(after, node.certname);
  return { row: changed, answer: { ...nodeOfRow(changed), isJobDue, isUpgrade } };
}

/** Returns the parts of the row; null when nothing was written. */
function writeCommit(on: SqlConnection, commit: Commit): Promise<Row | null> {
  const { dependencies, volatile } = commit.inputs;
  return on.get(
    `UPDATE nodes SET built = ?1, catalog = coalesce(?2, catalog), failure = ?3, inputs = ?4, dependency_set = ?5,
       membership = ?6, checked_facts = ?7, ring_position = ?8, revision = ?11, compiles = compiles + 1,
       compiled_at = coalesce(?12, compiled_at), failure_text = ?13, is_volatile = ?14
     WHERE certname = ?9 AND built < ?1 AND wanted >= ?1
       AND membership IS NOT DISTINCT FROM coalesce(?10, membership) RETURNING ${PARTS}`,
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
    commit.catalog?.compiledAt ?? null,
    commit.failure && shortenFailure(commit.failure.message),
    volatile.length > 0 ? 1 : 0,
  );
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

/** The record of a row with all columns. */
export function nodeOfRow(row: Row): NodeRecord {
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
