import type { BlobStore } from '../../store/ports/blob-store.ts';
import { codeInForce, type EnvironmentRecord, revisionToken } from '../../store/ports/environment-store.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { pathsOf } from '../dependencies/cut-files.ts';
import { loadPlan, planKey } from './fan-out-plan.ts';
import { FAN_OUT_CHAINS, FAN_OUTS_SENT, MOST_CHAINS_LISTED } from './run-chain.ts';

/** Progress of the fan-out of a deploy. */
interface FanOutProgress {
  /** Invalidated nodes, at least: a worker that is killed may have invalidated 200 more. */
  readonly nodes: number;
  /** Number of parts of the work; 0 while it is planned. */
  readonly parts: number;
  readonly partsDone: number;
}

/**
 * Progress of the revision in force; null when its fan-out is complete. The workers count as they
 * go: it takes two requests, whatever the size of the fleet, and none once it is complete.
 */
export async function readFanOutProgress(
  record: EnvironmentRecord,
  { documents }: Pick<Stores, 'documents'>,
): Promise<FanOutProgress | null> {
  const { name, settled } = record;
  if (settled >= record.revision) return null;
  const revision = revisionToken(record);
  const [sent, chains] = await Promise.all([
    documents.get(FAN_OUTS_SENT, name),
    documents.list(FAN_OUT_CHAINS, `${planKey(name, revision)}/`, MOST_CHAINS_LISTED),
  ]);
  return {
    nodes: chains.reduce((sum, { document }) => sum + Number(document.invalidated ?? 0), 0),
    parts: sent?.revision === revision ? Number(sent.chains ?? 0) : 0,
    partsDone: chains.filter(({ document }) => document.isDone === true).length,
  };
}

/** Prints it in a few words. */
export function printFanOutProgress({ nodes, parts, partsDone }: FanOutProgress): string {
  return `${nodes} invalidated, ${partsDone} of ${parts} parts done`;
}

/** The scope of a plan, for look-ups. */
interface Affected {
  readonly paths: ReadonlySet<string>;
  readonly sets: ReadonlySet<string>;
}

const MOST_PLANS = 4;

/** Finds nodes that a deploy affects and its fan-out has not reached. Caches a few plans. */
export class FanOutReach {
  readonly #blobs: BlobStore;
  readonly #plans = new BoundedCache<Affected>(MOST_PLANS);

  constructor(blobs: BlobStore) {
    this.#blobs = blobs;
  }

  /**
   * Whether the catalog of a node without reasons may be out of date, because a fan-out is under
   * way that has not reached it. True, too, while the fan-out is not planned yet, and for a canary
   * that was not looked at since its stage began or ended.
   */
  async isMissing(node: NodeRecord, environment: EnvironmentRecord): Promise<boolean> {
    const { revision, isStaged } = codeInForce(environment, node.certname);
    if (node.revision === revision) return false;
    if (isStaged) return node.inputs !== null;
    if (environment.settled >= environment.revision) return false;
    const affected = await this.#load(environment.name, revision);
    const last = node.inputs?.dependencies;
    if (!affected || !last) return true;
    return affected.sets.has(last.set) || pathsOf(last.own).some((path) => affected.paths.has(path));
  }

  async #load(environment: string, revision: string): Promise<Affected | null> {
    const known = this.#plans.get(revision);
    if (known) return known;
    const plan = await loadPlan(this.#blobs, environment, revision);
    if (!plan) return null;
    const affected = { paths: new Set(plan.paths), sets: new Set(plan.sets) };
    this.#plans.set(revision, affected);
    return affected;
  }
}
