import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import type { GroupsHead } from '../../store/ports/group-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { digestSha256 } from '../../util/digest.ts';
import { GroupHierarchy } from './group-hierarchy.ts';
import { GroupRefused } from './group-refused.ts';
import type { NodeGroup } from './node-group.ts';

type HierarchyPorts = Pick<Stores, 'groups' | 'blobs' | 'clock'>;

/** The groups in force, and the record that names them; null before the first change. */
export interface CurrentHierarchy {
  readonly hierarchy: GroupHierarchy;
  readonly head: GroupsHead | null;
}

/** The blob of the state in force, which cannot be read. */
interface GroupsDamage {
  readonly key: string;
  /** The digest of the newest earlier state that can be read. */
  readonly earlier: string | null;
}

const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Earlier states are kept for readers that have just read the record, and for operators. */
const STATES_KEPT = 10;
/** Bounded retry: 20 races in a row do not occur in practice. */
const MOST_RACES = 20;
const MOST_GROUPS = 10_000;
const MOST_BYTES = 32 * 2 ** 20;
/** States that a process has parsed: the one in force, and one before or after a change. */
const MOST_PARSED = 3;

/**
 * The node groups of a deployment. Each state is a blob that never changes; a record names the one
 * in force and is replaced by compare-and-swap. The only state here is a cache.
 */
export class HierarchyStore {
  readonly #ports: HierarchyPorts;
  readonly #parsed = new BoundedCache<GroupHierarchy>(MOST_PARSED);

  constructor(ports: HierarchyPorts) {
    this.#ports = ports;
  }

  /**
   * Reads the groups in force: one small record, unless the caller has just read it, and the state
   * when it is new to this process.
   */
  async read(known?: GroupsHead | null): Promise<CurrentHierarchy> {
    for (let race = 0; race < MOST_RACES; race += 1) {
      const head: GroupsHead | null = race === 0 && known !== undefined ? known : await this.#ports.groups.get();
      if (head === null) return { hierarchy: GroupHierarchy.initial, head };
      const hierarchy = await this.#load(head.digest);
      // The state may be deleted when it is older than those that are kept.
      if (hierarchy !== null) return { hierarchy, head };
      const newer = await this.#ports.groups.get();
      if (newer?.digest === head.digest)
        throw new StoreUnavailable(`the state ${head.digest} of the groups is missing`);
    }
    throw new StoreUnavailable('the node groups change too often');
  }

  /**
   * Puts changed groups in force. `change` gets those in force, again after a lost race, and
   * returns all groups, or null for no change. Its errors are thrown on. Resolves to the groups in
   * force.
   */
  async change(change: (before: GroupHierarchy) => readonly NodeGroup[] | null): Promise<CurrentHierarchy> {
    for (let race = 0; race < MOST_RACES; race += 1) {
      const before = await this.read();
      const groups = change(before.hierarchy);
      if (groups === null) return before;
      const hierarchy = new GroupHierarchy(groups);
      const head = await this.#putState(hierarchy, before.head);
      if (!(await this.#ports.groups.replace(head, before.head?.version ?? null))) continue;
      await this.#deleteOldState(before.head, head);
      this.#parsed.set(head.digest, hierarchy);
      return { hierarchy, head };
    }
    throw new StoreUnavailable('the node groups change too often');
  }

  /**
   * Whether the state in force can be read; null without groups. With `repair`, the newest earlier
   * state that can be read takes the place of one that cannot.
   */
  async verify(repair: boolean): Promise<GroupsDamage | null> {
    const head = await this.#ports.groups.get();
    if (head === null || (await this.#isSound(head.digest))) return null;
    let earlier: string | null = null;
    for (const digest of head.history) if (earlier === null && (await this.#isSound(digest))) earlier = digest;
    if (repair && earlier !== null) {
      const { version, revision, history } = head;
      const changed = {
        version: version + 1,
        revision: revision + 1,
        changedAt: this.#ports.clock.now(),
        cursor: null,
      };
      const next = { ...head, ...changed, digest: earlier, history: history.filter((one) => one !== earlier) };
      await this.#ports.groups.replace(next, version);
    }
    return { key: stateBlob(head.digest), earlier };
  }

  async #isSound(digest: string): Promise<boolean> {
    return (await this.#readState(digest).catch(() => null)) !== null;
  }

  async #putState(hierarchy: GroupHierarchy, before: GroupsHead | null): Promise<GroupsHead> {
    const text = JSON.stringify(hierarchy.groups);
    if (hierarchy.groups.length > MOST_GROUPS || text.length > MOST_BYTES) {
      const message = `There can be ${MOST_GROUPS} groups with ${MOST_BYTES} bytes in all, not more`;
      throw new GroupRefused('schema-violation', message);
    }
    const digest = digestSha256(text);
    await this.#ports.blobs.put(stateBlob(digest), await compress(text));
    return {
      version: (before?.version ?? 0) + 1,
      revision: (before?.revision ?? 0) + 1,
      digest,
      history: before === null ? [] : [before.digest, ...before.history].slice(0, STATES_KEPT),
      changedAt: this.#ports.clock.now(),
      settled: before?.settled ?? 0,
      cursor: null,
    };
  }

  /** Deletes the state that is no longer kept, unless a later one is equal to it. */
  async #deleteOldState(before: GroupsHead | null, { digest, history }: GroupsHead): Promise<void> {
    const oldest = before?.history.at(-1);
    const isKept = oldest === undefined || oldest === digest || history.includes(oldest);
    if (!isKept) await this.#ports.blobs.delete(stateBlob(oldest));
  }

  async #load(digest: string): Promise<GroupHierarchy | null> {
    const known = this.#parsed.get(digest);
    if (known) return known;
    const hierarchy = await this.#readState(digest);
    if (hierarchy !== null) this.#parsed.set(digest, hierarchy);
    return hierarchy;
  }

  /** Null for a missing state; throws for a damaged one. */
  async #readState(digest: string): Promise<GroupHierarchy | null> {
    const bytes = await this.#ports.blobs.get(stateBlob(digest));
    if (bytes === null) return null;
    const text = await decompress(bytes).then(String, () => '');
    if (digestSha256(text) !== digest) throw new StoreUnavailable(`the state ${digest} of the groups is damaged`);
    const groups: readonly NodeGroup[] = JSON.parse(text);
    return new GroupHierarchy(groups);
  }
}

function stateBlob(digest: string): string {
  return `groups/${digest}`;
}
