import type { NodeRecord } from '../../store/ports/node-record.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { diffDeployed } from '../code/code-history.ts';
import type { DeployPreview } from '../code/deploy.ts';
import type { InvalidatePorts } from '../compiles/invalidate.ts';
import { pathsOf } from '../dependencies/cut-files.ts';
import { DependencyCache } from '../dependencies/dependency-cache.ts';

/** A node that a change of code touches, and the changed paths that its last compile looked at. */
export interface TouchedNode {
  readonly certname: string;
  /** At most 20; empty when the node was compiled anew since then, and no longer looks at them. */
  readonly why: readonly string[];
}

const KEPT_MS = 60_000;
const MOST_KEPT = 4;
const MOST_PATHS = 20;
const READS_AT_ONCE = 16;

interface KeptDiff {
  readonly until: number;
  readonly made: Promise<DeployPreview>;
}

/**
 * What differs between two deployed states of an environment, and the nodes that use it. A
 * difference is kept for a minute, so that the pages of its nodes are read from one list.
 */
export class CodeChanges {
  readonly #ports: InvalidatePorts;
  readonly #kept = new Map<string, KeptDiff>();

  constructor(ports: InvalidatePorts) {
    this.#ports = ports;
  }

  /** See `diffDeployed`. Throws NoSuchEnvironment, NoSuchCode. */
  async compare(environment: string, from: string | null, to: string | null): Promise<DeployPreview> {
    const now = this.#ports.clock.now();
    const inForce = (await this.#ports.environments.get(environment))?.revision;
    const key = JSON.stringify([environment, from, to, inForce]);
    const known = this.#kept.get(key);
    if (known !== undefined && known.until > now) return known.made;
    const made = diffDeployed(this.#ports, environment, from, to);
    this.#kept.delete(key);
    this.#kept.set(key, { made, until: now + KEPT_MS });
    made.catch(() => this.#kept.delete(key));
    for (const oldest of [...this.#kept.keys()].slice(0, -MOST_KEPT)) this.#kept.delete(oldest);
    return made;
  }

  /** Why a change touches each of these nodes. */
  async explain(certnames: readonly string[], paths: ReadonlySet<string>): Promise<readonly TouchedNode[]> {
    const sets = new DependencyCache(this.#ports.blobs);
    return inParallel(READS_AT_ONCE, certnames, async (certname) => {
      const record = await this.#ports.nodes.get(certname);
      return { certname, why: record === null ? [] : await listUsed(record, paths, sets) };
    });
  }
}

async function listUsed(
  { inputs }: NodeRecord,
  paths: ReadonlySet<string>,
  sets: DependencyCache,
): Promise<readonly string[]> {
  const { dependencies } = inputs ?? {};
  if (dependencies === undefined) return [];
  const parts = (await sets.load(dependencies.set)) ?? [];
  const seen = [dependencies.own, ...parts.map(({ observations }) => observations)].flatMap(pathsOf);
  return [...new Set(seen.filter((path) => paths.has(path)))].sort().slice(0, MOST_PATHS);
}
