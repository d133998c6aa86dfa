import { JOB_EXPIRY } from '../../config/deployment.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { LedgerBodies, LedgerEvent, LedgerKind, NodeRun } from '../ports/job-records.ts';
import {
  type JobStore,
  type Ledger,
  type LedgerChange,
  type LedgerCounter,
  type LedgerLease,
  type LedgerOptions,
  MOST_EVENTS,
  type StopRequest,
} from '../ports/job-store.ts';
import { pack, printAttribute, readJson, readNumber, unpack } from './attributes.ts';
import { allOf, anyOf, attributeExists, attributeNotExists, beginsWith, compareTo } from './expressions.ts';
import type { Item, Table } from './table.ts';

const NODES_AT_ONCE = 16;
const BUSY_ROUNDS = 20;
/** Items of events that are read at a time. */
const EVENT_ITEMS = 20;

/** A step that is decided. It is carried out again when its writer may have died. */
interface Redo {
  readonly version: number;
  readonly token: string;
  readonly change: LedgerChange<unknown>;
}

/**
 * Ledgers as items of one table. The item `redo` of a ledger decides a commit: it is replaced only
 * when it has the version before. Events, nodes and the head are written from it, in this order and
 * each at most once a version. A step that began is therefore carried out whole: by its writer, or
 * by the next one that claims the ledger.
 *
 * Keys: `#<kind>` and the number for the head; `#open <kind>` and the number while it is open;
 * `<kind> <number>` and `redo` or `node <name>`; `<kind> <number> events` and the first id of some;
 * `#counter` and its name.
 */
export class AwsJobStore implements JobStore {
  readonly #table: Table;

  constructor(table: Table) {
    this.#table = table;
  }

  async takeNumbers(counter: LedgerCounter, count: number): Promise<number> {
    const item = await this.#table.update({ ledger: '#counter', item: counter }, { count: { last: count } });
    return readNumber(item ?? {}, 'last') - count + 1;
  }

  async create<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    body: LedgerBodies[Kind],
    { isOpen, expiresAt }: LedgerOptions,
  ): Promise<void> {
    const expiry = expiresAt === null ? {} : { [JOB_EXPIRY]: Math.ceil(expiresAt / 1000) };
    if (isOpen) await this.#table.put({ ...openKey(kind, number), ...expiry });
    const head = {
      ...headKey(kind, number),
      version: 1,
      body: printAttribute('body', body),
      isOpen,
      leaseUntil: 0,
      ...expiry,
    };
    await this.#table.put(head, attributeNotExists('ledger'));
  }

  async get<Kind extends LedgerKind>(kind: Kind, number: number): Promise<Ledger<LedgerBodies[Kind]> | null> {
    const item = await this.#table.get(headKey(kind, number));
    return item && readHead(item);
  }

  async list<Kind extends LedgerKind>(
    kind: Kind,
    after: number,
    limit: number,
  ): Promise<readonly Ledger<LedgerBodies[Kind]>[]> {
    const where = allOf(compareTo('ledger', '=', `#${kind}`), compareTo('item', '>', padNumber(after)));
    const items = await this.#table.query({ where, limit });
    return items.flatMap((item) => readHead<LedgerBodies[Kind]>(item) ?? []);
  }

  async listOpen(kind: LedgerKind): Promise<readonly number[]> {
    const items = await this.#table.query({ where: compareTo('ledger', '=', `#open ${kind}`) });
    const numbers = items.map(({ item }) => Number(item));
    const heads = await this.#table.batchGet(
      numbers.map((number) => headKey(kind, number)),
      ['item', 'isOpen'],
    );
    // The entry of a ledger that was never created, or closed without it, goes when it expires.
    return heads
      .filter(({ isOpen }) => isOpen === true)
      .map(({ item }) => Number(item))
      .sort((a, b) => a - b);
  }

  async claim<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    lease: LedgerLease,
    now: number,
  ): Promise<Ledger<LedgerBodies[Kind]> | null> {
    for (let round = 0; round < BUSY_ROUNDS; round += 1) {
      const redo = await this.#readRedo(kind, number);
      const item = await this.#table.get(headKey(kind, number));
      if (item === null) return null;
      if (item.leaseOwner !== lease.owner && readNumber(item, 'leaseUntil') > now) return null;
      if (redo !== null && redo.version > readNumber(item, 'version')) {
        await this.#carryOut(kind, number, redo, item);
        continue;
      }
      const head = readHead<LedgerBodies[Kind]>(item);
      if (head === null) return null;
      const { version, body } = head;
      const token = `${lease.owner} ${lease.until}`;
      if (await this.commit(kind, number, version, { body, lease }, token)) return this.get(kind, number);
    }
    return null;
  }

  async commit<Kind extends LedgerKind>(
    kind: Kind,
    number: number,
    version: number,
    change: LedgerChange<LedgerBodies[Kind]>,
    token: string,
  ): Promise<boolean> {
    const item = await this.#table.get(headKey(kind, number));
    if (item === null) return false;
    const redo = { version: version + 1, token, change };
    const key = { ledger: ledgerKey(kind, number), item: 'redo' };
    const isNext = version === 1 ? attributeNotExists('version') : compareTo('version', '=', version);
    const decided = { ...key, version: version + 1, redo: pack(redo), ...expiryOf(item) };
    if (!(await this.#table.put(decided, isNext))) {
      const found = await this.#readRedo(kind, number);
      if (found?.version !== version + 1 || found.token !== token) return false;
    }
    await this.#carryOut(kind, number, redo, item);
    return true;
  }

  async requestStop(number: number, stop: StopRequest): Promise<void> {
    const isThere = attributeExists('version');
    const when = stop === 'force' ? isThere : allOf(isThere, attributeNotExists('stop'));
    await this.#table.update(headKey('job', number), { set: { stop }, when });
  }

  async remove(kind: LedgerKind, number: number): Promise<void> {
    await this.#table.delete(headKey(kind, number));
    await this.#table.delete(openKey(kind, number));
    await this.#table.delete({ ledger: ledgerKey(kind, number), item: 'redo' });
  }

  async getNode(number: number, name: string): Promise<NodeRun | null> {
    const item = await this.#table.get({ ledger: ledgerKey('job', number), item: `node ${name}` });
    return item && unpack<NodeRun>(item, 'run');
  }

  async listNodes(number: number, after: string, limit: number): Promise<readonly NodeRun[]> {
    const ledger = ledgerKey('job', number);
    const items = await this.#table.query({
      where: allOf(compareTo('ledger', '=', ledger), beginsWith('item', 'node ')),
      limit,
      ...(after === '' ? {} : { after: { ledger, item: `node ${after}` } }),
    });
    return items.flatMap((item) => unpack<NodeRun>(item, 'run') ?? []);
  }

  async listEvents(kind: LedgerKind, number: number, start: number, limit: number): Promise<readonly LedgerEvent[]> {
    // The item with the event `start` may begin earlier, by less than its bound.
    let after = Math.max(0, start - MOST_EVENTS);
    const found: LedgerEvent[] = [];
    for (;;) {
      const where = allOf(compareTo('ledger', '=', eventsKey(kind, number)), compareTo('item', '>', padNumber(after)));
      const items = await this.#table.query({ where, limit: EVENT_ITEMS });
      const events = items.flatMap((item) => unpack<readonly LedgerEvent[]>(item, 'events') ?? []);
      found.push(...events.filter(({ id }) => id >= start));
      if (found.length >= limit || items.length < EVENT_ITEMS) break;
      after = Number(items.at(-1)?.item);
    }
    return found.slice(0, limit);
  }

  async expire(): Promise<readonly number[]> {
    return [];
  }

  async #readRedo(kind: LedgerKind, number: number): Promise<Redo | null> {
    const item = await this.#table.get({ ledger: ledgerKey(kind, number), item: 'redo' });
    return item && unpack<Redo>(item, 'redo');
  }

  /** Writes what a decided step changes, each item only if no later step did. */
  async #carryOut(kind: LedgerKind, number: number, { version, change }: Redo, head: Item): Promise<void> {
    const ledger = ledgerKey(kind, number);
    const expiry = expiryOf(head);
    const isOlder = anyOf(attributeNotExists('version'), compareTo('version', '<', version));
    const { events = [], nodes = [], body, isOpen, lease } = change;
    const [first] = events;
    if (first !== undefined) {
      const key = { ledger: eventsKey(kind, number), item: padNumber(first.id) };
      await this.#table.put({ ...key, events: pack(events), ...expiry }, attributeNotExists('item'));
    }
    await inParallel(NODES_AT_ONCE, nodes, async (run) => {
      const item = `node ${run.name}`;
      await this.#table.put({ ledger, item, version, run: pack(run), ...expiry }, isOlder);
    });
    await this.#table.update(headKey(kind, number), {
      set: {
        version,
        body: printAttribute('body', body),
        isOpen,
        leaseOwner: lease?.owner,
        leaseUntil: lease?.until,
      },
      when: compareTo('version', '=', version - 1),
    });
    if (isOpen === false) await this.#table.delete(openKey(kind, number));
  }
}

function headKey(kind: LedgerKind, number: number): Item {
  return { ledger: `#${kind}`, item: padNumber(number) };
}

function openKey(kind: LedgerKind, number: number): Item {
  return { ledger: `#open ${kind}`, item: padNumber(number) };
}

function ledgerKey(kind: LedgerKind, number: number): string {
  return `${kind} ${number}`;
}

function eventsKey(kind: LedgerKind, number: number): string {
  return `${kind} ${number} events`;
}

function expiryOf(head: Item): Item {
  return typeof head[JOB_EXPIRY] === 'number' ? { [JOB_EXPIRY]: head[JOB_EXPIRY] } : {};
}

function readHead<Body>(item: Item): Ledger<Body> | null {
  const body = readJson<Body>(item, 'body');
  if (body === null) return null;
  const stop = item.stop === 'soft' || item.stop === 'force' ? item.stop : null;
  return { number: Number(item.item), version: readNumber(item, 'version'), body, stop };
}

/** Sorts like the number. */
function padNumber(number: number): string {
  return String(number).padStart(16, '0');
}
