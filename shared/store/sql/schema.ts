/**
 * The tables of the stores, in SQLite's words. `ports/` describes the JSON columns. Names in keys
 * are those of `shortenName` where they may be long.
 */
export const STORE_TABLES = `
CREATE TABLE IF NOT EXISTS nodes (
  certname TEXT PRIMARY KEY,
  environment TEXT NOT NULL,
  wanted INTEGER NOT NULL,
  built INTEGER NOT NULL,
  started INTEGER NOT NULL DEFAULT 0,
  revision TEXT,
  invalidated_for TEXT,
  reasons TEXT NOT NULL,
  wanted_at INTEGER NOT NULL,
  touched_at INTEGER NOT NULL,
  asked_generation INTEGER NOT NULL,
  asked_at INTEGER NOT NULL,
  asked_waiting INTEGER NOT NULL DEFAULT 0,
  classification TEXT,
  grouping TEXT,
  external TEXT,
  catalog TEXT,
  failure TEXT,
  inputs TEXT,
  dependency_set TEXT,
  membership TEXT,
  checked_facts TEXT,
  facts TEXT,
  leased_until INTEGER NOT NULL DEFAULT 0,
  leased_by TEXT,
  version INTEGER NOT NULL DEFAULT 0,
  last_seen INTEGER NOT NULL,
  ring_position INTEGER NOT NULL,
  compiles INTEGER NOT NULL,
  verifications INTEGER NOT NULL,
  compiled_at INTEGER,
  failure_text TEXT,
  is_volatile INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX IF NOT EXISTS nodes_ring ON nodes (ring_position, certname);
CREATE INDEX IF NOT EXISTS nodes_outstanding ON nodes (touched_at, certname) WHERE built < wanted;

CREATE TABLE IF NOT EXISTS dependency_parts (
  environment TEXT NOT NULL, name TEXT NOT NULL, id TEXT NOT NULL, observations TEXT NOT NULL,
  PRIMARY KEY (environment, name, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dependency_sets (
  environment TEXT NOT NULL, id TEXT NOT NULL, parts TEXT NOT NULL,
  PRIMARY KEY (environment, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dependency_memberships (
  environment TEXT NOT NULL, set_id TEXT NOT NULL, shard INTEGER NOT NULL, certname TEXT NOT NULL,
  token TEXT NOT NULL, generation INTEGER NOT NULL,
  PRIMARY KEY (environment, set_id, shard, certname, token)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS dependency_owners (
  environment TEXT NOT NULL, path TEXT NOT NULL, certname TEXT NOT NULL,
  PRIMARY KEY (environment, path, certname)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS dependency_owners_node ON dependency_owners (certname);
CREATE TABLE IF NOT EXISTS dependency_leavings (
  id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, leaving TEXT NOT NULL
) STRICT;
CREATE INDEX IF NOT EXISTS dependency_leavings_at ON dependency_leavings (at, id);

CREATE TABLE IF NOT EXISTS export_owners (
  certname TEXT PRIMARY KEY, exports_generation INTEGER NOT NULL, collectors_generation INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS exports (
  certname TEXT NOT NULL, type TEXT NOT NULL, title TEXT NOT NULL, resource TEXT NOT NULL,
  PRIMARY KEY (certname, type, title)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS export_keys (
  type TEXT NOT NULL, key TEXT NOT NULL, shard INTEGER NOT NULL, certname TEXT NOT NULL, title TEXT NOT NULL,
  PRIMARY KEY (type, key, shard, certname, title)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS export_versions (
  type TEXT NOT NULL, shard INTEGER NOT NULL, version INTEGER NOT NULL,
  PRIMARY KEY (type, shard)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS export_sums (
  query TEXT PRIMARY KEY, sums TEXT NOT NULL, put_at INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS collector_keys (
  type TEXT NOT NULL, key TEXT NOT NULL, certname TEXT NOT NULL, query TEXT NOT NULL, long_query TEXT,
  environment TEXT,
  PRIMARY KEY (type, key, certname, query)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS collector_keys_node ON collector_keys (certname);
CREATE TABLE IF NOT EXISTS export_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT, change TEXT NOT NULL, visible_at INTEGER NOT NULL DEFAULT 0,
  written_at INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE TABLE IF NOT EXISTS node_changes (
  position INTEGER PRIMARY KEY AUTOINCREMENT, certname TEXT NOT NULL, at INTEGER NOT NULL, detail TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS change_consumers (
  consumer TEXT PRIMARY KEY, position INTEGER NOT NULL, pass TEXT, seen_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS environments (
  name TEXT PRIMARY KEY, revision INTEGER NOT NULL, record TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS documents (
  collection TEXT NOT NULL, key TEXT NOT NULL, document TEXT NOT NULL, count INTEGER,
  PRIMARY KEY (collection, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS node_groups (
  name TEXT PRIMARY KEY, version INTEGER NOT NULL, head TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE IF NOT EXISTS fan_outs (
  environment TEXT NOT NULL, revision TEXT NOT NULL, chain INTEGER NOT NULL,
  visible_at INTEGER NOT NULL DEFAULT 0, receives INTEGER NOT NULL DEFAULT 0, receipt TEXT,
  PRIMARY KEY (environment, revision, chain)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS fan_outs_visible ON fan_outs (visible_at, chain);
CREATE INDEX IF NOT EXISTS fan_outs_receipt ON fan_outs (receipt) WHERE receipt IS NOT NULL;

CREATE TABLE IF NOT EXISTS jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue INTEGER NOT NULL,
  certname TEXT NOT NULL,
  is_request INTEGER NOT NULL,
  job TEXT NOT NULL,
  sent_at INTEGER NOT NULL,
  visible_at INTEGER NOT NULL,
  receives INTEGER NOT NULL,
  earlier_receives INTEGER NOT NULL DEFAULT 0,
  receipt TEXT,
  receiver TEXT
) STRICT;
CREATE INDEX IF NOT EXISTS jobs_visible ON jobs (queue, visible_at, id);
CREATE INDEX IF NOT EXISTS jobs_receipt ON jobs (receipt) WHERE receipt IS NOT NULL;
CREATE INDEX IF NOT EXISTS jobs_node ON jobs (certname);

CREATE TABLE IF NOT EXISTS counters (
  name TEXT PRIMARY KEY, last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledgers (
  kind TEXT NOT NULL, number INTEGER NOT NULL, version INTEGER NOT NULL, token TEXT NOT NULL, body TEXT NOT NULL,
  stop TEXT, is_open INTEGER NOT NULL, lease_owner TEXT, lease_until INTEGER NOT NULL DEFAULT 0, expires_at INTEGER,
  PRIMARY KEY (kind, number)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS ledgers_open ON ledgers (kind, number) WHERE is_open = 1;
CREATE INDEX IF NOT EXISTS ledgers_expiry ON ledgers (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE IF NOT EXISTS ledger_nodes (
  number INTEGER NOT NULL, name TEXT NOT NULL, run TEXT NOT NULL,
  PRIMARY KEY (number, name)
) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS ledger_events (
  kind TEXT NOT NULL, number INTEGER NOT NULL, id INTEGER NOT NULL, event TEXT NOT NULL,
  PRIMARY KEY (kind, number, id)
) STRICT, WITHOUT ROWID;
`;

/** The definition of a table: its name, its columns, and a primary key of several. */
export const TABLE_DEFINITION = /CREATE TABLE IF NOT EXISTS (\w+) \((.*?)(,\s*PRIMARY KEY \([^)]*\))?\s*\) STRICT/gs;

export interface StoredTable {
  readonly name: string;
  readonly columns: readonly string[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/** The tables of a schema, which is text in the form of `schema.ts`. */
export function listTables(schema: string): readonly StoredTable[] {
  return [...schema.matchAll(TABLE_DEFINITION)].map(([, name = '', body = '', constraint]) => {
    const definitions = body
      .split(',')
      .map((text) => text.trim())
      .filter((text) => /^\w+ (TEXT|INTEGER)/.test(text));
    const columns = definitions.map(nameOfColumn);
    const own = definitions.filter((text) => text.includes('PRIMARY KEY')).map(nameOfColumn);
    const key = constraint === undefined ? own : (constraint.match(/\w+/g) ?? []).slice(2);
    return { name, columns, key };
  });
}

function nameOfColumn(definition: string): string {
  return definition.split(' ')[0] ?? '';
}
