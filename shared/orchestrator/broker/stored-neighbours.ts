import type { Doorbell } from '../../store/ports/doorbell.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { AddressedMessage } from '../pcp/pcp-message.ts';
import { type Instance, InstanceLeases, InstanceReplaced, RENEW_MS } from './instance-leases.ts';
import { type BrokerMail, Mailboxes } from './mailbox.ts';
import type { NeighbourRequests, Neighbours } from './neighbours.ts';
import { type ClientPlace, Presence } from './presence.ts';
import { countToMove } from './rebalance.ts';
import type { TimedChange } from './subscriptions.ts';
import { Turns } from './turns.ts';

/** The doorbell wakes the readers of mailboxes; absent: they look by themselves. */
export type NeighbourStores = Pick<Stores, 'documents' | 'clock'> & { readonly doorbell?: Doorbell | undefined };

/** Milliseconds between two looks into the mailbox: after mails, and at last without any. */
export interface MailPace {
  readonly busyMs: number;
  readonly idleMs: number;
}

/** Options of a process that joins the brokers of a store. */
export interface JoinOptions {
  /** Trades the time that a mail takes for requests to the store. */
  readonly pace?: MailPace;
  /** It listens to nobody. */
  readonly isService?: boolean;
  /**
   * A broker with many more clients than the others closes connections: a load balancer gives
   * clients that come back to any broker.
   */
  readonly isBalanced?: boolean;
}

const LOCAL_PACE: MailPace = { busyMs: 25, idleMs: 25 };
const FINDS_AT_ONCE = 16;
/** Maximum age of cached leases when a message is delivered. */
const LEASES_MS = 500;
/** Interval of closing connections that other brokers should have. */
const BALANCE_MS = 1000;
/** Batching window for presence changes. */
const CHANGES_MS = 100;
const CHANGES_IN_ONE_LETTER = 1000;
/** The state of a dead broker is cleaned up when it did not come back for this time. */
const DEAD_MS = 30_000;
/** A dead broker is forgotten after this time: others may take it for alive, and write to it. */
const FORGOTTEN_MS = 2 * LEASES_MS;
/** Grace period after a store outage: live brokers have renewed their leases by then. */
const SETTLED_MS = 15_000;

/**
 * Brokers that share a store: presence of clients, a lease for each broker, and a mailbox for each.
 * A lease that ended makes all clients of its broker count as gone at once.
 */
export class StoredNeighbours implements Neighbours {
  readonly #stores: NeighbourStores;
  readonly #leases: InstanceLeases;
  readonly #presence: Presence;
  readonly #mail: Mailboxes;
  readonly #pace: MailPace;
  readonly #isBalanced: boolean;
  readonly #claims = new Map<string, ClientPlace>();
  /** Presence is written in order for each URI, and messages are sent in order for each target. */
  readonly #writes = new Turns();
  readonly #deliveries = new Turns();
  #known: { readonly at: number; readonly instances: readonly Instance[] } | null = null;
  #changes: TimedChange[] = [];
  /** When each broker that is dead was first found dead. */
  #deadSince: ReadonlyMap<string, number> = new Map();
  /** Whether places of former processes were cleaned up since the start. */
  #hasCleaned = false;

  private constructor(stores: NeighbourStores, leases: InstanceLeases, pace: MailPace, isBalanced: boolean) {
    this.#isBalanced = isBalanced;
    const { name, incarnation } = leases.own;
    this.#stores = stores;
    this.#leases = leases;
    this.#pace = pace;
    this.#presence = new Presence(stores.documents);
    this.#mail = new Mailboxes(stores, `${name} ${incarnation}`);
  }

  /**
   * Joins the brokers of a store under a name; a former process of that name is replaced.
   */
  static async join(
    stores: NeighbourStores,
    name: string,
    { pace = LOCAL_PACE, isService = false, isBalanced = false }: JoinOptions = {},
  ): Promise<StoredNeighbours> {
    const leases = await InstanceLeases.take(stores, name, isService);
    const joined = new StoredNeighbours(stores, leases, pace, isBalanced);
    await joined.#mail.discardParts(name);
    return joined;
  }

  arrive(uri: string): Promise<void> {
    return this.#writes.run(uri, async () => {
      const { name: instance, incarnation } = this.#leases.own;
      const { place, earlier } = await this.#presence.claim(uri, { instance, incarnation });
      this.#claims.set(uri, place);
      if (earlier === null || earlier.instance === instance) return;
      if (await this.#isAlive(earlier)) {
        await this.#mail.send(earlier.instance, { kind: 'drop', uri, epoch: earlier.epoch });
      }
    });
  }

  leave(uri: string): Promise<void> {
    return this.#writes.run(uri, async () => {
      const place = this.#claims.get(uri);
      this.#claims.delete(uri);
      if (place !== undefined) await this.#presence.release(uri, place);
    });
  }

  deliver(message: AddressedMessage): Promise<string | null> {
    return this.#deliveries.run(message.target, () => this.#send(message));
  }

  async #send(message: AddressedMessage): Promise<string | null> {
    const place = await this.#presence.find(message.target);
    if (place === null || this.#isOwn(place) || !(await this.#isAlive(place))) return 'Not connected.';
    const isSent = await this.#mail.send(place.instance, { kind: 'message', message });
    return isSent ? null : 'The broker of the recipient is busy.';
  }

  async list(matches: (uri: string) => boolean): Promise<readonly string[]> {
    const instances = await this.#readInstances(0);
    const uris: string[] = [];
    for await (const [uri, place] of this.#presence.list()) {
      if (!this.#isOwn(place) && isOfLive(place, instances, this.#stores.clock.now()) && matches(uri)) uris.push(uri);
    }
    return uris;
  }

  async find(uris: readonly string[]): Promise<readonly string[]> {
    const found: string[] = [];
    await inParallel(FINDS_AT_ONCE, uris, async (uri) => {
      const place = await this.#presence.find(uri);
      if (place !== null && !this.#isOwn(place) && (await this.#isAlive(place))) found.push(uri);
    });
    return found;
  }

  /** The longest wait of a mail for this process since the last call, in milliseconds. */
  takeLongestWait(): number {
    return this.#mail.takeLongestWait();
  }

  async watch(hasSubscribers: boolean): Promise<void> {
    if (this.#leases.own.hasSubscribers !== hasSubscribers) await this.#leases.renew({ hasSubscribers });
  }

  noteChange(change: TimedChange): void {
    this.#changes.push(change);
  }

  /**
   * Renews the lease, reads the mailbox and sends changes until `signal` aborts; then ends its
   * lease. Rejects with InstanceReplaced.
   */
  async serve(
    requests: NeighbourRequests,
    signal: AbortSignal,
    reportFailure: (message: string, cause: unknown) => void,
  ): Promise<void> {
    const guard = async (work: () => Promise<void>) => {
      await work().catch((error: unknown) => {
        if (error instanceof InstanceReplaced) throw error;
        reportFailure('The other brokers cannot be reached', error);
      });
    };
    await Promise.all([
      this.#repeat(RENEW_MS, signal, () => guard(() => this.#renew(requests))),
      ...(this.#isBalanced ? [this.#repeat(BALANCE_MS, signal, () => guard(() => this.#balance(requests)))] : []),
      this.#repeat(RENEW_MS, signal, () => guard(() => this.#returnMail(requests))),
      this.#keepReadingMail(requests, signal, guard),
      this.#repeat(CHANGES_MS, signal, () => guard(() => this.#sendChanges())),
      this.#repeat(DEAD_MS, signal, () => guard(() => this.#bury(requests))),
    ]);
    await this.#leases.end();
  }

  async #repeat(pauseMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    while (!signal.aborted) {
      await work();
      await this.#stores.clock.sleep(pauseMs, signal);
    }
  }

  /** Looks often while mails come, and more and more seldom while none do. */
  async #keepReadingMail(
    requests: NeighbourRequests,
    signal: AbortSignal,
    guard: (work: () => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { busyMs, idleMs } = this.#pace;
    let pauseMs = busyMs;
    while (!signal.aborted) {
      await guard(async () => {
        const mails = await this.#readMail(requests);
        pauseMs = mails > 0 ? busyMs : Math.min(idleMs, 2 * pauseMs);
      });
      await this.#mail.wait(this.#leases.own.name, pauseMs, signal);
    }
  }

  /** Returns how many mails there were. */
  async #readMail(requests: NeighbourRequests): Promise<number> {
    let mails = 0;
    for await (const mail of this.#mail.take(this.#leases.own.name)) {
      mails += 1;
      await this.#handle(mail, requests);
    }
    return mails;
  }

  async #handle(mail: BrokerMail, requests: NeighbourRequests): Promise<void> {
    if (mail.kind === 'message') {
      if (!requests.deliverHere(mail.message)) await this.#sendBack(mail.message, requests);
    } else if (mail.kind === 'undelivered') {
      requests.reportUndelivered(mail.uri, mail.description, mail.messageId);
    } else if (mail.kind === 'drop') {
      const claim = this.#claims.get(mail.uri);
      if (claim === undefined || claim.epoch > mail.epoch) return;
      this.#claims.delete(mail.uri);
      requests.dropHere(mail.uri);
    } else for (const change of mail.changes) requests.noteChangeElsewhere(change);
  }

  /** Reports to the sender, wherever it is now, that its message was not delivered. */
  async #sendBack({ id: messageId, sender: uri }: AddressedMessage, requests: NeighbourRequests): Promise<void> {
    const description = 'Not connected.';
    const place = await this.#presence.find(uri);
    if (place === null) return;
    if (this.#isOwn(place)) requests.reportUndelivered(uri, description, messageId);
    else await this.#mail.send(place.instance, { kind: 'undelivered', uri, description, messageId });
  }

  /** One that stops takes no clients: it does not count among those that could have more. */
  async #renew({ isRunning, connections }: NeighbourRequests): Promise<void> {
    const isOpen = isRunning && this.#leases.own.isService !== true;
    await this.#leases.renew({ connections: isOpen ? connections : null });
    await this.#readInstances(0);
  }

  async #balance(requests: NeighbourRequests): Promise<void> {
    const { name } = this.#leases.own;
    if (!requests.isRunning) return;
    const others = this.#findLive().flatMap((one) => (one.name === name ? [] : (one.connections ?? [])));
    const own = requests.connections;
    requests.moveAway(countToMove(own, [own, ...others]));
  }

  /** Returns the brokers whose leases had not ended when they were last read. */
  #findLive(): readonly Instance[] {
    const now = this.#stores.clock.now();
    return (this.#known?.instances ?? []).filter(({ until }) => until >= now);
  }

  /** Counts the processes that serve an orchestrator, with this one: at least 1. */
  countServices(): number {
    return Math.max(1, this.#findLive().filter(({ isService }) => isService === true).length);
  }

  /**
   * Reports mails that a broker with an ended lease left unread to their senders as undelivered.
   * A broker that goes on all the same finds them no more.
   */
  async #returnMail(requests: NeighbourRequests): Promise<void> {
    if (!this.#isSettled()) return;
    const now = this.#stores.clock.now();
    for (const { name, until } of await this.#readInstances(LEASES_MS)) {
      if (until < now) await this.#returnMailOf(name, requests);
    }
  }

  async #returnMailOf(name: string, requests: NeighbourRequests): Promise<void> {
    for await (const mail of this.#mail.take(name)) {
      if (mail.kind === 'message') await this.#sendBack(mail.message, requests);
    }
  }

  /** Whether the own lease was held for long enough: a store that was away ended all leases. */
  #isSettled(): boolean {
    const now = this.#stores.clock.now();
    return this.#leases.own.until >= now && now - this.#leases.heldSince >= SETTLED_MS;
  }

  async #sendChanges(): Promise<void> {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    const now = this.#stores.clock.now();
    for (const { name, until, hasSubscribers } of await this.#readInstances(0)) {
      if (name === this.#leases.own.name || until < now || !hasSubscribers) continue;
      for (let first = 0; first < changes.length; first += CHANGES_IN_ONE_LETTER) {
        const part = changes.slice(first, first + CHANGES_IN_ONE_LETTER);
        await this.#mail.send(name, { kind: 'changes', changes: part });
      }
    }
  }

  /**
   * Cleans up after brokers that ended: their clients, and the mails that they did not read. At
   * the start also after former processes under names that others have now. A store that did not
   * answer made all leases end: after it, the others get the time to renew theirs.
   */
  async #bury(requests: NeighbourRequests): Promise<void> {
    const now = this.#stores.clock.now();
    const isSettled = this.#isSettled();
    const dead = (await this.#readInstances(0)).filter(
      ({ until }) => until === 0 || (isSettled && until + DEAD_MS < now),
    );
    if (dead.length === 0 && this.#hasCleaned) return;
    for await (const [uri, place] of this.#presence.list()) {
      if ((await this.#isInUse(place, dead)) || !(await this.#presence.release(uri, place))) continue;
      const change = { client: uri, change: -1, at: now } as const;
      requests.noteChangeElsewhere(change);
      this.noteChange(change);
    }
    this.#hasCleaned = true;
    const before = this.#deadSince;
    this.#deadSince = new Map(dead.map((one) => [nameOf(one), before.get(nameOf(one)) ?? now]));
    for (const instance of dead) {
      await this.#returnMailOf(instance.name, requests);
      if (now - (before.get(nameOf(instance)) ?? now) < FORGOTTEN_MS) continue;
      await this.#mail.discardParts(instance.name);
      await this.#leases.forget(instance);
    }
  }

  /** Whether a broker has this place that is not known to be dead. */
  async #isInUse(place: ClientPlace, dead: readonly Instance[]): Promise<boolean> {
    if (dead.some((instance) => isPlaceOf(place, instance))) return false;
    const isKnown = (instances: readonly Instance[]) => instances.some((instance) => isPlaceOf(place, instance));
    return isKnown(await this.#readInstances(LEASES_MS)) || isKnown(await this.#readInstances(0));
  }

  #isOwn({ instance, incarnation }: ClientPlace): boolean {
    const { own } = this.#leases;
    return instance === own.name && incarnation === own.incarnation;
  }

  async #isAlive(place: ClientPlace): Promise<boolean> {
    const now = this.#stores.clock.now();
    if (isOfLive(place, await this.#readInstances(LEASES_MS), now)) return true;
    // It may have started since the leases were read.
    return isOfLive(place, await this.#readInstances(0), now);
  }

  async #readInstances(maxAgeMs: number): Promise<readonly Instance[]> {
    const now = this.#stores.clock.now();
    if (this.#known !== null && now - this.#known.at < maxAgeMs) return this.#known.instances;
    const instances = await this.#leases.list();
    this.#known = { at: now, instances };
    return instances;
  }
}

function nameOf({ name, incarnation }: Instance): string {
  return `${name} ${incarnation}`;
}

function isPlaceOf(place: ClientPlace, { name, incarnation }: Instance): boolean {
  return place.instance === name && place.incarnation === incarnation;
}

function isOfLive(place: ClientPlace, instances: readonly Instance[], now: number): boolean {
  return instances.some((instance) => isPlaceOf(place, instance) && instance.until >= now);
}
