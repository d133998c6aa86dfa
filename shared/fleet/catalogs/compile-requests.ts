import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import { codeInForce, type EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { loadFacts } from '../facts/facts-blob.ts';
import { environmentInForce } from '../nodes/classification.ts';
import { sendJobs } from '../nodes/send-jobs.ts';
import { CATALOG_LOST } from './catalog-blob.ts';
import type { CheckIn } from './catalog-service.ts';
import { type CheckInFacts, checksumTypes } from './check-in-facts.ts';
import { CLASSIFICATION_CHANGED, findCompileReasons, isSameForCompile } from './currency.ts';
import type { NodeAssignment, NodeAssignments } from './node-assignments.ts';

/** A job is sent again when no compile was committed within this time. */
const ASK_AGAIN_MS = 2 * 60_000;

type Ports = Pick<Stores, 'nodes' | 'blobs' | 'queue' | 'clock'>;

/** Requests compiles for check-ins; nodes that wait for their catalog go first. */
export class CompileRequests {
  readonly #ports: Ports;
  readonly #assignments: NodeAssignments;
  readonly #facts: CheckInFacts;

  constructor(ports: Ports, assignments: NodeAssignments, facts: CheckInFacts) {
    this.#ports = ports;
    this.#assignments = assignments;
    this.#facts = facts;
  }

  /**
   * Ensures that a compile with this check-in's facts is in progress; returns the generation to
   * wait for. `deploy`: the environment, when its fan-out has not reached the node.
   */
  async request(
    node: NodeRecord,
    checkIn: CheckIn,
    assignment: NodeAssignment,
    deploy: EnvironmentRecord | null = null,
  ): Promise<number> {
    const waiting = isAwaited(checkIn);
    const isShareable = node.built < node.wanted && !assignment.changed;
    if (isShareable && (await this.#canShareCompile(node, checkIn))) return this.#join(node, waiting);
    const { nodes, blobs, clock } = this.#ports;
    const at = clock.now();
    const stored = checkIn.facts ? null : await loadFacts(blobs, node);
    const facts = checkIn.facts ?? stored?.facts ?? new PuppetHash();
    const said = { facts, trusted: checkIn.trusted, checksumTypes: checksumTypes(node, checkIn) };
    const pointer = await this.#facts.store(node, said, at);
    const deployed = deploy && `environment ${deploy.name} deployed`;
    const { grouping, external, changed } = assignment;
    const classified = changed && node.inputs !== null ? CLASSIFICATION_CHANGED : undefined;
    const reason = classified ?? findCompileReasons(node, checkIn, at)[0] ?? deployed ?? CATALOG_LOST;
    const change = {
      environment: checkIn.environment,
      facts: pointer,
      grouping,
      external,
      asked: true,
      waiting,
      version: node.version,
      ...(deploy && { revision: codeInForce(deploy, node.certname).revision }),
    };
    const wanted = await nodes.want(checkIn.certname, reason, at, change);
    if (!wanted) return this.#requestAnew(checkIn, assignment, deploy);
    if (!wanted.isJobDue) {
      const generation = await this.#join(wanted, waiting);
      return this.#followGroups(checkIn, assignment, generation);
    }
    const job = { certname: checkIn.certname, generation: wanted.wanted, reason, at };
    await this.#send(job, waiting, wanted.isUpgrade);
    return this.#followGroups(checkIn, assignment, wanted.wanted);
  }

  /**
   * Returns the generation, or the next one when other groups came into force: their pass over the
   * nodes may have seen the record before this check-in.
   */
  async #followGroups(checkIn: CheckIn, assignment: NodeAssignment, generation: number): Promise<number> {
    if (!(await this.#assignments.isOvertaken(assignment))) return generation;
    return this.#requestAnew(checkIn, assignment, null);
  }

  /** Retries after another process raised `wanted`: its request may already suffice. */
  async #requestAnew(checkIn: CheckIn, asked: NodeAssignment, deploy: EnvironmentRecord | null): Promise<number> {
    const { nodes, clock } = this.#ports;
    const node = await nodes.markSeen(checkIn.certname, checkIn.environment, clock.now());
    return this.request(node, checkIn, await this.#assignments.find(node, checkIn, { asked }), deploy);
  }

  async #canShareCompile(node: NodeRecord, checkIn: CheckIn): Promise<boolean> {
    if (environmentInForce(node, node.environment) !== environmentInForce(node, checkIn.environment)) return false;
    const stored = await loadFacts(this.#ports.blobs, node);
    return stored !== null && isSameForCompile(node.inputs, stored, checkIn);
  }

  /**
   * Joins the compile that another request started, but ensures that its job is not lost, and with
   * `waiting` that it has priority over jobs without a waiting node.
   */
  async #join(node: NodeRecord, waiting: boolean): Promise<number> {
    const { nodes, clock } = this.#ports;
    const at = clock.now();
    const { asked } = node;
    const isEnough = asked.waiting || !waiting;
    if (isEnough && asked.generation >= node.wanted && asked.at >= at - ASK_AGAIN_MS) return node.wanted;
    const since = at - ASK_AGAIN_MS;
    const before = await nodes.ask(node.certname, node.wanted, at, since, waiting);
    if (before) {
      const job = { certname: node.certname, generation: node.wanted, reason: node.reasons.at(-1) ?? 'check-in', at };
      const isUpgrade = !before.waiting && before.generation >= node.wanted && before.at >= since;
      await this.#send(job, waiting, isUpgrade);
    }
    return node.wanted;
  }

  #send(job: CompileJob, waiting: boolean, isUpgrade: boolean): Promise<void> {
    if (!waiting) return sendJobs('express', [job], this.#ports);
    return sendJobs('waiting', [{ ...job, waiting: isUpgrade ? 'upgrade' : 'alone' }], this.#ports);
  }

  /**
   * Lets others go first when the agent of this node waits no longer. A request that still waits
   * for the node sees that in its record, which changes last, and calls `regainPriority`.
   */
  async yieldPriority({ certname, started }: NodeRecord, target: number): Promise<void> {
    const { nodes, queue } = this.#ports;
    if (started >= target) return;
    try {
      await queue.demote(certname);
      await nodes.demote(certname, target);
    } catch (error) {
      ignoreUnavailable(error);
    }
  }

  /** Gives the node's job priority again, after another request gave it up. */
  async regainPriority(node: NodeRecord): Promise<void> {
    await this.#join(node, true).catch(ignoreUnavailable);
  }
}

/** Whether a node waits for the catalog. */
export function isAwaited(checkIn: Pick<CheckIn, 'isAwaited'>): boolean {
  return checkIn.isAwaited !== false;
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
}
