import { memberShard } from '../../store/member-shard.ts';
import { MEMBER_SHARDS } from '../../store/ports/dependency-index.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';

/** A node that is due for a run. */
export interface DueNode {
  readonly certname: string;
  /** `compiledAt` of the catalog that made it due. */
  readonly compiledAt: number;
  /** When it became due. */
  readonly dueAt: number;
  /** Failed attempts to notify it of this catalog. */
  readonly tries: number;
}

/** The last notification of a node. */
interface NotifiedNode extends DueNode {
  readonly lane: string;
  readonly job: number;
  readonly at: number;
}

/** A node that waits for something, with the lane that it goes to. */
export interface WaitingNode {
  readonly lane: string;
  readonly node: DueNode;
}

/** A node that could not be notified, after all tries. */
export interface DeadNode extends WaitingNode {
  readonly reason: string;
  readonly at: number;
}

/** Number of nodes in each state, counted up to a limit. */
export interface NotifyCounts {
  /** Due, and in no job yet. */
  readonly due: number;
  /** Notified again later. */
  readonly later: number;
  /** Not connected. */
  readonly parked: number;
  readonly dead: number;
}

const LANES = 'notify-lanes';
const LATER = 'notify-later';
const DEAD = 'notify-dead';
const TIME_DIGITS = 14;
const MOST_LANES = 1000;
/** Shards of a lane, each of which is asked for due nodes: 4,000 compiles a second can be noted. */
const DUE_SHARDS = 4;

/**
 * The documents of nodes that are due: one for each node in its lane, which a newer catalog
 * replaces, so that the queue has at most as many entries as there are nodes. Beside them are the
 * nodes that have to wait, and those that could not be notified.
 */
export class NotifyBook {
  readonly #documents: DocumentStore;
  readonly #lanes = new Set<string>();

  constructor(documents: DocumentStore) {
    this.#documents = documents;
  }

  /** The names of all lanes that ever had a node. */
  async listLanes(): Promise<readonly string[]> {
    return (await this.#documents.list(LANES, '', MOST_LANES)).map(({ key }) => key);
  }

  /** Makes a node due; a newer catalog replaces an older one. */
  async addDue(lane: string, node: DueNode): Promise<void> {
    await this.#ensureLane(lane);
    await this.#documents.put(dueIn(lane, node.certname), node.certname, bodyOf(node));
  }

  /** Makes a node due again, unless it is due for a newer catalog. */
  async restoreDue(lane: string, node: DueNode): Promise<void> {
    await this.#ensureLane(lane);
    const { certname, compiledAt } = node;
    const shard = dueIn(lane, certname);
    const found = await this.#documents.get(shard, certname);
    if (found === null) await this.#documents.create(shard, certname, bodyOf(node));
    else if (Number(found.compiledAt) < compiledAt) {
      await this.#documents.replace(shard, certname, found, bodyOf(node));
    }
  }

  async isDue(lane: string, certname: string): Promise<boolean> {
    return (await this.#documents.get(dueIn(lane, certname), certname)) !== null;
  }

  /** Due nodes in the order of their names. */
  async listDue(lane: string, limit: number, after: string): Promise<readonly DueNode[]> {
    const more = after === '' ? [] : [after];
    const pages = await Promise.all(shardsOf(lane).map((shard) => this.#documents.list(shard, '', limit, ...more)));
    const nodes = pages.flat().map(({ key, document }) => readNode(key, document));
    return nodes.sort((a, b) => (a.certname < b.certname ? -1 : 1)).slice(0, limit);
  }

  /** Removes a due node, unless it is due for another catalog by now. */
  async removeDue(lane: string, node: DueNode): Promise<void> {
    await this.#documents.remove(dueIn(lane, node.certname), node.certname, bodyOf(node));
  }

  /** Makes a node due at a time; several of one time are one. */
  async addLater(lane: string, node: DueNode, at: number): Promise<void> {
    const time = String(at).padStart(TIME_DIGITS, '0');
    await this.#documents.put(LATER, `${time} ${node.certname}`, { ...bodyOf(node), lane });
  }

  /** Makes nodes due whose time has come; returns their number. */
  async takeLater(now: number, limit: number): Promise<number> {
    const found = await this.#documents.list(LATER, '', limit);
    const ripe = found.filter(({ key }) => Number(key.slice(0, TIME_DIGITS)) <= now);
    for (const { key, document } of ripe) {
      await this.restoreDue(String(document.lane), readNode(key.slice(TIME_DIGITS + 1), document));
      await this.#documents.delete(LATER, key);
    }
    return ripe.length;
  }

  async getNotified(certname: string): Promise<NotifiedNode | null> {
    const found = await this.#documents.get(shardOf('notify-notified', certname), certname);
    if (found === null) return null;
    const { lane, at, job } = found;
    return { ...readNode(certname, found), lane: String(lane), at: Number(at), job: Number(job) };
  }

  async putNotified({ lane, job, at, ...node }: NotifiedNode): Promise<void> {
    const { certname } = node;
    await this.#documents.put(shardOf('notify-notified', certname), certname, { ...bodyOf(node), lane, job, at });
  }

  /** Keeps a node until it connects. */
  async park({ lane, node }: WaitingNode): Promise<void> {
    const { certname } = node;
    await this.#documents.put(shardOf('notify-parked', certname), certname, { ...bodyOf(node), lane });
  }

  async getParked(certname: string): Promise<WaitingNode | null> {
    const found = await this.#documents.get(shardOf('notify-parked', certname), certname);
    return found && { lane: String(found.lane), node: readNode(certname, found) };
  }

  /** Removes a parked node, unless it is parked for another catalog by now. */
  async unpark({ lane, node }: WaitingNode): Promise<void> {
    const { certname } = node;
    await this.#documents.remove(shardOf('notify-parked', certname), certname, { ...bodyOf(node), lane });
  }

  /** Parked nodes of a shard in the order of their names. */
  async listParked(shard: number, limit: number, after: string): Promise<readonly WaitingNode[]> {
    const more = after === '' ? [] : [after];
    const found = await this.#documents.list(`notify-parked/${shard}`, '', limit, ...more);
    return found.map(({ key, document }) => ({ lane: String(document.lane), node: readNode(key, document) }));
  }

  /** Keeps a node that could not be notified. */
  async bury({ lane, node, reason, at }: DeadNode): Promise<void> {
    await this.#documents.put(DEAD, node.certname, { ...bodyOf(node), lane, reason, at });
  }

  async listDead(limit: number, after = ''): Promise<readonly DeadNode[]> {
    const found = await this.#documents.list(DEAD, '', limit, ...(after === '' ? [] : [after]));
    return found.map(({ key, document }) => readDead(key, document));
  }

  async getDead(certname: string): Promise<DeadNode | null> {
    const found = await this.#documents.get(DEAD, certname);
    return found && readDead(certname, found);
  }

  countDead(most: number): Promise<number> {
    return this.#documents.countKeys(DEAD, most);
  }

  /** Makes a node due that could not be notified; false when it is none of those. */
  async redrive(certname: string): Promise<boolean> {
    const dead = await this.getDead(certname);
    if (dead === null) return false;
    await this.restoreDue(dead.lane, { ...dead.node, tries: 0 });
    await this.removeDead(certname);
    return true;
  }

  async removeDead(certname: string): Promise<void> {
    await this.#documents.delete(DEAD, certname);
  }

  /** Forgets a node that was removed. */
  async forget(certname: string): Promise<void> {
    for (const collection of ['notify-notified', 'notify-parked']) {
      await this.#documents.delete(shardOf(collection, certname), certname);
    }
    await this.removeDead(certname);
  }

  async count(most: number): Promise<NotifyCounts> {
    const sum = async (collections: readonly string[]) => {
      const counts = await Promise.all(collections.map((one) => this.#documents.countKeys(one, most)));
      return counts.reduce((total, count) => total + count, 0);
    };
    const shards = Array.from({ length: MEMBER_SHARDS }, (_, shard) => `notify-parked/${shard}`);
    const [due, later, parked, dead] = await Promise.all([
      sum((await this.listLanes()).flatMap(shardsOf)),
      sum([LATER]),
      sum(shards),
      sum([DEAD]),
    ]);
    return { due, later, parked, dead };
  }

  async #ensureLane(lane: string): Promise<void> {
    if (this.#lanes.has(lane)) return;
    await this.#documents.create(LANES, lane, {});
    this.#lanes.add(lane);
  }
}

/** The collection of a due node. */
function dueIn(lane: string, certname: string): string {
  return `notify-due/${lane}/${memberShard(certname) % DUE_SHARDS}`;
}

function shardsOf(lane: string): readonly string[] {
  return Array.from({ length: DUE_SHARDS }, (_, shard) => `notify-due/${lane}/${shard}`);
}

/** A collection is one partition in AWS, which takes 1,000 writes a second. */
function shardOf(collection: string, certname: string): string {
  return `${collection}/${memberShard(certname)}`;
}

function bodyOf({ compiledAt, dueAt, tries }: DueNode): StoredDocument {
  return { compiledAt, dueAt, tries };
}

function readDead(certname: string, document: StoredDocument): DeadNode {
  const { lane, reason, at } = document;
  return { lane: String(lane), node: readNode(certname, document), reason: String(reason), at: Number(at) };
}

function readNode(certname: string, { compiledAt, dueAt, tries }: StoredDocument): DueNode {
  return { certname, compiledAt: Number(compiledAt), dueAt: Number(dueAt), tries: Number(tries) };
}
