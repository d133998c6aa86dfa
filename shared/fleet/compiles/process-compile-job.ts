/**
 * Processes compile jobs. The SQS handler and the local worker both call `processCompileJob`.
 *
 * This order makes it safe against races:
 * 1. Take the lease first, which marks the compile as started and gives the record: the later reads
 *    see everything that was accepted before. A later reason increments `wanted`.
 * 2. Register collectors, then read exports. An exporter writes exports, then reads collectors: the
 *    change feed of the exports (in AWS the table's stream) calls `invalidateCollectors`, which
 *    sends the jobs. A worker sends none.
 * 3. Write the reverse index from paths to the node, then read the environment once more. A deploy
 *    switches the environment, then reads the reverse index.
 * 4. Write blobs, collectors and exports, then commit with one conditional write.
 */

import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { environmentInForce } from '../nodes/classification.ts';
import { loadFacts, type NodeFacts } from '../nodes/facts-blob.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import { compileAndCommit, type DeployedSnapshot, openEnvironment } from './compile-node.ts';
import { answerCompile } from './compile-question.ts';
import { answerTypes, TYPES_KIND } from './types-question.ts';
import { deleteExportsOfPurged, verifyNode } from './verify-node.ts';
import type { WorkerContext } from './worker-context.ts';

const NO_FACTS: NodeFacts = { facts: new PuppetHash(), trusted: new PuppetHash() };
const MOST_ROUNDS = 20;

/**
 * Processes one job and reports its outcome: once, and once more each time another reason arrived
 * meanwhile. Returns the last report. A report with `heldUntil` means the job was not done and must
 * be received again then (see `workOff`). `id` is the job's id in its queue: when the job is
 * received again after a fault, it continues with its own lease. Throws only for faults that a
 * retry may fix; an error in the user's code is a committed result.
 */
export async function processCompileJob(
  job: CompileJob,
  context: WorkerContext,
  observe: CompileObserver = () => undefined,
  id: string | null = null,
): Promise<CompileJobReport> {
  if (job.request !== undefined) return report(await answerRequest(job, job.request, context), observe);
  if (job.warm !== undefined) return report(await warmEnvironment(job.certname, job.warm, context), observe);
  const { nodes } = context.stores;
  const node = await nodes.get(job.certname);
  if (!node || node.wanted === 0 || (node.built >= job.generation && node.built >= node.wanted))
    return report(createCompileJobReport(job.certname, 'dropped'), observe);
  if (node.built < node.wanted) {
    if (job.waiting && !node.asked.waiting) return report(await leaveToFeeder(job, node, context), observe);
    return compileAlone(node.certname, id, context, observe);
  }
  const { reasons, open } = await checkInputs(inForce(node), context);
  if (reasons.length === 0) return report(await recordVerified(node, open, context), observe);
  const reason = `${job.reason}: ${reasons[0]}`;
  const wanted = await nodes.want(node.certname, reason, context.stores.clock.now(), {
    asked: true,
    expected: node.wanted,
  });
  return wanted
    ? compileAlone(node.certname, id, context, observe)
    : report(createCompileJobReport(node.certname, 'superseded'), observe);
}

/** Opens the environment in force; its snapshot and parsed code then are in this worker's memory. */
async function warmEnvironment(certname: string, name: string, context: WorkerContext): Promise<CompileJobReport> {
  const open = await openEnvironment(name, context);
  return createCompileJobReport(certname, 'warmed', { codeId: open?.codeId ?? null });
}

/** Answers a request whose caller waits. */
function answerRequest(job: CompileJob, request: string, context: WorkerContext): Promise<CompileJobReport> {
  const answer = request.startsWith(TYPES_KIND) ? answerTypes : answerCompile;
  return answer(job, request, context);
}

/** Called with each report. */
export type CompileObserver = (report: CompileJobReport) => void;

function report(one: CompileJobReport, observe: CompileObserver): CompileJobReport {
  observe(one);
  return one;
}

/**
 * Gives up a job that lost its priority: the node's other job serves it, or the feeder or the next
 * reason sends one.
 */
async function leaveToFeeder(
  { waiting }: CompileJob,
  { certname, asked }: NodeRecord,
  { stores }: WorkerContext,
): Promise<CompileJobReport> {
  if (waiting === 'alone') await stores.nodes.unask(certname, asked.generation);
  return createCompileJobReport(certname, 'superseded');
}

/** Takes the node's lease and compiles it until nothing more is wanted. */
async function compileAlone(
  certname: string,
  id: string | null,
  context: WorkerContext,
  observe: CompileObserver,
): Promise<CompileJobReport> {
  const { nodes, clock } = context.stores;
  const at = clock.now();
  const until = at + context.limitMs;
  const claim = await nodes.lease(certname, at, until, id);
  if (claim === 'built') return report(createCompileJobReport(certname, 'superseded'), observe);
  if ('heldUntil' in claim) return report(createCompileJobReport(certname, 'superseded', claim), observe);
  try {
    let { node } = claim;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const done = report(await bringUpToDate(inForce(node), context), observe);
      const next = await nodes.finishRound(certname, until);
      if (!next) return done;
      node = next;
    }
    throw new StoreUnavailable(`${certname} became out of date during each compile`);
  } catch (error) {
    await nodes.release(certname, until);
    throw error;
  }
}

/** The record with the environment in force, which may differ from the requested one. */
function inForce(node: NodeRecord): NodeRecord {
  return { ...node, environment: environmentInForce(node, node.environment) };
}

async function bringUpToDate(node: NodeRecord, context: WorkerContext): Promise<CompileJobReport> {
  const { reasons, facts, open } = await checkInputs(node, context);
  return reasons.length === 0
    ? recordVerified(node, open, context)
    : compileAndCommit(node, facts, open, reasons, context);
}

/** The reasons to compile the node, with the data read to find them. */
async function checkInputs(node: NodeRecord, context: WorkerContext) {
  const facts = (await loadFacts(context.stores.blobs, node.certname)) ?? NO_FACTS;
  const open = await openEnvironment(node.environment, context);
  const reasons = await verifyNode(node, node.wanted, facts, open, context);
  return { reasons, facts, open };
}

async function recordVerified(
  { certname, wanted }: NodeRecord,
  open: DeployedSnapshot | null,
  { stores }: WorkerContext,
): Promise<CompileJobReport> {
  const stands = await stores.nodes.markVerified(
    certname,
    wanted,
    stores.clock.now(),
    undefined,
    open?.revision ?? null,
  );
  if (!stands) await deleteExportsOfPurged(certname, stores);
  return createCompileJobReport(certname, stands ? 'verified' : 'superseded', { codeId: open?.codeId ?? null });
}
