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

import { MachineryFault } from '../../puppet/errors/machinery-fault.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import { factsBlobOf, loadFacts } from '../facts/facts-blob.ts';
import { environmentInForce } from '../nodes/classification.ts';
import { type CompileJobReport, createCompileJobReport } from './compile-job-report.ts';
import { type CompileFacts, compileAndCommit, type DeployedSnapshot, openEnvironment } from './compile-node.ts';
import { answerCompile } from './compile-question.ts';
import { DEFAULT_EXPORT_TIMING, exportsDueAt } from './export-interval.ts';
import { answerManifests, MANIFESTS_KIND } from './manifests-question.ts';
import { answerTypes, TYPES_KIND } from './types-question.ts';
import { deleteExportsOfPurged, EXPORTS_CHANGED, verifyNode } from './verify-node.ts';
import type { WorkerContext } from './worker-context.ts';

const NO_FACTS: CompileFacts = { facts: new PuppetHash(), trusted: new PuppetHash(), digest: null };
const MOST_ROUNDS = 20;

/**
 * Processes one job and reports its outcome: once, and once more each time another reason arrived
 * meanwhile. Returns the last report. One with `heldUntil` or `deferred` means that the job
 * was not done; `workOff` does what has to follow. `id` is the job's id in its queue: when the job
 * is received again after a fault, it continues with its own lease. Throws only for faults that a
 * retry may fix; an error in the user's code is a committed result.
 */
export async function processCompileJob(
  job: CompileJob,
  context: WorkerContext,
  observe: CompileObserver = () => undefined,
  id: string | null = null,
): Promise<CompileJobReport> {
  const taken = await takeJob(job, id, context);
  if (!('outcome' in taken)) return compileRounds(taken, job, context, observe);
  observe(taken);
  return taken;
}

/** A node that this worker compiles alone. */
interface LeasedNode {
  readonly node: NodeRecord;
  /** The end of the lease. */
  readonly until: number;
}

/** Takes the lease of a node that has to be compiled; answers all other jobs. */
async function takeJob(
  job: CompileJob,
  id: string | null,
  context: WorkerContext,
): Promise<CompileJobReport | LeasedNode> {
  if (job.request !== undefined) return answerRequest(job, job.request, context);
  if (job.warm !== undefined) return warmEnvironment(job.certname, job.warm, context);
  const { nodes, clock } = context.stores;
  const node = await nodes.get(job.certname);
  if (!node || node.wanted === 0 || (node.built >= job.generation && node.built >= node.wanted))
    return createCompileJobReport(job.certname, 'dropped');
  if (node.built < node.wanted) {
    const { notBefore = 0 } = job;
    if (!node.asked.waiting && notBefore > clock.now()) return deferJob(node, notBefore);
    if (job.waiting && !node.asked.waiting) return leaveToFeeder(job, node, context);
    return leaseNode(node.certname, id, context);
  }
  const check = await checkLap(inForce(node), job.volatileBefore, context);
  if (check.reasons.length === 0) return recordVerified(node, check, context);
  const reason = `${job.reason}: ${check.reasons[0]}`;
  const isWanted = await nodes.want(node.certname, reason, clock.now(), { asked: true, expected: node.wanted });
  return isWanted ? leaseNode(node.certname, id, context) : createCompileJobReport(node.certname, 'superseded');
}

async function leaseNode(
  certname: string,
  id: string | null,
  { stores: { nodes, clock }, limitMs }: WorkerContext,
): Promise<CompileJobReport | LeasedNode> {
  const at = clock.now();
  const until = at + limitMs;
  const claim = await nodes.lease(certname, at, until, id);
  if (claim === 'built') return createCompileJobReport(certname, 'superseded');
  return 'heldUntil' in claim ? createCompileJobReport(certname, 'superseded', claim) : { node: claim.node, until };
}

/**
 * Opens the environment in force; its snapshot and parsed code then are in this worker's memory.
 */
async function warmEnvironment(certname: string, name: string, context: WorkerContext): Promise<CompileJobReport> {
  const open = await openEnvironment({ environment: name, certname: null }, context);
  return createCompileJobReport(certname, 'warmed', { codeId: open?.codeId ?? null });
}

/** Answers a request whose caller waits. */
function answerRequest(job: CompileJob, request: string, context: WorkerContext): Promise<CompileJobReport> {
  if (request.startsWith(TYPES_KIND)) return answerTypes(job, request, context);
  if (request.startsWith(MANIFESTS_KIND)) return answerManifests(job, request, context);
  return answerCompile(job, request, context);
}

/** Called with each report. */
export type CompileObserver = (report: CompileJobReport) => void;

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

/** Compiles a leased node until nothing more is wanted; returns the last report. */
async function compileRounds(
  { node: first, until }: LeasedNode,
  { volatileBefore }: CompileJob,
  context: WorkerContext,
  observe: CompileObserver,
): Promise<CompileJobReport> {
  const { nodes, clock } = context.stores;
  const { certname } = first;
  try {
    let node = first;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const done = await bringUpToDate(inForce(node), volatileBefore, context);
      observe(done);
      if (done.deferred) {
        // Another reason needs a job that does not wait, and may have asked for it meanwhile.
        const { at: askedAt } = node.asked;
        if (askedAt <= clock.now()) await nodes.ask(certname, node.wanted, done.deferred.until, askedAt + 1);
        await nodes.release(certname, until);
        return done;
      }
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

async function bringUpToDate(
  node: NodeRecord,
  volatileBefore: number | undefined,
  context: WorkerContext,
): Promise<CompileJobReport> {
  const check = await checkInputs(node, context, { volatileBefore, isLap: false });
  if (check.reasons.length === 0) return recordVerified(node, check, context);
  const due = findDeferral(node, check.reasons, context);
  if (due !== null) return deferJob(node, due);
  const facts = check.facts ?? (await readFacts(node, context));
  return compileAndCommit(node, facts, check.open, check.reasons, context);
}

function deferJob({ certname, wanted }: NodeRecord, until: number): CompileJobReport {
  return createCompileJobReport(certname, 'superseded', { deferred: { until, generation: wanted } });
}

/**
 * When the node may be compiled, if it has to wait because nothing but exports changed; else null.
 */
function findDeferral(node: NodeRecord, reasons: readonly string[], { stores, timing }: WorkerContext): number | null {
  if (node.asked.waiting || reasons.some((reason) => reason !== EXPORTS_CHANGED)) return null;
  const due = exportsDueAt(node, timing ?? DEFAULT_EXPORT_TIMING);
  return due > stores.clock.now() ? due : null;
}

/** The reasons to compile a node, with what was read to find them. */
interface InputCheck {
  readonly reasons: readonly string[];
  /** Null when the stored facts are those of the last compile or verification. */
  readonly facts: CompileFacts | null;
  readonly open: DeployedSnapshot | null;
}

async function checkInputs(
  node: NodeRecord,
  context: WorkerContext,
  { environments, volatileBefore, isLap }: CheckOptions,
): Promise<InputCheck> {
  const isChecked = node.facts !== null && node.facts.digest === node.checkedFacts;
  const facts = isChecked ? null : await readFacts(node, context);
  const open = await openEnvironment(node, context, environments);
  return { reasons: await verifyNode(node, { facts, open, isLap, volatileBefore }, context), facts, open };
}

interface CheckOptions {
  /** Source of the environment's record. */
  readonly environments?: WorkerContext['recentEnvironments'];
  /** Volatile calls are a reason when the node was compiled before this time. */
  readonly volatileBefore: number | undefined;
  /** Checks one stored output at a time, not all of them. */
  readonly isLap: boolean;
}

/**
 * Checks a node of which nothing more is wanted, with few requests. Its environment's record may be
 * a second old: a deploy since then wants the node again. Reasons count against the newest record
 * only.
 */
async function checkLap(
  node: NodeRecord,
  volatileBefore: number | undefined,
  context: WorkerContext,
): Promise<InputCheck> {
  const environments = context.recentEnvironments;
  const lap = { ...(environments && { environments }), volatileBefore, isLap: true };
  const check = await checkInputs(node, context, lap);
  if (check.reasons.length === 0 || !environments) return check;
  return checkInputs(node, context, { volatileBefore, isLap: false });
}

/** Throws MachineryFault when the facts that the record names are not in the store. */
async function readFacts(node: NodeRecord, { stores }: WorkerContext): Promise<CompileFacts> {
  const stored = await loadFacts(stores.blobs, node);
  if (stored === null && node.facts !== null) {
    const blob = factsBlobOf(node);
    throw new MachineryFault(`blob ${blob} is lost or damaged: the next run of ${node.certname} sends its facts`);
  }
  return stored ?? NO_FACTS;
}

async function recordVerified(
  { certname, built, wanted }: NodeRecord,
  { facts, open }: InputCheck,
  { stores }: WorkerContext,
): Promise<CompileJobReport> {
  const checked = { built, facts: facts?.digest, revision: open?.revision ?? null };
  const stands = await stores.nodes.markVerified(certname, wanted, stores.clock.now(), checked);
  if (!stands) await deleteExportsOfPurged(certname, stores);
  return createCompileJobReport(certname, stands ? 'verified' : 'superseded', { codeId: open?.codeId ?? null });
}
