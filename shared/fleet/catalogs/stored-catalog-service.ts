import type { FactKeeping } from '../../config/fact-settings.ts';
import type { NodeRecord } from '../../store/ports/node-record.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { FanOutReach } from '../fan-out/fan-out-progress.ts';
import {
  type ClassifiedNode,
  type ExternalClassifier,
  ExternalClassifierFailed,
  environmentInForce,
} from '../nodes/classification.ts';
import { FreshnessPolicies } from '../policies/freshness-policies.ts';
import { DEFAULT_POLICY, type FreshnessPolicy } from '../policies/policy-fields.ts';
import { CatalogAnswers, type FactlessCheckIn } from './catalog-answers.ts';
import type { AcceptedCheckIn, CatalogAnswer, CatalogService, CheckIn, FactsText } from './catalog-service.ts';
import { CheckInFacts } from './check-in-facts.ts';
import { CompileRequests, isAwaited } from './compile-requests.ts';
import { findCompileReasons } from './currency.ts';
import { type NodeAssignment, NodeAssignments } from './node-assignments.ts';
import { PromptVisits, type Visits } from './visits.ts';

export interface HoldOptions {
  /** This front door's limit for holding a request. */
  readonly holdMs: number;
  /**
   * Limit of requests held at a time. Beyond it, load shedding answers with an older catalog or
   * `503`.
   */
  readonly mostWaiting: number;
  /** The policy where the operator's policies set nothing. */
  readonly policy: FreshnessPolicy;
  /** Selection of the facts to store, for an inventory; absent: those that compiles need. */
  readonly keepFacts?: FactKeeping | undefined;
  /** Writes when nodes were seen; absent: at once. */
  readonly visits?: Visits;
}

export const DEFAULT_HOLD_OPTIONS: HoldOptions = { holdMs: 120_000, mostWaiting: 4000, policy: DEFAULT_POLICY };

const FIRST_POLL_MS = 20;
/** The poll interval grows with the time waited, to bound the store reads of long holds. */
const LONGEST_POLL_MS = 1000;
/** Requests that wait for longer look at the same moments: over a network, one query is for all. */
const MOMENTS_MS = 250;

type Ports = Pick<Stores, 'nodes' | 'blobs' | 'environments' | 'documents' | 'queue' | 'groups' | 'clock'>;

/** A check-in whose compile is in progress. */
interface AcceptedCompile {
  readonly node: NodeRecord;
  /** The generation to wait for. */
  readonly target: number;
  readonly checkIn: FactlessCheckIn;
  readonly assignment: NodeAssignment;
  readonly policy: FreshnessPolicy;
  readonly deadline: number;
}

/** Limits of a hold. */
interface Hold {
  readonly facts: FactsText | null;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * The catalog cache over the stores. Its only state is the number of held requests, so any number
 * of front doors can serve one fleet.
 */
export class StoredCatalogService implements CatalogService {
  readonly #ports: Ports;
  readonly #options: HoldOptions;
  readonly #policies: FreshnessPolicies;
  readonly #reach: FanOutReach;
  readonly #assignments: NodeAssignments;
  readonly #facts: CheckInFacts;
  readonly #requests: CompileRequests;
  readonly #answers: CatalogAnswers;
  #waiting = 0;

  /** `external` is null without an external node classifier. */
  constructor(ports: Ports, options: HoldOptions = DEFAULT_HOLD_OPTIONS, external: ExternalClassifier | null = null) {
    this.#ports = ports;
    this.#options = options;
    this.#reach = new FanOutReach(ports.blobs);
    this.#assignments = new NodeAssignments(ports, external);
    this.#policies = new FreshnessPolicies(ports.documents, options.policy);
    this.#facts = new CheckInFacts(ports, options.keepFacts, options.visits ?? new PromptVisits(ports));
    this.#requests = new CompileRequests(ports, this.#assignments, this.#facts);
    this.#answers = new CatalogAnswers(ports);
  }

  /** Number of held requests. */
  get waiting(): number {
    return this.#waiting;
  }

  async accept(checkIn: CheckIn): Promise<AcceptedCheckIn> {
    const accepted = await this.#acceptOrAnswer(checkIn).catch(asFailedAnswer);
    if ('status' in accepted) return { kind: 'answered', answer: accepted };
    return { kind: 'held', wait: (facts, signal) => this.#wait(accepted, facts, signal) };
  }

  async #acceptOrAnswer(checkIn: CheckIn): Promise<CatalogAnswer | AcceptedCompile> {
    const { nodes, environments, clock } = this.#ports;
    const startedAt = clock.now();
    const { node: known, groups } = await this.#assignments.readWithNode(checkIn.certname);
    let node = known;
    const assignment = await this.#assignments.find(node, checkIn, { groups });
    const environment = environmentInForce(applyAssignment(node, assignment), checkIn.environment);
    if (checkIn.checkEnvironment && environment !== checkIn.environment)
      return { status: 'other-environment', environment };
    const record = await environments.get(environment);
    const current = node && !assignment.changed && isCurrent(node, checkIn, startedAt) ? node : null;
    const isMissing = current !== null && record !== null && (await this.#reach.isMissing(current, record));
    if (current && !isMissing) {
      const answer = await this.#answers.answer(current, checkIn);
      if (answer) {
        // A store that cannot be written still serves current catalogs. The next visit notes both.
        await this.#facts.noteVisit(current, checkIn, assignment).catch(ignoreStoreFault);
        return answer;
      }
    }
    if (!record) return { status: 'unknown-environment', environment };
    node = await nodes.markSeen(checkIn.certname, checkIn.environment, clock.now());
    const policy = await this.#policies.resolve(checkIn.certname, environment);
    const target = await this.#requests.request(node, checkIn, assignment, isMissing ? record : null);
    // The next request that waits sends a job again, in case one was lost.
    if (!isAwaited(checkIn)) await this.#requests.yieldPriority(node, target);
    if (policy.freshness === 'retry' || !isAwaited(checkIn)) return this.#answers.answerRetryLater(policy);
    const stale =
      policy.freshness === 'stale' ? await this.#answers.answerStale(applyAssignment(node, assignment), checkIn) : null;
    if (stale) return stale;
    if (this.#waiting >= this.#options.mostWaiting)
      return this.#answers.shedLoad(applyAssignment(node, assignment), checkIn, policy);
    const deadline = startedAt + Math.min(policy.holdSeconds * 1000, this.#options.holdMs);
    return { node, target, checkIn: withoutFacts(checkIn), assignment, policy, deadline };
  }

  async #wait(
    accepted: AcceptedCompile,
    facts: FactsText | null,
    signal: AbortSignal | undefined,
  ): Promise<CatalogAnswer> {
    this.#waiting += 1;
    try {
      return await this.#await(accepted, { facts, signal, deadline: accepted.deadline });
    } finally {
      this.#waiting -= 1;
    }
  }

  /** Holds a request until a matching catalog is committed or the hold ends. */
  async #await({ checkIn, assignment, policy, ...accepted }: AcceptedCompile, hold: Hold): Promise<CatalogAnswer> {
    let { node, target } = accepted;
    for (;;) {
      node = (await this.#hold(checkIn.certname, target, hold)) ?? node;
      if (node.built < target) break;
      const settled = await this.#settle(node, checkIn, assignment, hold);
      if (settled === null) break;
      if (typeof settled === 'object') return settled;
      target = settled;
    }
    await this.#requests.yieldPriority(node, target);
    const stale = policy.afterHold === 'stale' ? await this.#answers.answerStale(node, checkIn) : null;
    return stale ?? this.#answers.answerRetryLater(policy);
  }

  /**
   * Decides after a commit: the answer when it matches the facts, else the next generation to wait
   * for; null when no time is left. The parsed facts are freed when this call returns.
   */
  async #settle(
    node: NodeRecord,
    factless: FactlessCheckIn,
    asked: NodeAssignment,
    hold: Hold,
  ): Promise<CatalogAnswer | number | null> {
    const checkIn = { ...factless, facts: (await hold.facts?.parse()) ?? null };
    const now = this.#ports.clock.now();
    const assignment = await this.#assignments.find(node, checkIn, { asked });
    const isReady = !assignment.changed && findCompileReasons(node, checkIn, now).length === 0;
    const answer = isReady ? await this.#answers.answer(node, checkIn) : null;
    if (answer) return answer;
    if (hold.signal?.aborted || this.#ports.clock.now() >= hold.deadline) return null;
    return this.#requests.request(node, checkIn, assignment);
  }

  /**
   * The record once `built` reached `target`, or as it is at the deadline; null when it was never
   * read.
   */
  async #hold(certname: string, target: number, { deadline, signal }: Hold): Promise<NodeRecord | null> {
    const { clock } = this.#ports;
    let node: NodeRecord | null = null;
    for (let pause = FIRST_POLL_MS; ; pause = Math.min(pause * 1.5, LONGEST_POLL_MS)) {
      node = (await this.#peek(certname)) ?? node;
      const left = deadline - clock.now();
      if ((node && node.built >= target) || left <= 0 || signal?.aborted) return node;
      if (node && isDemoted(node, target)) await this.#requests.regainPriority(node);
      await clock.sleep(Math.min(alignPause(pause, clock.now()), left), signal);
    }
  }

  /** Reads the record; a held request survives a store that is unavailable for a moment. */
  async #peek(certname: string): Promise<NodeRecord | null> {
    try {
      return await this.#ports.nodes.get(certname);
    } catch (error) {
      if (error instanceof StoreUnavailable) return null;
      throw error;
    }
  }
}

/** Whether the job lost its priority because another request for the node ended. */
function isDemoted({ started, asked }: NodeRecord, target: number): boolean {
  return started < target && asked.generation >= target && !asked.waiting;
}

/** A long pause ends at one of the moments that all requests share. */
function alignPause(pause: number, now: number): number {
  return pause < MOMENTS_MS ? pause : MOMENTS_MS * Math.ceil((now + pause) / MOMENTS_MS) - now;
}

function ignoreStoreFault(error: unknown): void {
  if (!(error instanceof StoreUnavailable || error instanceof StoreRefused)) throw error;
}

/** The record with what groups and an external node classifier say now. */
function applyAssignment(node: NodeRecord, assignment: NodeAssignment): NodeRecord;
function applyAssignment(node: NodeRecord | null, assignment: NodeAssignment): ClassifiedNode;
function applyAssignment(node: NodeRecord | null, { grouping, external }: NodeAssignment): ClassifiedNode {
  return { classification: null, ...node, grouping, external };
}

/** A node that cannot be classified gets no catalog, as with Puppet Server. */
function asFailedAnswer(error: unknown): CatalogAnswer {
  if (error instanceof ExternalClassifierFailed) return { status: 'failed', message: error.message };
  throw error;
}

function withoutFacts({ facts: _, ...checkIn }: CheckIn): FactlessCheckIn {
  return checkIn;
}

function isCurrent(node: NodeRecord, checkIn: CheckIn, now: number): boolean {
  return node.built === node.wanted && findCompileReasons(node, checkIn, now).length === 0;
}
