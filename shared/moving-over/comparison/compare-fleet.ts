import { describeCause, ServiceUnreachable } from '../../cli/client/client-error.ts';
import type { ComparisonSummary, FleetComparison } from '../../fleet/comparisons/fleet-comparison.ts';
import {
  type ComparisonOutcome,
  compareWithOurs,
  type NodeComparison,
} from '../../fleet/comparisons/node-comparison.ts';
import type { CompileForCaller } from '../../fleet/compiles/compile-question.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { type CatalogSource, type KnownNode, type NodeSource, NodeUnreadable } from './existing-fleet.ts';

/** Compiles a node here, without a trace in any store. */
export type CompareCompile = (node: KnownNode) => Promise<Pick<CompileForCaller, 'reply' | 'exported'>>;

interface FleetComparisonParts {
  readonly nodes: NodeSource;
  readonly catalogs: CatalogSource;
  readonly compile: CompareCompile;
  /** Compiles in this environment; null: in that of the node's last catalog. */
  readonly environment: string | null;
  /** The nodes to compare; null: all that the source lists. */
  readonly certnames: readonly string[] | null;
  /** Results of an interrupted run. */
  readonly summary: ComparisonSummary;
  /** The nodes of that run. */
  readonly finished: ReadonlySet<string>;
  /** Number of nodes that are read and compared in parallel. */
  readonly atOnce: number;
  readonly clock: { now(): number; sleep(milliseconds: number): Promise<void> };
  /** Keeps a comparison; `done` counts those of earlier runs too. */
  readonly keep: (comparison: NodeComparison, done: number, total: number) => Promise<void>;
}

const MOST_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 1000;
/** Nodes in a row without an answer after which the existing installation counts as away. */
const MOST_UNREACHED = 5;

/**
 * Compares the catalogs of an existing installation with those compiled here, in the order of the
 * certnames. Throws ServiceUnreachable when the installation is away; what was compared until then
 * is kept.
 */
export async function compareFleet(parts: FleetComparisonParts): Promise<FleetComparison> {
  const { summary, finished } = parts;
  const listed = parts.certnames ?? (await retry(parts, () => parts.nodes.listCertnames()));
  const waiting = listed.filter((certname) => !finished.has(certname)).toSorted();
  let done = listed.length - waiting.length;
  let unreached = 0;
  await inParallel(parts.atOnce, waiting, async (certname) => {
    const { fault, comparison } = await compareNode(certname, parts);
    unreached = fault === null ? 0 : unreached + 1;
    if (fault !== null && unreached >= Math.min(MOST_UNREACHED, waiting.length)) throw fault;
    summary.add(comparison);
    done += 1;
    await parts.keep(comparison, done, listed.length);
  });
  return summary.read();
}

interface ComparedNode {
  readonly comparison: NodeComparison;
  /** Why the installation did not answer; null when it did. */
  readonly fault: ServiceUnreachable | null;
}

async function compareNode(certname: string, parts: FleetComparisonParts): Promise<ComparedNode> {
  let environment = parts.environment ?? '';
  const finish = (outcome: ComparisonOutcome): NodeComparison => ({
    certname,
    environment,
    at: parts.clock.now(),
    ...outcome,
  });
  try {
    const known = await retry(parts, () => parts.nodes.readNode(certname));
    const node = { ...known, environment: parts.environment ?? known.environment };
    environment = node.environment;
    const theirs = await retry(parts, () => parts.catalogs.readCatalog(node));
    const { reply, exported } = await parts.compile(node);
    if (reply.status === 'failed')
      return { comparison: finish({ outcome: 'failing', message: reply.message }), fault: null };
    const ours = parts.catalogs.toComparable({ catalog: reply.catalog, exported });
    return { comparison: finish(compareWithOurs(theirs, ours)), fault: null };
  } catch (error) {
    const isAway = error instanceof ServiceUnreachable;
    if (!isAway && !(error instanceof NodeUnreadable)) throw error;
    return { comparison: finish({ outcome: 'unknown', message: describeCause(error) }), fault: isAway ? error : null };
  }
}

/** Tries again, with growing pauses, while a service cannot be reached. */
async function retry<T>({ clock }: FleetComparisonParts, task: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await task();
    } catch (error) {
      if (!(error instanceof ServiceUnreachable) || attempt === MOST_ATTEMPTS) throw error;
      await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}
