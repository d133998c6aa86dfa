import { isDeepStrictEqual } from 'node:util';
import { catalogUuid } from '../../shared/fleet/catalogs/catalog-blob.ts';
import { loadFacts } from '../../shared/fleet/facts/facts-blob.ts';
import type { InventoryDatabase } from '../../shared/inventory/database/inventory-database.ts';
import { feedRecords } from '../../shared/inventory/feed/feed-records.ts';
import { InventoryFeed } from '../../shared/inventory/feed/inventory-feed.ts';
import { continueScheduledPass, requestPass } from '../../shared/inventory/feed/scheduled-pass.ts';
import { followOnce } from '../../shared/store/follow-changes.ts';
import type { NodeRecord } from '../../shared/store/ports/node-record.ts';
import { CompileRun } from './compile-run.ts';
import { type CompileSite, type SiteStores, START } from './compile-site.ts';
import { Violation } from './explore.ts';
import type { Footprint } from './footprint.ts';
import { orDown } from './job-run.ts';
import type { SimulatedInventory } from './simulated-inventory.ts';
import type { RunOptions } from './site-run.ts';

const DAY = 86_400_000;
const MOST_RECORDS = 500;
const IDLE: Footprint = ['node-changes', 'node/*'].map((key) => ({ key, isWrite: false }));

/**
 * One run of a site whose changes are fed to an inventory, by a local server or by the streams of
 * AWS. In the end the inventory has of each node what the server has.
 */
export class FeedRun extends CompileRun {
  readonly #inventory: SimulatedInventory;
  readonly #troubles: string[] = [];
  readonly #skews = new Map<string, number>();
  #database: InventoryDatabase | null = null;
  #hasStreams = false;

  constructor(site: CompileSite, inventory: SimulatedInventory, options: RunOptions) {
    super(site, { tickMs: 1, ...options });
    this.#inventory = inventory;
  }

  /** Begins with an inventory that has all there is. */
  async prepare(): Promise<void> {
    this.#database = await this.#inventory.begin(async (database) => {
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
    return { ...stores, clock: { ...clock, now: () => clock.now() + skew } };
  }

  /** The clock of the process differs from that of the others. */
  skew(process: string, milliseconds: number): void {
    this.#skews.set(process, milliseconds);
  }

  /** A local server follows the changes. */
  follow(process: string, turns: number): void {
    this.#repeat(process, turns, (stores, feed) => followOnce(stores.nodeChanges, feed));
  }

  /** The streams bring batches; those that they drop are never handled. */
  stream(process: string, batches: number, isDropping = false): void {
    this.#hasStreams = true;
    this.#repeat(process, batches, (stores, feed) => takeBatch(stores, feed, isDropping));
  }

  /** The hourly maintenance in AWS. */
  maintain(process: string): void {
    this.#hasStreams = true;
    const stores = this.storesOf(process);
    const feed = this.#openFeed(stores, process);
    this.scheduler.start(process, () => orDown(continueScheduledPass(stores, feed, () => true)));
  }

  #repeat(process: string, times: number, work: (stores: SiteStores, feed: InventoryFeed) => Promise<unknown>): void {
    const stores = this.storesOf(process);
    const feed = this.#openFeed(stores, process);
    this.scheduler.start(process, async () => {
      for (let time = 0; time < times; time += 1) {
        await this.scheduler.wait(process, '*.wait', IDLE, () => this.site.hasNodeChanges());
        await orDown(work(stores, feed));
      }
    });
  }

  #openFeed(stores: SiteStores, process: string | null = null): InventoryFeed {
    const database = this.#database;
    if (database === null) throw new Error('the run has no inventory yet');
    return new InventoryFeed({
      stores,
      database: process === null ? database : this.scheduler.wrap(process, 'inventory', database),
      identity: 'simulation',
      producer: 'puppet',
      idleMs: null,
      onTrouble: (message) => this.#troubles.push(message),
    });
  }

  /** What the inventory has is no part of a known end. */
  protected override hasKnownEnd(): boolean {
    return false;
  }

  override async finish(): Promise<void> {
    await super.finish();
    const feed = this.#openFeed(this.stores);
    if (this.#hasStreams) {
      while (this.site.hasNodeChanges()) await takeBatch(this.stores, feed, false);
      this.scheduler.stepClock(DAY);
      await continueScheduledPass(this.stores, feed, () => true);
    } else while (await followOnce(this.stores.nodeChanges, feed));
    const [trouble] = this.#troubles;
    if (trouble !== undefined) throw new Violation(`the inventory does not take it: ${trouble}`);
    const nodes = await this.stores.nodes.list(null, 1000);
    for (const node of nodes) await this.#checkNode(node);
    for (const certname of Object.keys(this.site.plan.facts)) {
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

  override close(): void {
    this.#inventory.end();
    super.close();
  }
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
