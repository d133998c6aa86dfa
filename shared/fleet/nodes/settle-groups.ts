import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { GroupsHead } from '../../store/ports/group-store.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { GroupedNode } from '../../store/ports/node-store.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { loadFacts } from '../facts/facts-blob.ts';
import { type CurrentHierarchy, HierarchyStore } from '../groups/hierarchy-store.ts';
import { classificationByGroups, groupNode, isWorthNoting, keptValuesOf } from '../groups/node-grouping.ts';
import { classificationDigest } from './classification.ts';
import { keepChange } from './noted-changes.ts';
import { sendJobs } from './send-jobs.ts';

type SettlePorts = Pick<Stores, 'groups' | 'blobs' | 'nodes' | 'queue' | 'documents' | 'clock'>;

/** A change of node groups, and who made it; null: not known any more. */
export interface GroupChange {
  readonly summary: string;
  readonly user: string | null;
}

/** Result of invalidating the nodes of changed groups. */
interface SettledGroups {
  /** The nodes whose classification changed, at most 10,000. */
  readonly changed: readonly string[];
  /** Nodes that were looked at. */
  readonly visited: number;
  /** False: another process goes on, or the time is over; the feeder resumes it. */
  readonly isSettled: boolean;
}

const NODES_A_PAGE = 500;
const NODES_AT_ONCE = 16;
const MOST_NAMED = 10_000;
const MOST_ATTEMPTS = 10;
const REASON = 'node groups changed';
const UNKNOWN_CHANGE: GroupChange = { summary: 'node groups changed', user: null };

/**
 * Invalidates the nodes of the groups in force: one pass over the records of all nodes, which
 * compiles those whose classification changed. A page is invalidated before the cursor moves behind
 * it, so that a pass that ends early is resumed where it was; a node that is invalidated again does
 * not change again. Rules are evaluated with the values that records keep. Facts are read only for
 * nodes whose record lacks a value: once, for all of them, after a rule reads a new fact. The
 * change is noted with the nodes that it touches, whoever invalidates them: the parts of several
 * processes are one row.
 */
export async function settleGroups(
  ports: SettlePorts,
  hierarchies: HierarchyStore = new HierarchyStore(ports),
  isOver: () => boolean = () => false,
  change: GroupChange = UNKNOWN_CHANGE,
): Promise<SettledGroups> {
  const changed: string[] = [];
  let visited = 0;
  for (;;) {
    const current = await hierarchies.read();
    const { head } = current;
    if (head === null || head.settled >= head.revision) return { changed, visited, isSettled: true };
    if (isOver()) return { changed, visited, isSettled: false };
    const page = await ports.nodes.listGroupings(head.cursor, NODES_A_PAGE);
    visited += page.length;
    const invalidated = await invalidatePage(page, current, ports);
    await noteInvalidated(invalidated, head, change, ports);
    changed.push(...invalidated.slice(0, MOST_NAMED - changed.length));
    const last = page.at(-1)?.certname;
    const moved = await moveCursor(head, page.length < NODES_A_PAGE ? null : (last ?? null), ports);
    if (moved) continue;
    // Other groups are in force, or another process is at this pass, too.
    const next = await ports.groups.get();
    if (next?.revision === head.revision) return { changed, visited, isSettled: next.settled >= next.revision };
    await followGroups(invalidated, head, hierarchies, ports);
  }
}

/** Invalidates the nodes of a page; returns the names of those whose classification changed. */
async function invalidatePage(
  page: readonly GroupedNode[],
  current: CurrentHierarchy,
  ports: SettlePorts,
): Promise<readonly string[]> {
  const faults: unknown[] = [];
  const found = await inParallel(NODES_AT_ONCE, page, (node) =>
    invalidateNode(node, current, ports).catch((error: unknown) => {
      faults.push(error);
      return [];
    }),
  );
  const invalidated = found.flat();
  const due = invalidated.flatMap(({ isJobDue, job }) => (isJobDue ? [job] : []));
  // Jobs are sent also when a node could not be invalidated: nobody else would send them soon.
  await sendJobs('express', due, ports);
  if (faults.length > 0) throw faults[0];
  return invalidated.map(({ job }) => job.certname);
}

/**
 * Classifies nodes again that were classified by groups which are out of force: the pass of the
 * groups in force may have been at them before.
 */
async function followGroups(
  certnames: readonly string[],
  before: GroupsHead,
  hierarchies: HierarchyStore,
  ports: SettlePorts,
): Promise<void> {
  let last: GroupsHead | null = before;
  for (let current = await hierarchies.read(); current.head?.revision !== last?.revision; ) {
    const records = await inParallel(NODES_AT_ONCE, certnames, (certname) => ports.nodes.get(certname));
    await invalidatePage(
      records.flatMap((record) => (record === null ? [] : [groupedNode(record)])),
      current,
      ports,
    );
    last = current.head;
    current = await hierarchies.read();
  }
}

function groupedNode(record: NodeRecord): GroupedNode {
  return { ...record, isPushed: record.classification !== null };
}

function noteInvalidated(
  invalidated: readonly string[],
  { changedAt, revision }: GroupsHead,
  change: GroupChange,
  ports: SettlePorts,
): Promise<void> {
  return keepChange(ports, {
    ...change,
    kind: 'groups',
    environment: null,
    touched: invalidated.map((certname) => ({ certname, why: 'its classification by node groups changed' })),
    of: { at: changedAt, name: `groups-${revision}` },
  });
}

/** Moves the cursor; null after the last node, which settles the revision. */
function moveCursor(head: GroupsHead, cursor: string | null, { groups }: SettlePorts): Promise<boolean> {
  const settled = cursor === null ? head.revision : head.settled;
  return groups.replace({ ...head, version: head.version + 1, cursor, settled }, head.version);
}

interface InvalidatedNode {
  readonly job: CompileJob;
  readonly isJobDue: boolean;
}

/**
 * Invalidates one node; returns its job when its classification changed. A check-in meanwhile may
 * have stored other facts: the node is then looked at again.
 */
async function invalidateNode(
  node: GroupedNode,
  current: CurrentHierarchy,
  ports: SettlePorts,
): Promise<readonly InvalidatedNode[]> {
  let latest = node;
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const invalidated = await tryToInvalidate(latest, current, ports);
    if (invalidated !== null) return invalidated;
    const record = await ports.nodes.get(node.certname);
    if (record === null) return [];
    latest = groupedNode(record);
  }
  throw new StoreUnavailable(`${node.certname} checked in during each attempt to classify it`);
}

/** Null when the record changed meanwhile. */
async function tryToInvalidate(
  node: GroupedNode,
  current: CurrentHierarchy,
  ports: SettlePorts,
): Promise<readonly InvalidatedNode[] | null> {
  const { certname, grouping, wanted, version, isPushed } = node;
  const kept = grouping && keptValuesOf(certname, grouping, current.hierarchy);
  const before = classificationDigest(grouping?.classification ?? null);
  if (grouping && kept) {
    const classification = classificationByGroups(certname, current.hierarchy, kept);
    if (classificationDigest(classification) === before) return [];
  }
  const facts = await loadFacts(ports.blobs, node);
  // Its first check-in classifies a node that never sent facts.
  if (facts === null) return [];
  const at = ports.clock.now();
  const after = groupNode(current, { name: certname, fact: facts.facts, trusted: facts.trusted }, at);
  if (after === null) return [];
  const isSame = isPushed || classificationDigest(after.classification) === before;
  if (isSame || wanted === 0) {
    const hasNewPaths = grouping === null || !kept;
    const isNews = hasNewPaths || !isSame || isWorthNoting(grouping, after);
    return isNews && !(await ports.nodes.noteGrouping(certname, after, version)) ? null : [];
  }
  const invalidated = await ports.nodes.want(certname, REASON, at, { grouping: after, asked: true, version });
  if (invalidated === null) return null;
  return [{ job: { certname, generation: invalidated.wanted, reason: REASON, at }, isJobDue: invalidated.isJobDue }];
}
