import { listReports, type ReportSummary, readReportSummary } from '../../fleet/reports/node-reports.ts';
import type { ChangeConsumer } from '../../store/follow-changes.ts';
import type { NodeChange } from '../../store/ports/node-changes.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { InventoryDatabase } from '../database/inventory-database.ts';
import { type FedNode, FedNodes } from './fed-nodes.ts';
import { loadCatalogDocument, loadFactsDocument, loadReportDocument, nameCatalog } from './load-documents.ts';
import { STORE_NODE_NEWS, storeRemovedNode } from './store-news.ts';

/** Reports of a node that are stored in one transaction. */
const MOST_REPORTS = 50;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** A pass, which is made once a day, looks for lost reports of this time. */
const LOOK_BACK_MS = 48 * 3600_000;
/** Nodes in a part of a pass. */
const PAGE = 100;
/** The halves of a pass, and the letter between one and the certname after which it continues. */
const [NODES, GONE] = ['nodes', 'gone'] as const;
const NOTHING: FedNode = { facts: null, catalog: null, reportsUntil: 0 };

type Ports = Pick<Stores, 'nodes' | 'blobs' | 'documents' | 'exports' | 'clock'>;

/** Source and destination of the feed. */
interface InventoryFeedOptions {
  readonly stores: Ports;
  readonly database: InventoryDatabase;
  /** Names the database among all that this server ever fed. */
  readonly identity: string;
  /** This server's name, as the producer of what it feeds. */
  readonly producer: string;
  /** A node that was not seen for so many milliseconds is left alone; null for none. */
  readonly idleMs: number | null;
  /** Facts that are not kept: see `matchBlockedFacts`. */
  readonly blockedFacts?: readonly string[];
  /** Receives messages about data that cannot be stored. */
  onTrouble(message: string): void;
}

/**
 * Brings what changed of nodes into the inventory: facts, the catalog in force, and each report.
 * Its work grows with the changes: it reads a node's record and blobs when its facts or catalog
 * changed, and a report's blob if it has one. Changes wait in the store while the inventory is
 * away; what is brought twice has no effect. No compile waits.
 */
export class InventoryFeed implements ChangeConsumer {
  readonly name: string;
  readonly #options: InventoryFeedOptions;
  readonly #fed: FedNodes;
  #nodesBrought = 0;

  constructor(options: InventoryFeedOptions) {
    this.name = `inventory ${options.identity}`;
    this.#options = options;
    this.#fed = new FedNodes(options.database);
  }

  /** The nodes of which passes of this feed brought something: the changes did not. */
  get nodesBrought(): number {
    return this.#nodesBrought;
  }

  /** Throws DatabaseUnavailable; a command that can never be stored is reported and left out. */
  async handleChanges(changes: readonly NodeChange[]): Promise<void> {
    const news = changes.filter(isNews);
    if (news.length === 0) return;
    const byNode = Map.groupBy(news, ({ certname }) => certname);
    const known = await this.#fed.find([...byNode.keys()]);
    for (const [certname, own] of byNode) await this.#feedChanges(certname, own, known.get(certname) ?? NOTHING);
  }

  /**
   * The pass compares each node with what was taken of it, then looks for nodes that the server
   * does not have any more.
   */
  async continuePass(after: string): Promise<string | null> {
    const [half, certname] = after === '' ? [NODES, ''] : splitMark(after);
    if (half === GONE) return this.#passGone(certname);
    const page = await this.#options.stores.nodes.list(certname === '' ? null : certname, PAGE);
    const names = page.map((record) => record.certname);
    const known = await this.#fed.find(names);
    const nodes = await Promise.all(
      page.filter((record) => !this.#isIdle(record)).map((record) => this.#listRecent(record, known)),
    );
    const stored = await this.#fed.findReports(
      names,
      nodes.flatMap(({ older }) => older.map(runOf)),
    );
    for (const { record, fed, newer, older } of nodes) {
      const lost = older.filter((report) => !stored.has(runOf(report)));
      if (await this.#bring(record.certname, record, [...newer, ...lost].toReversed(), fed)) this.#nodesBrought += 1;
    }
    const last = page.length < PAGE ? undefined : page.at(-1);
    return last === undefined ? `${GONE} ` : `${NODES} ${last.certname}`;
  }

  async #feedChanges(certname: string, changes: readonly NodeChange[], known: FedNode): Promise<void> {
    const removed = changes.findLast(({ kind }) => kind === 'removed');
    const record = changes.some(({ kind }) => kind !== 'report')
      ? await this.#options.stores.nodes.get(certname)
      : undefined;
    if (removed !== undefined && record === null) return this.#deactivate(certname, removed.at);
    const reports = changes.flatMap((one) => (one.kind === 'report' ? [readReportSummary(one.document)] : []));
    await this.#bring(
      certname,
      record !== null && record !== undefined && !this.#isIdle(record) ? record : null,
      reports,
      known,
    );
  }

  /**
   * Lists the reports, newest first, that were received after the last one that was brought, and
   * those of the two days before it: a change of theirs may be lost.
   */
  async #listRecent(record: NodeRecord, known: ReadonlyMap<string, FedNode>): Promise<RecentReports> {
    const { certname } = record;
    const fed = known.get(certname) ?? NOTHING;
    const since = Math.max(0, fed.reportsUntil - LOOK_BACK_MS);
    const listed = await listReports(this.#options.stores, { certname, since, limit: Number.POSITIVE_INFINITY });
    const isNewer = ({ receivedAt }: ReportSummary) => receivedAt > fed.reportsUntil;
    const older = listed.filter((report) => !isNewer(report) && UUID.test(runOf(report)));
    return { record, fed, newer: listed.filter(isNewer), older };
  }

  #isIdle({ lastSeen }: NodeRecord): boolean {
    const { idleMs, stores } = this.#options;
    return idleMs !== null && lastSeen < stores.clock.now() - idleMs;
  }

  /**
   * Brings the record's facts and catalog where they are new, and these reports, oldest first.
   * Returns whether there was anything to bring.
   */
  async #bring(
    certname: string,
    record: NodeRecord | null,
    reports: readonly ReportSummary[],
    known: FedNode,
  ): Promise<boolean> {
    const { database, producer, stores, onTrouble, blockedFacts = [] } = this.#options;
    const wanted: FedNode = {
      facts: record === null ? known.facts : (record.facts?.digest ?? null),
      catalog: record === null ? known.catalog : nameCatalog(record.catalog),
      reportsUntil: Math.max(known.reportsUntil, ...reports.map(({ receivedAt }) => receivedAt)),
    };
    const [hasFacts, hasCatalog] = [wanted.facts !== known.facts, wanted.catalog !== known.catalog];
    const facts = hasFacts && record !== null ? await loadFactsDocument(record, stores) : null;
    const catalog = hasCatalog && record !== null ? await loadCatalogDocument(record, stores) : null;
    // A blob that is missing is not taken: the next pass looks for it again.
    const next: FedNode = {
      ...wanted,
      facts: facts === null && wanted.facts !== null ? known.facts : wanted.facts,
      catalog: catalog === null && wanted.catalog !== null ? known.catalog : wanted.catalog,
    };
    const isSame = next.facts === known.facts && next.catalog === known.catalog;
    if (isSame && reports.length === 0) return false;
    const received = new Date(stores.clock.now()).toISOString();
    const news = { certname, producer, blockedFacts, received, facts, catalog };
    // Reports of long absence come in parts, each of which counts.
    for (let first = 0; first === 0 || first < reports.length; first += MOST_REPORTS) {
      const part = reports.slice(first, first + MOST_REPORTS);
      const isLast = first + MOST_REPORTS >= reports.length;
      const until = Math.max(known.reportsUntil, part.at(-1)?.receivedAt ?? 0);
      const taken = isLast ? next : { ...next, reportsUntil: until };
      const own = first === 0 ? news : { ...news, facts: null, catalog: null };
      const loaded = (await Promise.all(part.map((summary) => loadReportDocument(summary, stores)))).flat();
      const troubles = await database.perform(STORE_NODE_NEWS, { ...own, reports: loaded, next: taken });
      for (const trouble of troubles) onTrouble(trouble);
    }
    return true;
  }

  async #passGone(after: string): Promise<string | null> {
    const { stores } = this.#options;
    const certnames = await this.#fed.list(after, PAGE);
    for (const certname of certnames) {
      if ((await stores.nodes.get(certname)) === null) await this.#deactivate(certname, stores.clock.now());
    }
    const last = certnames.length < PAGE ? undefined : certnames.at(-1);
    return last === undefined ? null : `${GONE} ${last}`;
  }

  #deactivate(certname: string, at: number): Promise<void> {
    return this.#options.database.transaction((connection) => storeRemovedNode(connection, certname, at));
  }
}

/** A node, what the inventory has of it, and its reports, newest first. */
interface RecentReports {
  readonly record: NodeRecord;
  readonly fed: FedNode;
  readonly newer: readonly ReportSummary[];
  readonly older: readonly ReportSummary[];
}

/** The `transaction_uuid` of a report's run, as PostgreSQL prints it. */
function runOf({ transactionUuid }: ReportSummary): string {
  return (transactionUuid ?? '').toLowerCase();
}

/** A failed compile is none for PuppetDB, nor is a catalog that was compiled again. */
function isNews(change: NodeChange): boolean {
  if (change.kind === 'catalog') return nameCatalog(change.before) !== nameCatalog(change.after);
  return change.kind === 'facts' || change.kind === 'report' || change.kind === 'removed';
}

function splitMark(mark: string): readonly [half: string, certname: string] {
  const space = mark.indexOf(' ');
  return [mark.slice(0, space), mark.slice(space + 1)];
}
