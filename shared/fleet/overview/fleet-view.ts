import type { NodeSummary } from '../../store/ports/node-store.ts';
import { findNames } from '../../util/find-names.ts';
import {
  type FailingCause,
  FLEET_STATES,
  type FleetNodeState,
  type FleetSort,
  failingCause,
  fleetState,
  type ViewedNode,
} from './fleet-states.ts';

/** Selection, order and page of a list. */
export interface FleetQuery {
  readonly state: FleetNodeState | null;
  /** Only nodes that fail for it; null for all. */
  readonly cause: FailingCause | null;
  /** A part of the certname; empty for all. */
  readonly search: string;
  readonly environment: string | null;
  /** Nodes among which the list is; null for all. */
  readonly among: ReadonlySet<string> | null;
  readonly sort: FleetSort;
  readonly isDescending: boolean;
  /** The node after which the page begins; null for the first page. */
  readonly after: { readonly key: string | number; readonly certname: string } | null;
  readonly limit: number;
}

export interface FleetPage {
  readonly nodes: readonly (ViewedNode & { readonly state: FleetNodeState })[];
  readonly next: FleetQuery['after'];
  readonly total: number;
}

/** Bounds of the histogram of catalogs' ages, in milliseconds; the last bucket has no bound. */
const HOUR_MS = 3600_000;
export const AGE_BOUNDS = [HOUR_MS, 6 * HOUR_MS, 24 * HOUR_MS, 7 * 24 * HOUR_MS, 30 * 24 * HOUR_MS];

/** Nodes among which a part of a name is looked for. */
const MOST_SEARCHED = 50_000;

const COMPARED = ['environment', 'wanted', 'built', 'compiledAt', 'failure', 'isVolatile', 'isStale'] as const;

/**
 * Data of all nodes for lists and counts, in memory: 100,000 nodes take 54 to 67 MB
 * (test/bench/console-requests.ts, Node 24, November 2026). Answers are computed from it alone, in
 * tens of milliseconds.
 */
export class FleetView {
  readonly #nodes = new Map<string, ViewedNode>();
  /** The certnames in order; null when one came or went. */
  #names: readonly string[] | null = null;

  get size(): number {
    return this.#nodes.size;
  }

  get(certname: string): ViewedNode | null {
    return this.#nodes.get(certname) ?? null;
  }

  /** All nodes, in no order. */
  nodes(): Iterable<ViewedNode> {
    return this.#nodes.values();
  }

  /**
   * Adds or replaces a node; what is known of its last run stays. False when only the time of its
   * last check-in is another one.
   */
  put(summary: NodeSummary): boolean {
    const before = this.#nodes.get(summary.certname);
    if (before === undefined) this.#names = null;
    const isStale = summary.built < summary.wanted;
    const lastSeen = Math.max(summary.lastSeen, before?.lastSeen ?? 0);
    const node: ViewedNode = { ...summary, lastSeen, runStatus: before?.runStatus ?? null, isStale };
    this.#nodes.set(summary.certname, node);
    return before === undefined || COMPARED.some((name) => before[name] !== node[name]);
  }

  /** Notes a run of a node. One that is not in the view is none. */
  noteRun(certname: string, status: string, at: number): void {
    const node = this.#nodes.get(certname);
    if (node === undefined) return;
    this.#nodes.set(certname, { ...node, runStatus: status, lastSeen: Math.max(node.lastSeen, at) });
  }

  /** Notes when a node was seen last, by a run that changed nothing. */
  noteSeen(certname: string, at: number): void {
    const node = this.#nodes.get(certname);
    if (node !== undefined && node.lastSeen < at) this.#nodes.set(certname, { ...node, lastSeen: at });
  }

  /** Notes that these nodes are stale, and no others. Returns those whose state changed. */
  noteStale(certnames: ReadonlySet<string>): readonly string[] {
    const changed: string[] = [];
    for (const node of this.#nodes.values()) {
      const isStale = certnames.has(node.certname);
      if (isStale === node.isStale) continue;
      this.#nodes.set(node.certname, { ...node, isStale });
      changed.push(node.certname);
    }
    return changed;
  }

  remove(certname: string): void {
    if (this.#nodes.delete(certname)) this.#names = null;
  }

  /** Removes the nodes that are not among these: they were deleted unseen. */
  keepOnly(certnames: ReadonlySet<string>): void {
    for (const certname of [...this.#nodes.keys()]) if (!certnames.has(certname)) this.remove(certname);
  }

  /** Counts the nodes in each state. */
  countStates(now: number): Readonly<Record<FleetNodeState, number>> {
    const counts = { failing: 0, silent: 0, new: 0, stale: 0, volatile: 0, current: 0 };
    for (const node of this.#nodes.values()) counts[fleetState(node, now)] += 1;
    return counts;
  }

  /** Counts the failing nodes by cause. */
  countFailing(): Readonly<Record<FailingCause, number>> {
    const counts = { compile: 0, run: 0 };
    for (const node of this.#nodes.values()) {
      const cause = failingCause(node);
      if (cause !== null) counts[cause] += 1;
    }
    return counts;
  }

  /** Counts the catalogs at most as old as each of `AGE_BOUNDS`, then those that are older. */
  countAges(now: number): readonly number[] {
    const counts = [...AGE_BOUNDS.map(() => 0), 0];
    for (const { compiledAt } of this.#nodes.values()) {
      if (compiledAt === null) continue;
      const found = AGE_BOUNDS.findIndex((bound) => now - compiledAt <= bound);
      const bucket = found < 0 ? AGE_BOUNDS.length : found;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
    }
    return counts;
  }

  /** A page of the nodes that a query asks for, in its order, then by certname. */
  list(query: FleetQuery, now: number): FleetPage {
    const { sort, isDescending, limit } = query;
    const found = this.#select(query, now);
    const keyed = found.map((node) => ({ node, key: keyOf(node, sort, now) }));
    // They are in the order of their certnames, which the sort keeps among equal keys.
    if (sort !== 'certname') keyed.sort((a, b) => (a.key === b.key ? 0 : a.key < b.key ? -1 : 1));
    if (isDescending) keyed.reverse();
    const start = findStart(keyed, query);
    const page = keyed.slice(start, start + limit);
    const last = page.at(-1);
    const hasMore = start + page.length < keyed.length;
    return {
      nodes: page.map(({ node }) => ({ ...node, state: fleetState(node, now) })),
      next: last === undefined || !hasMore ? null : { key: last.key, certname: last.node.certname },
      total: found.length,
    };
  }

  /**
   * At most `limit` nodes by certname: those that begin with the text, by a binary search, then
   * those that contain it among the first 50,000.
   */
  find(text: string, limit: number): readonly ViewedNode[] {
    this.#names ??= [...this.#nodes.keys()].sort();
    return findNames(this.#names, text, limit, MOST_SEARCHED).flatMap((certname) => this.#nodes.get(certname) ?? []);
  }

  #select({ state, cause, search, environment, among }: FleetQuery, now: number): readonly ViewedNode[] {
    const wanted = search.toLowerCase();
    const found: ViewedNode[] = [];
    for (const node of this.#sorted()) {
      if (wanted !== '' && !node.certname.includes(wanted)) continue;
      if (among !== null && !among.has(node.certname)) continue;
      if (environment !== null && node.environment !== environment) continue;
      if (cause !== null && failingCause(node) !== cause) continue;
      if (state === null || fleetState(node, now) === state) found.push(node);
    }
    return found;
  }

  /** The nodes by certname. The order is kept while none comes or goes. */
  #sorted(): readonly ViewedNode[] {
    this.#names ??= [...this.#nodes.keys()].sort();
    const nodes: ViewedNode[] = [];
    for (const certname of this.#names) {
      const node = this.#nodes.get(certname);
      if (node !== undefined) nodes.push(node);
    }
    return nodes;
  }
}

interface KeyedNode {
  readonly node: ViewedNode;
  readonly key: string | number;
}

function keyOf(node: ViewedNode, sort: FleetSort, now: number): string | number {
  if (sort === 'lastSeen') return node.lastSeen;
  if (sort === 'compiledAt') return node.compiledAt ?? 0;
  if (sort === 'state') return FLEET_STATES.indexOf(fleetState(node, now));
  return node[sort];
}

/** The index of the first node behind the cursor, by a binary search. */
function findStart(inOrder: readonly KeyedNode[], { isDescending, after }: FleetQuery): number {
  if (after === null) return 0;
  const isBehind = ({ node, key }: KeyedNode) => {
    const isGreater = key === after.key ? node.certname > after.certname : key > after.key;
    const isSame = key === after.key && node.certname === after.certname;
    return !isSame && isGreater !== isDescending;
  };
  let [low, high] = [0, inOrder.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const node = inOrder[middle];
    if (node !== undefined && isBehind(node)) high = middle;
    else low = middle + 1;
  }
  return low;
}
