import { MEMBER_SHARDS } from '../../store/ports/dependency-index.ts';
import type { Doorbell } from '../../store/ports/doorbell.ts';
import type { NodeChangeLog } from '../../store/ports/node-changes.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { PxpGateway } from '../pxp/pxp-gateway.ts';
import { type DueRecorder, recordChanges } from './due-recorder.ts';
import { hasNewestCatalog } from './node-runs.ts';
import type { NotifyBook, WaitingNode } from './notify-book.ts';
import type { NotifyLease } from './notify-lease.ts';
import type { Rollouts } from './rollouts.ts';

interface NotifierParts {
  readonly stores: Pick<Stores, 'nodes' | 'documents' | 'clock'>;
  /** Null where others record the changes. */
  readonly changes: NodeChangeLog | null;
  readonly book: NotifyBook;
  readonly recorder: DueRecorder;
  readonly rollouts: Rollouts;
  readonly gateway: Pick<PxpGateway, 'listConnected'>;
  /** Null when no other process shares the store. */
  readonly lease: NotifyLease | null;
  /** Rings when jobs are sent, of which catalogs come; absent: each tick looks. */
  readonly doorbell?: Pick<Doorbell, 'isHeard' | 'wait'> | undefined;
  readonly reportFailure: (message: string, cause: unknown) => void;
}

/** The consumer of the changes of nodes. */
export const NOTIFY_CONSUMER = 'notify';
const TICK_MS = 1000;
/** The pause of a notifier that has nothing to do, and whom a doorbell wakes. */
const IDLE_MS = 4000;
/** Changes of one turn; the next turn follows at once. */
const CHANGES = 500;
const TURNS = 20;
const LATER = 500;
const AT_ONCE = 16;
/** Each minute, some of the nodes that are not connected are looked at. */
const SWEEP_MS = 60_000;
const SWEPT = 200;
/** Beyond this, nodes that connect are found by the sweep. */
const MOST_ARRIVALS = 200_000;

/** Notifies nodes of changed catalogs, by jobs. One process at a time does so. */
export class Notifier {
  readonly #parts: NotifierParts;
  readonly #arrivals = new Set<string>();
  #isFollowing = false;
  #isActive = false;
  /** Whether the last tick found nothing to do. */
  #isIdle = false;
  #hasParked = true;
  #sweepAt = 0;
  #swept = { shard: 0, after: '' };

  constructor(parts: NotifierParts) {
    this.#parts = parts;
  }

  /** Whether this process notifies nodes. */
  get isActive(): boolean {
    return this.#isActive;
  }

  /** A node waits for its connection. */
  noteParked(): void {
    this.#hasParked = true;
  }

  /** A node connected. */
  noteArrival(certname: string): void {
    if (this.#hasParked && this.#arrivals.size < MOST_ARRIVALS) this.#arrivals.add(certname);
  }

  /** Runs until `signal` aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { stores, lease, doorbell, reportFailure } = this.#parts;
    while (!signal.aborted) {
      await this.tick();
      await stores.clock.sleep(TICK_MS, signal);
      const isIdle = this.#isIdle && this.#arrivals.size === 0;
      if (isIdle && doorbell?.isHeard === true) await doorbell.wait(IDLE_MS, signal);
    }
    await lease
      ?.release()
      .catch((error: unknown) => reportFailure('The lease of the notifier was not released', error));
  }

  /** Does what is due now. A failure is reported, and tried again with the next tick. */
  async tick(): Promise<void> {
    const { reportFailure, rollouts, book, stores } = this.#parts;
    this.#isIdle = false;
    try {
      if (!(await this.#hasLease())) return;
      const hasChanges = await this.#takeChanges();
      await this.#greet();
      const later = await book.takeLater(stores.clock.now(), LATER);
      const lanes = await book.listLanes();
      for (const lane of lanes) await rollouts.step(lane);
      await this.#sweep();
      this.#isIdle = !hasChanges && later === 0 && lanes.length === 0;
    } catch (error) {
      // The state in memory may be ahead of the store.
      rollouts.reset();
      reportFailure('Nodes could not be notified of changed catalogs', error);
    }
  }

  async #hasLease(): Promise<boolean> {
    const { lease, rollouts } = this.#parts;
    const state = (await lease?.hold()) ?? 'held';
    // The process that has the lease looks for clients that connect.
    if (state === 'elsewhere') this.#arrivals.clear();
    if (state === 'new') {
      rollouts.reset();
      this.#hasParked = true;
    }
    this.#isActive = state !== 'elsewhere';
    return this.#isActive;
  }

  /**
   * Takes the changes of nodes; whether there were any. They are followed also while no policy
   * needs them: the next one counts once one does.
   */
  async #takeChanges(): Promise<boolean> {
    const { changes } = this.#parts;
    if (changes === null) return false;
    if (!this.#isFollowing) await changes.follow(NOTIFY_CONSUMER);
    this.#isFollowing = true;
    let taken = 0;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const some = await this.#takeTurn(changes);
      taken += some;
      if (some < CHANGES) break;
    }
    return taken > 0;
  }

  /** Returns the number of changes. */
  async #takeTurn(changes: NodeChangeLog): Promise<number> {
    const { changes: some, position, pass } = await changes.read(NOTIFY_CONSUMER, CHANGES);
    if (some.length === 0 && pass === null) return 0;
    await recordChanges(some, this.#parts.recorder);
    // A node whose changes were missed for days has asked for its catalog by itself.
    await changes.advance(NOTIFY_CONSUMER, { position, pass: null });
    return some.length;
  }

  /** Makes nodes due that waited for their connections. */
  async #greet(): Promise<void> {
    const { book } = this.#parts;
    const arrived = [...this.#arrivals];
    await inParallel(AT_ONCE, arrived, async (certname) => {
      const waiting = await book.getParked(certname);
      if (waiting !== null) await this.#unpark(waiting);
      this.#arrivals.delete(certname);
    });
  }

  async #unpark(waiting: WaitingNode): Promise<void> {
    const { book } = this.#parts;
    await book.restoreDue(waiting.lane, waiting.node);
    await book.unpark(waiting);
  }

  /** Looks at some nodes that wait for connections: they may be there, or need nothing more. */
  async #sweep(): Promise<void> {
    const { stores, book } = this.#parts;
    const now = stores.clock.now();
    if (!this.#hasParked || now < this.#sweepAt) return;
    this.#sweepAt = now + SWEEP_MS;
    for (let shards = 0; shards < MEMBER_SHARDS; shards += 1) {
      const { shard, after } = this.#swept;
      const page = await book.listParked(shard, SWEPT, after);
      const isLast = page.length < SWEPT;
      this.#swept = isLast ? { shard: (shard + 1) % MEMBER_SHARDS, after: '' } : { shard, after: nameOf(page.at(-1)) };
      await this.#look(page);
      if (page.length > 0) return;
    }
    this.#hasParked = false;
  }

  async #look(page: readonly WaitingNode[]): Promise<void> {
    const { book, gateway, stores } = this.#parts;
    if (page.length === 0) return;
    const connected = await gateway.listConnected(page.map(({ node }) => node.certname));
    const isConnected = new Set(connected.map(({ certname }) => certname));
    await inParallel(AT_ONCE, page, async (waiting) => {
      const { certname } = waiting.node;
      if (isConnected.has(certname)) return this.#unpark(waiting);
      const record = await stores.nodes.get(certname);
      const isDone = !record?.catalog || (await hasNewestCatalog(stores, certname, record.catalog));
      return isDone ? book.unpark(waiting) : undefined;
    });
  }
}

function nameOf(waiting: WaitingNode | undefined): string {
  return waiting?.node.certname ?? '';
}
