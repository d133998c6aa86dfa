import { ClientError, ServiceUnreachable } from '../../cli/client/client-error.ts';
import type { InventoryCommand } from '../../inventory/commands/apply-command.ts';
import {
  importCatalog,
  importCatalogInputs,
  importDeactivation,
  importExpiration,
  importFactset,
  importReport,
} from '../../inventory/commands/commands-of-rows.ts';
import { isWireMap, readWireJson, type WireMap } from '../../inventory/commands/wire-json.ts';
import { inParallel } from '../../util/in-parallel.ts';

/** The inventory that is read. */
interface ImportSource {
  readRows(path: string, parameters: Readonly<Record<string, unknown>>): AsyncIterable<string>;
}

/** The inventory that is filled. Throws ClientError for a command that it rejects. */
interface ImportTarget {
  sendCommand(command: string, version: number, certname: string, payload: string): Promise<void>;
}

/** State of an import. */
export interface ImportState {
  readonly source: string;
  readonly target: string;
  /** All nodes up to this certname are imported. */
  readonly after: string;
  readonly nodes: number;
  readonly commands: number;
}

export interface ImportOptions {
  readonly source: ImportSource;
  readonly target: ImportTarget;
  readonly state: ImportState;
  /** Reports of a node that are read at a time. */
  readonly reportsAPage: number;
  /** The most reports of a node, newest first. */
  readonly mostReports: number;
  sleep(milliseconds: number): Promise<void>;
  /** Keeps the state; called after each group of nodes. */
  save(state: ImportState, total: number): Promise<void>;
  /** Receives messages about commands that the target rejects. */
  onRejected(message: string): void;
}

/** Nodes that are imported between two saved states, and at the same time. */
const GROUP = 20;
const NODES_AT_ONCE = 4;
const MOST_ATTEMPTS = 6;
const FIRST_PAUSE_MS = 1000;
const NODES = 'nodes[certname, deactivated] { node_state = "any" }';

/**
 * Imports nodes with facts, catalogs and reports, in the order of their names, after `state.after`.
 * A second import of the same data has no effect. Returns the last state, and the number of
 * rejected commands. Throws ServiceUnreachable when an inventory stays away for half a minute.
 */
export async function importPuppetdb(options: ImportOptions): Promise<{ state: ImportState; rejected: number }> {
  const nodes = await retry(options, () => collect(options.source.readRows('', { query: NODES })));
  // The order of texts is that of PuppetDB's database, which may be any.
  const waiting = nodes.filter(({ certname }) => String(certname) > options.state.after).toSorted(compareCertnames);
  let [{ state }, rejected] = [options, 0];
  for (let at = 0; at < waiting.length; at += GROUP) {
    const group = waiting.slice(at, at + GROUP);
    const counts = await inParallel(NODES_AT_ONCE, group, (node) => importNode(node, options));
    const commands = state.commands + counts.reduce((sum, one) => sum + one.sent, 0);
    rejected += counts.reduce((sum, one) => sum + one.rejected, 0);
    state = { ...state, after: String(group.at(-1)?.certname), nodes: state.nodes + group.length, commands };
    await options.save(state, nodes.length);
  }
  return { state, rejected };
}

function compareCertnames(one: WireMap, other: WireMap): number {
  return String(one.certname) < String(other.certname) ? -1 : 1;
}

interface ImportCount {
  readonly sent: number;
  readonly rejected: number;
}

async function importNode(node: WireMap, options: ImportOptions): Promise<ImportCount> {
  const { source } = options;
  const query = ['=', 'certname', node.certname];
  const read = (path: string, more: Readonly<Record<string, unknown>> = {}) =>
    retry(options, () => collect(source.readRows(path, { query, ...more })));
  // Else PuppetDB gives only what it has of active nodes.
  const inAnyState = ['and', query, ['=', 'node_state', 'any']];
  const commands = [
    ...(await read('/factsets', { query: inAnyState, include_package_inventory: true })).map(importFactset),
    ...(await read('/catalogs', { query: inAnyState })).map(importCatalog),
    ...(await readNewer(() => read('/catalog-inputs'))).map(importCatalogInputs),
    ...(await readNewer(() => read('/nodes', { include_facts_expiration: true }))).flatMap(importExpiration),
  ];
  let count = await sendAll(commands, options);
  // Without a condition on the type, PuppetDB leaves out the reports of plans.
  const anyType = await readNewer(() => read('/reports', { query: ['and', query, ['~', 'type', '.']], limit: 1 }));
  const wanted = anyType.length > 0 ? ['and', query, ['~', 'type', '.']] : query;
  const order_by = [{ field: 'producer_timestamp', order: 'desc' }];
  for (let offset = 0; offset < options.mostReports; offset += options.reportsAPage) {
    const limit = Math.min(options.reportsAPage, options.mostReports - offset);
    const reports = await read('/reports', { query: wanted, order_by, limit, offset });
    count = add(count, await sendAll(reports.map(importReport), options));
    if (reports.length < limit) break;
  }
  return add(count, await sendAll([importDeactivation(node) ?? []].flat(), options));
}

/** Returns no rows where an older PuppetDB does not know the query. */
async function readNewer(read: () => Promise<readonly WireMap[]>): Promise<readonly WireMap[]> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceUnreachable || !(error instanceof ClientError)) throw error;
    return [];
  }
}

const add = (one: ImportCount, other: ImportCount): ImportCount => ({
  sent: one.sent + other.sent,
  rejected: one.rejected + other.rejected,
});

async function sendAll(commands: readonly InventoryCommand[], options: ImportOptions): Promise<ImportCount> {
  let rejected = 0;
  for (const { command, version, certname, payload } of commands) {
    try {
      await retry(options, () => options.target.sendCommand(command, version, certname, payload));
    } catch (error) {
      if (!(error instanceof ClientError) || error instanceof ServiceUnreachable) throw error;
      rejected += 1;
      options.onRejected(`'${command}' of ${certname} was rejected: ${error.message}`);
    }
  }
  return { sent: commands.length - rejected, rejected };
}

async function collect(rows: AsyncIterable<string>): Promise<readonly WireMap[]> {
  const found: WireMap[] = [];
  for await (const row of rows) {
    const data = readWireJson(row);
    if (isWireMap(data)) found.push(data);
  }
  return found;
}

/** Tries again, with growing pauses, while an inventory cannot be reached. */
async function retry<T>({ sleep }: ImportOptions, task: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof ServiceUnreachable) || attempt === MOST_ATTEMPTS) throw error;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}
