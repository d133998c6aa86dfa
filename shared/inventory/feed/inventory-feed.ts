import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { loadCatalog } from '../../fleet/catalogs/catalog-blob.ts';
import { loadFacts } from '../../fleet/nodes/facts-blob.ts';
import { listReports, type ReportSummary } from '../../fleet/nodes/node-reports.ts';
import { printJsonInSteps } from '../../puppet/serialization/json.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import { allNodes } from '../../store/all-nodes.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { runInSteps } from '../../util/in-steps.ts';
import { applyCommand, type InventoryCommand } from '../commands/apply-command.ts';
import { InvalidPayload } from '../commands/payload.ts';
import { isWireMap, readWireJson, writeWireJson } from '../commands/wire-json.ts';
import { DatabaseError, type InventoryDatabase } from '../database/inventory-database.ts';
import { bind, sql } from '../database/sql.ts';
import { type FedNode, FedNodes } from './fed-nodes.ts';
import { toWireCatalog } from './wire-catalog.ts';
import { readAgentReport, toQuietReport, toWireReport } from './wire-report.ts';

const decompress = promisify(gunzip);
/** Reports of a node that one pass takes; more come with the next. */
const MOST_REPORTS_AT_ONCE = 50;

type Ports = Pick<Stores, 'nodes' | 'blobs' | 'documents' | 'clock'>;

/** What the feed reads, and where it writes. */
export interface InventoryFeedOptions {
  readonly stores: Ports;
  readonly database: InventoryDatabase;
  /** This server's name, as the producer of what it feeds. */
  readonly producer: string;
  /** A node that was not seen for so many milliseconds is left alone; null for none. */
  readonly idleMs: number | null;
  /** Told of what cannot be stored. */
  onTrouble(message: string): void;
}

/**
 * Brings the inventory up to date with the stores: facts, the catalog in force, and reports of each
 * node. The stores hold all of it, so nothing is lost while the inventory is away or the server is
 * down, and no compile waits. The inventory remembers what it took of each node after it stored it;
 * what a death in between makes it store again has no effect.
 */
export class InventoryFeed {
  readonly #options: InventoryFeedOptions;

  constructor(options: InventoryFeedOptions) {
    this.#options = options;
  }

  /**
   * One pass over all nodes, which ends early with the signal; gives the number of those that had
   * news. Throws DatabaseUnavailable.
   */
  async run(signal?: AbortSignal): Promise<number> {
    const { stores, database } = this.#options;
    const present = new Set<string>();
    let count = 0;
    for await (const page of allNodes(stores.nodes)) {
      const known = await new FedNodes(database).find(page.map(({ certname }) => certname));
      for (const record of page) {
        if (signal?.aborted === true) return count;
        present.add(record.certname);
        if (await this.#feedNode(record, known.get(record.certname) ?? null)) count++;
      }
    }
    return count + (await this.#deactivateOthers(present));
  }

  async #feedNode(record: NodeRecord, known: FedNode | null): Promise<boolean> {
    const { certname, lastSeen } = record;
    const { stores, idleMs } = this.#options;
    if (idleMs !== null && lastSeen < stores.clock.now() - idleMs) return false;
    const reports = await this.#newReports(certname, known?.reportsUntil ?? 0);
    const next: FedNode = {
      facts: record.facts?.digest ?? null,
      catalog: record.catalog?.hash ?? null,
      reportsUntil: reports.at(-1)?.receivedAt ?? known?.reportsUntil ?? 0,
    };
    const commands = [
      ...(next.facts === (known?.facts ?? null) ? [] : await this.#factsCommand(record)),
      ...(next.catalog === (known?.catalog ?? null) ? [] : await this.#catalogCommand(record)),
      ...(await Promise.all(reports.map((summary) => this.#reportCommand(summary)))).flat(),
    ];
    if (commands.length === 0 && known !== null) return false;
    for (const command of commands) await this.#apply(command);
    await new FedNodes(this.#options.database).put(certname, next);
    return commands.length > 0;
  }

  /** A command that cannot be stored is left out, and told: it would fail at each pass. */
  async #apply(command: InventoryCommand): Promise<void> {
    const { database, stores, onTrouble } = this.#options;
    const received = new Date(stores.clock.now()).toISOString();
    try {
      await database.transaction((connection) => applyCommand(connection, command, received));
    } catch (error) {
      if (!(error instanceof InvalidPayload || error instanceof DatabaseError)) throw error;
      onTrouble(`'${command.command}' of ${command.certname} cannot be stored: ${error.message}`);
    }
  }

  /** New reports, oldest first. */
  async #newReports(certname: string, until: number): Promise<readonly ReportSummary[]> {
    const newest = await listReports(this.#options.stores, { certname, since: until + 1, limit: 1000 });
    return newest.toReversed().slice(0, MOST_REPORTS_AT_ONCE);
  }

  async #factsCommand(record: NodeRecord): Promise<readonly InventoryCommand[]> {
    const { stores, producer } = this.#options;
    const { certname, environment, facts: pointer } = record;
    const stored = pointer === null ? null : await loadFacts(stores.blobs, certname);
    if (stored === null || pointer === null) return [];
    const values = PuppetHash.of([...stored.facts.entries(), ['trusted', stored.trusted]]);
    const time = new Date(pointer.at).toISOString();
    const head = JSON.stringify({ certname, environment, producer, producer_timestamp: time }).slice(0, -1);
    const payload = `${head},"values":${await runInSteps(printJsonInSteps(values))}}`;
    return [{ command: 'replace facts', version: 5, certname, payload }];
  }

  async #catalogCommand({ certname, catalog, inputs, environment }: NodeRecord): Promise<readonly InventoryCommand[]> {
    const { stores, producer } = this.#options;
    const bytes = catalog === null ? null : await loadCatalog(stores.blobs, catalog.hash);
    if (bytes === null || catalog === null) return [];
    const data = readWireJson((await decompress(bytes)).toString('utf8'));
    if (!isWireMap(data)) return [];
    const time = new Date(catalog.compiledAt).toISOString();
    const origin = { certname, environment: inputs?.environment ?? environment, producer, time };
    const payload = writeWireJson(toWireCatalog(data, origin));
    return [{ command: 'replace catalog', version: 9, certname, payload }];
  }

  async #reportCommand(summary: ReportSummary): Promise<readonly InventoryCommand[]> {
    const { stores, producer } = this.#options;
    const bytes = summary.blob === null ? null : await stores.blobs.get(summary.blob);
    if (summary.blob !== null && bytes === null) return [];
    const report = bytes === null ? null : readAgentReport((await decompress(bytes)).toString('utf8'));
    const wire = report === null ? toQuietReport(summary, producer) : toWireReport(report, summary, producer);
    return [{ command: 'store report', version: 8, certname: summary.certname, payload: writeWireJson(wire) }];
  }

  /** Deactivates nodes that were fed before and that the server has no more. */
  async #deactivateOthers(present: ReadonlySet<string>): Promise<number> {
    const { database, stores } = this.#options;
    const gone = (await new FedNodes(database).list()).filter((certname) => !present.has(certname));
    const time = new Date(stores.clock.now()).toISOString();
    for (const certname of gone) {
      const payload = JSON.stringify({ certname, producer_timestamp: time });
      await database.transaction(async (connection) => {
        await applyCommand(connection, { command: 'deactivate node', version: 3, certname, payload }, time);
        await connection.run(sql`delete from fed_nodes where certname = ${bind(certname)}`.render());
      });
    }
    return gone.length;
  }
}
