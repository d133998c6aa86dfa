import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { catalogKey, catalogUuid } from '../../shared/fleet/catalogs/catalog-blob.ts';
import { factsBlobOf, loadFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { listReports, storeQuietRun, storeReport } from '../../shared/fleet/reports/node-reports.ts';
import type { InventoryDatabase } from '../../shared/inventory/database/inventory-database.ts';
import { feedRecords } from '../../shared/inventory/feed/feed-records.ts';
import { InventoryFeed } from '../../shared/inventory/feed/inventory-feed.ts';
import { continueScheduledPass, requestPass } from '../../shared/inventory/feed/scheduled-pass.ts';
import { followOnce } from '../../shared/store/follow-changes.ts';
import type { BlobStore } from '../../shared/store/ports/blob-store.ts';
import type { NodeRecord } from '../../shared/store/ports/node-record.ts';
import { CompileRun } from './compile-run.ts';
import { type CompileSite, ENVIRONMENT, type SiteStores, START } from './compile-site.ts';
import { Violation } from './explore.ts';
import type { Footprint } from './footprint.ts';
import { orDown } from './job-run.ts';
import type { SimulatedInventory } from './simulated-inventory.ts';
import type { RunOptions } from './site-run.ts';

const DAY = 86_400_000;
const MOST_RECORDS = 500;
const IDLE: Footprint = ['node-changes', 'node/*'].map((key) => ({ key, isWrite: false }));
const RETENTION = { kept: 20, days: 14 };

/** The blobs of a node that a disk can lose. */
export type LostKind = 'facts' | 'catalog' | 'reports';

/** A report that its agent was told is stored. */
interface AcceptedReport {
  readonly certname: string;
  readonly run: string;
  /** The server keeps only the last of those that changed nothing. */
  readonly isQuiet: boolean;
}

/**
 * One run of a site whose changes are fed to an inventory, by a local server or by the streams of
 * AWS. In the end the inventory has of each node what the server has, and each report that was
 * accepted; what could not be fed comes with the pass of the next day.
 */
export class FeedRun extends CompileRun {
  readonly #inventory: SimulatedInventory;
  readonly #troubles: string[] = [];
  readonly #skews = new Map<string, number>();
  readonly #reports: AcceptedReport[] = [];
  readonly #purged = new Set<string>();
  readonly #lost = new Map<string, Uint8Array>();
  #database: InventoryDatabase | null = null;
  #hasStreams = false;
  #isDropping = false;
  #isFragile = false;

  constructor(site: CompileSite, inventory: SimulatedInventory, options: RunOptions) {
    super(site, { tickMs: 1, ...options });
    this.#inventory = inventory;
  }

  /** Begins with an inventory that has all there is. */
  async prepare(): Promise<void> {
    this.#database = await this.#inventory.begin(this.trail, async (database) => {
      this.#database = database;
      const feed = this.#openFeed(this.stores);
      for (let mark: string | null = ''; mark !== null; ) mark = await feed.continuePass(mark);
    });
    const { nodeChanges, documents } = this.stores;
    const { name } = this.#openFeed(this.stores);
    await nodeChanges.follow(name);
    const { position } = await nodeChanges.read(name, MOST_RECORDS);
    await nodeChanges.advance(name, { position, pass: null });
    await documents.put('inventory-passes', name, { mark: null, ended: START });
  }

  override storesOf(process: string): SiteStores {
    const stores = super.storesOf(process);
    const { clock } = stores;
    const skew = this.#skews.get(process) ?? 0;
    const blobs = this.#isFragile
      ? this.scheduler.wrap(process, 'fragile', this.stores.blobs as BlobStore)
      : stores.blobs;
    return { ...stores, blobs, clock: { ...clock, now: () => clock.now() + skew } };
  }

  /** The clock of the process differs from that of the others. */
  skew(process: string, milliseconds: number): void {
    this.#skews.set(process, milliseconds);
  }

  /** An agent sends the reports of runs, one after the other; `quiet` ones changed nothing. */
  report(process: string, certname: string, kinds: readonly ('changed' | 'quiet')[]): void {
    const stores = this.storesOf(process);
    this.scheduler.start(process, async () => {
      for (const [index, kind] of kinds.entries()) {
        const run = uuidOf(`${process} ${index}`);
        const accept = () => this.#reports.push({ certname, run, isQuiet: kind === 'quiet' });
        await orDown(storeRun(stores, certname, run, kind).then(accept));
      }
    });
  }

  override purge(process: string, certname: string): void {
    this.#purged.add(certname);
    super.purge(process, certname);
  }

  /** Blobs of the processes that are started from now on can be missing. */
  makeFragile(): void {
    this.#isFragile = true;
  }

  /**
   * A disk loses a blob of a node, or damages it; a backup brings it back in a later step, or after
   * the run.
   */
  lose(process: string, certname: string, kind: LostKind, { isTemporary = false, isDamaged = false } = {}): void {
    const disk = this.scheduler.wrap(process, 'disk', {
      lose: () => this.#lose(certname, kind, isDamaged),
      restore: () => this.#restore(),
    });
    this.scheduler.start(process, async () => {
      await disk.lose();
      if (isTemporary) await disk.restore();
    });
  }

  /** A local server follows the changes. */
  follow(process: string, turns: number): void {
    this.#repeat(process, turns, (stores, feed) => followOnce(stores.nodeChanges, feed));
  }

  /** The streams bring batches; those that they drop are never handled. */
  stream(process: string, batches: number, isDropping = false): void {
    this.#hasStreams = true;
    this.#isDropping ||= isDropping;
    this.#repeat(process, batches, (stores, feed) => takeBatch(stores, feed, isDropping));
  }

  /** The hourly maintenance: the pass of the day is due. */
  maintain(process: string): void {
    const stores = this.storesOf(process);
    const feed = this.#openFeed(stores, process);
    this.scheduler.stepClock(DAY);
    this.scheduler.start(process, () => orDown(continueScheduledPass(stores, feed, () => true)));
  }

  #repeat(process: string, times: number, work: (stores: SiteStores, feed: InventoryFeed) => Promise<unknown>): void {
    const stores = this.storesOf(process);
    const feed = this.#openFeed(stores, process);
    this.scheduler.start(process, async () => {
      for (let time = 0; time < times; time += 1) {
        await this.scheduler.wait(process, '*.wait', IDLE, () => this.look(() => this.site.hasNodeChanges()));
        await orDown(work(stores, feed));
      }
    });
  }

  #openFeed(stores: SiteStores, process: string | null = null): InventoryFeed {
    const database = this.#database;
    if (database === null) throw new Error('the run has no inventory yet');
    const own = process === null ? database : this.scheduler.wrap(process, 'inventory', database);
    return new InventoryFeed({
      stores,
      database: this.options.plantInventory?.(own) ?? own,
      identity: 'simulation',
      producer: 'puppet',
      idleMs: null,
      onTrouble: (message) => this.#troubles.push(message),
    });
  }

  async #lose(certname: string, kind: LostKind, isDamaged: boolean): Promise<void> {
    const { blobs, documents, nodes } = this.stores;
    const node = await nodes.get(certname);
    const reports = await listReports({ documents }, { certname, limit: 1 });
    const key = {
      facts: node?.facts && factsBlobOf(node),
      catalog: node?.catalog && catalogKey(node.catalog.hash),
      reports: reports[0]?.blob,
    }[kind];
    const bytes = key ? await blobs.get(key) : null;
    if (!key || bytes === null) return;
    this.#lost.set(key, bytes);
    if (isDamaged) await blobs.put(key, bytes.toReversed());
    else await blobs.delete(key);
  }

  async #restore(): Promise<void> {
    for (const [key, bytes] of this.#lost) await this.stores.blobs.put(key, bytes);
    this.#lost.clear();
  }

  /** What the inventory has is no part of a known end. */
  protected override hasKnownEnd(): boolean {
    return false;
  }

  override async finish(): Promise<void> {
    const feed = this.#openFeed(this.stores);
    // A node that reports after its purge is active in the inventory, until the pass.
    const hasGhost = this.#reports.some(({ certname }) => this.#purged.has(certname));
    const isLate = this.#hasStreams || this.#isFragile || hasGhost;
    if (this.#isFragile) await this.#drain(feed);
    await this.#restore();
    await super.finish();
    await this.#drain(feed);
    if (!isLate) await this.#check();
    this.scheduler.stepClock(DAY);
    await continueScheduledPass(this.stores, feed, () => true);
    await this.#check();
  }

  async #drain(feed: InventoryFeed): Promise<void> {
    if (this.#hasStreams) while (this.site.hasNodeChanges()) await takeBatch(this.stores, feed, false);
    else while (await followOnce(this.stores.nodeChanges, feed));
  }

  async #check(): Promise<void> {
    const [trouble] = this.#troubles;
    if (trouble !== undefined) throw new Violation(`the inventory does not take it: ${trouble}`);
    const nodes = await this.stores.nodes.list(null, 1000);
    for (const node of nodes) await this.#checkNode(node);
    for (const certname of Object.keys(this.site.plan.facts)) {
      await this.#checkReports(certname);
      if (nodes.some((node) => node.certname === certname)) continue;
      if ((await this.#inventory.find(certname))?.isActive)
        throw new Violation(`${certname} is no more, and is active in the inventory`);
    }
  }

  async #checkNode(node: NodeRecord): Promise<void> {
    const { certname, catalog } = node;
    const stored = await loadFacts(this.stores.blobs, node);
    if (stored === null) return;
    const known = await this.#inventory.find(certname);
    if (!known?.isActive) throw new Violation(`${certname} is not active in the inventory`);
    const facts = ['f', 'load'].map((name) => stored.facts.get(name) ?? null);
    if (!isDeepStrictEqual(known.facts, facts))
      throw new Violation(`${certname} has the facts ${facts}, in the inventory ${known.facts}`);
    if (catalog !== null && known.catalogUuid !== catalogUuid(catalog.hash))
      throw new Violation(`${certname} has another catalog in the inventory`);
  }

  /** A purge deletes reports; a stream that drops changes drops runs that changed nothing. */
  async #checkReports(certname: string): Promise<void> {
    const stored = (await this.#inventory.find(certname))?.runs ?? [];
    if (new Set(stored).size !== stored.length) throw new Violation(`a report of ${certname} is stored twice`);
    if (this.#purged.has(certname)) return;
    const accepted = this.#reports.filter((report) => report.certname === certname);
    const quiet = accepted.filter(({ isQuiet }) => isQuiet);
    const excused = this.#isDropping ? quiet.slice(0, -1) : [];
    const lost = accepted.find((report) => !stored.includes(report.run) && !excused.includes(report));
    if (lost) throw new Violation(`the report ${lost.run} of ${certname} was accepted, and is not in the inventory`);
  }

  override close(): void {
    if (!this.trail) this.#inventory.endSoon();
    super.close();
  }
}

const REPORT = { time: '2026-11-21T00:00:00Z', logs: [], metrics: {}, resource_statuses: {} };

/** What the route of reports stores of one. */
async function storeRun(stores: SiteStores, certname: string, run: string, kind: 'changed' | 'quiet'): Promise<void> {
  const summary = {
    certname,
    receivedAt: stores.clock.now(),
    status: kind === 'quiet' ? 'unchanged' : 'changed',
    environment: ENVIRONMENT,
    time: REPORT.time,
    puppetVersion: '8.0.0',
    transactionUuid: run,
    noop: false,
  };
  if (kind === 'quiet') return storeQuietRun(stores, { ...summary, quiet: {} });
  await storeReport(stores, summary, gzipSync(JSON.stringify({ ...REPORT, transaction_uuid: run })), RETENTION);
}

/** The UUID of a run of this name. */
function uuidOf(name: string): string {
  return catalogUuid(Buffer.from(name).toString('hex').padEnd(32, '0'));
}

/** What Lambda does with a batch of records: one that could not be handled comes again. */
async function takeBatch(
  { nodeChanges, documents }: SiteStores,
  feed: InventoryFeed,
  isDropped: boolean,
): Promise<void> {
  const { changes, position } = await nodeChanges.read(feed.name, MOST_RECORDS);
  const records = changes.map((change, index) => ({ number: String(index), readChanges: () => [change] }));
  const first = isDropped ? null : await feedRecords(records, feed, () => requestPass(documents, feed));
  if (first === null) await nodeChanges.advance(feed.name, { position, pass: null });
}
