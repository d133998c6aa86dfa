/**
 * What a worker does with a job. The SQS handler and the local worker both call `processJob`.
 *
 * The order that makes it safe:
 * 1. The record is read first: everything that was accepted up to its `wanted` is seen by the reads that follow.
 * 2. Collectors are registered, then exports are read. An exporter writes exports, then collectors are read: the change feed of the
 *    exports (in AWS the table's stream) leads to `invalidateCollectors`, which sends the jobs. A worker sends none.
 * 3. The way back from paths to the node is written, then the environment is read once more. A deploy switches the environment,
 *    then reads the way back.
 * 4. Blobs, collectors and exports are written, then one conditional write commits.
 */
import { loadFacts, type NodeFacts } from '../cache/facts-blob.ts';
import { dependencySetId } from '../environment/inputs.ts';
import { SERVED_CODE_DIRECTORY } from '../environment/snapshot.ts';
import { fileStates, verifyInputs } from '../environment/verify.ts';
import type { LogEntry } from '../errors/compile-log.ts';
import { type Job, type NodeRecord, StoreUnavailable } from '../store/ports.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import { commitCompile } from './commit-compile.ts';
import type { CompileContext } from './compile-context.ts';
import { type CompileRun, runCompile } from './run-compile.ts';
import type { OpenSnapshot } from './snapshot-cache.ts';
import { verifyNode } from './verify-node.ts';

export interface JobReport {
  readonly certname: string;
  /**
   * `dropped`: built already, or there is no such node. `verified`: every input is unchanged. `compiled`, `failed`: committed.
   * `superseded`: a newer commit stands, or a newer job does the work.
   */
  readonly outcome: 'dropped' | 'verified' | 'compiled' | 'failed' | 'superseded';
  /** Why it was compiled; empty when it was not. */
  readonly reasons: readonly string[];
  readonly codeId: string | null;
  /** Of the compile; 0 when there was none. */
  readonly durationMs: number;
  /** Whether the catalog differs from the node's last one. */
  readonly changed: boolean;
  readonly log: readonly LogEntry[];
}

const NO_FACTS: NodeFacts = { facts: new PuppetHash(), trusted: new PuppetHash() };
const MOST_DEPLOYS_A_COMPILE = 5;

/** Does one job. Throws only for faults that a retry may mend; what is wrong with the user's code is a committed result. */
export async function processJob(job: Job, context: CompileContext): Promise<JobReport> {
  const { nodes, blobs, clock } = context.stores;
  const node = await nodes.get(job.certname);
  if (!node || node.wanted === 0 || node.built >= job.generation) return report(job.certname, 'dropped');
  const outstanding = node.built < node.wanted;
  const facts = (await loadFacts(blobs, node.certname)) ?? NO_FACTS;
  const open = await openEnvironment(node.environment, context);
  const reasons = await verifyNode(node, node.wanted, facts, open, context);
  if (reasons.length === 0) {
    const stands = await nodes.verified(node.certname, node.wanted, clock.now());
    return report(node.certname, stands ? 'verified' : 'superseded', { codeId: open?.codeId ?? null });
  }
  if (outstanding) return compileNode(node, facts, open, reasons, context);
  const reason = `${job.reason}: ${reasons[0]}`;
  const wanted = await nodes.want(node.certname, reason, clock.now(), { asked: true, expected: node.wanted });
  return wanted ? compileNode(wanted, facts, open, reasons, context) : report(node.certname, 'superseded');
}

async function compileNode(
  node: NodeRecord,
  facts: NodeFacts,
  open: OpenSnapshot | null,
  reasons: readonly string[],
  context: CompileContext,
): Promise<JobReport> {
  const { clock } = context.stores;
  let current = open;
  for (let deploy = 0; deploy < MOST_DEPLOYS_A_COMPILE; deploy += 1) {
    const startedAt = clock.now();
    const run = await runCompile(node, node.wanted, facts, current, context);
    const durationMs = clock.now() - startedAt;
    const latest = await registerAndReopen(node, run, context);
    if (sameFiles(run, current, latest)) {
      const codeId = current?.codeId ?? null;
      const { committed, changed } = await commitCompile(node, run, { codeId, startedAt, durationMs }, context);
      const outcome = run.result.status === 'ok' ? 'compiled' : 'failed';
      const more = { reasons, codeId, durationMs, changed, log: run.result.log };
      return report(node.certname, committed ? outcome : 'superseded', more);
    }
    current = latest;
  }
  throw new StoreUnavailable(`environment ${node.environment} is deployed faster than ${node.certname} compiles`);
}

/** Writes the way back from the compile's files to the node, then reads which snapshot is in force now. */
async function registerAndReopen(
  node: NodeRecord,
  { inputs }: CompileRun,
  context: CompileContext,
): Promise<OpenSnapshot | null> {
  const { certname, environment, wanted: generation } = node;
  const id = dependencySetId(inputs.files);
  await context.stores.nodes.register({ certname, generation, environment, id, paths: Object.keys(inputs.files) });
  return openEnvironment(environment, context);
}

/** Whether the files that a compile read in `used` are the same in `latest`. */
function sameFiles({ inputs }: CompileRun, used: OpenSnapshot | null, latest: OpenSnapshot | null): boolean {
  if (used?.codeId === latest?.codeId) return true;
  const stateOf = latest ? fileStates(latest.tree, SERVED_CODE_DIRECTORY) : () => null;
  return verifyInputs({ files: inputs.files }, { stateOf }).length === 0;
}

async function openEnvironment(name: string, { stores, snapshots }: CompileContext): Promise<OpenSnapshot | null> {
  const environment = await stores.environments.get(name);
  return environment && snapshots.open(environment.codeId);
}

function report(certname: string, outcome: JobReport['outcome'], more: Partial<JobReport> = {}): JobReport {
  return { certname, outcome, reasons: [], codeId: null, durationMs: 0, changed: false, log: [], ...more };
}
