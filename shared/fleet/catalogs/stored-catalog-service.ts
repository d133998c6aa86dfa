import type { FactKeeping } from '../../config/fact-settings.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { CompileJob } from '../../store/ports/compile-queue.ts';
import { codeInForce, type EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { CatalogPointer, FactsPointer, NodeRecord } from '../../store/ports/node-record.ts';
import { StoreRefused, StoreUnavailable } from '../../store/ports/store-errors.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { FanOutReach } from '../fan-out/fan-out-reach.ts';
import { isWorthNoting } from '../groups/node-grouping.ts';
import { USUAL_CHECKSUM_TYPE } from '../nodes/checksum-types.ts';
import { type ClassifiedNode, environmentInForce } from '../nodes/classification.ts';
import { type ExternalClassifier, ExternalClassifierFailed } from '../nodes/external-classifier.ts';
import { hasStableChange, noteFactChanges } from '../nodes/fact-changes.ts';
import { loadFacts, type NodeFacts, storeFacts, timeFacts } from '../nodes/facts-blob.ts';
import { sendJobs } from '../nodes/send-jobs.ts';
import { FreshnessPolicies, retryAfterSeconds } from '../policies/freshness-policies.ts';
import { DEFAULT_POLICY, type FreshnessPolicy } from '../policies/policy-fields.ts';
import { CATALOG_LOST, loadCatalog } from './catalog-blob.ts';
import type { AcceptedCheckIn, CatalogAnswer, CatalogService, CheckIn, FactsText } from './catalog-service.ts';
import { CLASSIFICATION_CHANGED, findCompileReasons, isSameForCompile } from './currency.ts';
import { type NodeAssignment, NodeAssignments } from './node-assignments.ts';

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
}

export const DEFAULT_HOLD_OPTIONS: HoldOptions = { holdMs: 120_000, mostWaiting: 4000, policy: DEFAULT_POLICY };

/** Shed clients get a Retry-After spread over this multiple of the normal range. */
export const SHED_FACTOR = 3;
const MINUTE = 60_000;
/** `lastSeen` is written at most this often. */
const SEEN_MS = 5 * MINUTE;
/** Facts that changed without a reason to compile are stored at most this often. */
const FACTS_MS = 24 * 60 * MINUTE;
/** A job without a commit is sent again after this time. */
const ASK_AGAIN_MS = 2 * MINUTE;
const FIRST_POLL_MS = 20;
/** The poll interval grows with the time waited, to bound the store reads of long holds. */
const LONGEST_POLL_MS = 1000;

type Ports = Pick<Stores, 'nodes' | 'blobs' | 'environments' | 'documents' | 'queue' | 'groups' | 'clock'>;

/** A check-in without its facts, for a held request. */
type FactlessCheckIn = Omit<CheckIn, 'facts'>;

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
  #waiting = 0;

  /** `external` is null without an external node classifier. */
  constructor(ports: Ports, options: HoldOptions = DEFAULT_HOLD_OPTIONS, external: ExternalClassifier | null = null) {
    this.#ports = ports;
    this.#options = options;
    this.#reach = new FanOutReach(ports.blobs);
    this.#assignments = new NodeAssignments(ports, external);
    this.#policies = new FreshnessPolicies(ports.documents, options.policy);
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
      const answer = await this.#answer(current, checkIn);
      if (answer) {
        // A store that cannot be written still serves current catalogs. The next visit notes both.
        await this.#noteVisit(current, checkIn, assignment).catch(ignoreStoreFault);
        return answer;
      }
    }
    if (!record) return { status: 'unknown-environment', environment };
    node = await nodes.markSeen(checkIn.certname, checkIn.environment, clock.now());
    const policy = await this.#policies.resolve(checkIn.certname, environment);
    const target = await this.#requestCompile(node, checkIn, assignment, isMissing ? record : null);
    // The next request that waits sends a job again, in case one was lost.
    if (!isAwaited(checkIn)) await this.#yieldPriority(node, target);
    if (policy.freshness === 'retry' || !isAwaited(checkIn)) return this.#answerRetryLater(policy);
    const stale =
      policy.freshness === 'stale' ? await this.#answerStale(applyAssignment(node, assignment), checkIn) : null;
    if (stale) return stale;
    if (this.#waiting >= this.#options.mostWaiting)
      return this.#shedLoad(applyAssignment(node, assignment), checkIn, policy);
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
    await this.#yieldPriority(node, target);
    const stale = policy.afterHold === 'stale' ? await this.#answerStale(node, checkIn) : null;
    return stale ?? this.#answerRetryLater(policy);
  }

  /**
   * Lets nodes go first whose agents still wait. Another request that waits for this node regains
   * the priority: it sees the record, which changes last.
   */
  async #yieldPriority({ certname, started }: NodeRecord, target: number): Promise<void> {
    const { nodes, queue } = this.#ports;
    if (started >= target) return;
    try {
      await queue.demote(certname);
      await nodes.demote(certname, target);
    } catch (error) {
      ignoreUnavailable(error);
    }
  }

  async #regainPriority(node: NodeRecord): Promise<void> {
    await this.#join(node, true).catch(ignoreUnavailable);
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
    const answer = isReady ? await this.#answer(node, checkIn) : null;
    if (answer) return answer;
    if (hold.signal?.aborted || this.#ports.clock.now() >= hold.deadline) return null;
    return this.#requestCompile(node, checkIn, assignment);
  }

  /**
   * Ensures that a compile with this check-in's facts is in progress; returns the generation to
   * wait for. `deploy`: the environment, when its fan-out has not reached the node.
   */
  async #requestCompile(
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
    const pointer = await this.#storeFacts(node, said, at);
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
    if (!wanted) return this.#requestCompileAnew(checkIn, assignment, deploy);
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
    return this.#requestCompileAnew(checkIn, assignment, null);
  }

  /** Retries after another process raised `wanted`: its request may already suffice. */
  async #requestCompileAnew(
    checkIn: CheckIn,
    asked: NodeAssignment,
    deploy: EnvironmentRecord | null,
  ): Promise<number> {
    const { nodes, clock } = this.#ports;
    const node = await nodes.markSeen(checkIn.certname, checkIn.environment, clock.now());
    return this.#requestCompile(node, checkIn, await this.#assignments.find(node, checkIn, { asked }), deploy);
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
      if (node && isDemoted(node, target)) await this.#regainPriority(node);
      await clock.sleep(Math.min(pause, left), signal);
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

  /** The result of the last commit; null when its catalog is missing from the blob store. */
  async #answer(node: NodeRecord, checkIn: FactlessCheckIn): Promise<CatalogAnswer | null> {
    if (node.failure) return { status: 'failed', message: node.failure.message };
    return node.catalog && this.#loadCatalog(node.catalog, checkIn, 'current');
  }

  /** The last good catalog, if it was compiled in the node's environment. */
  async #answerStale(node: NodeRecord, checkIn: FactlessCheckIn): Promise<CatalogAnswer | null> {
    const environment = environmentInForce(node, checkIn.environment);
    if (node.inputs?.environment !== environment || !node.catalog) return null;
    return this.#loadCatalog(node.catalog, checkIn, 'stale');
  }

  /** Load shedding: answers with an older catalog, or with a longer Retry-After. */
  async #shedLoad(node: NodeRecord, checkIn: CheckIn, policy: FreshnessPolicy): Promise<CatalogAnswer> {
    const stale = policy.afterHold === 'stale' ? await this.#answerStale(node, checkIn) : null;
    return stale ?? this.#answerRetryLater(policy, SHED_FACTOR);
  }

  #answerRetryLater(policy: FreshnessPolicy, factor = 1): CatalogAnswer {
    return { status: 'unavailable', retryAfterSeconds: retryAfterSeconds(policy, this.#ports.clock, factor) };
  }

  async #loadCatalog(
    pointer: CatalogPointer,
    { checksumType }: FactlessCheckIn,
    status: 'current' | 'stale',
  ): Promise<CatalogAnswer | null> {
    const { codeId } = pointer;
    const hash = (checksumType && pointer.static?.[checksumType]) || pointer.hash;
    const catalog = await loadCatalog(this.#ports.blobs, hash);
    return catalog && { status, catalog, hash, codeId };
  }

  async #noteVisit(node: NodeRecord, checkIn: CheckIn, { grouping }: NodeAssignment): Promise<void> {
    const { certname, facts, trusted } = checkIn;
    const { nodes, clock } = this.#ports;
    const at = clock.now();
    if (at - node.lastSeen >= SEEN_MS) await nodes.markSeen(certname, node.environment, at);
    let { version } = node;
    if (isWorthNoting(node.grouping, grouping) && (await nodes.noteGrouping(certname, grouping, version))) version += 1;
    if (facts === null || !(await this.#areFactsDue(node, facts, at))) return;
    const said = { facts, trusted, checksumTypes: checksumTypes(node, checkIn) };
    await nodes.factsStored(certname, await this.#storeFacts(node, said, at), version);
  }

  /**
   * Facts that no compile needs are stored once a day; for an inventory, at once when one changed
   * that does not change at each run, and else once an interval.
   */
  async #areFactsDue({ facts: stored }: NodeRecord, facts: PuppetHash, at: number): Promise<boolean> {
    const { keepFacts } = this.#options;
    const age = at - (stored?.at ?? 0);
    if (stored === null || age >= FACTS_MS || keepFacts === undefined) return age >= FACTS_MS;
    return age >= keepFacts.intervalMs || hasStableChange(facts, keepFacts, stored);
  }

  async #storeFacts(node: NodeRecord, said: NodeFacts, now: number): Promise<FactsPointer> {
    const { blobs } = this.#ports;
    const { keepFacts } = this.#options;
    const at = timeFacts(node.facts, now);
    if (keepFacts === undefined) return storeFacts(blobs, said, at);
    const loadStored = async () => (await loadFacts(blobs, node))?.facts ?? null;
    const changes = await noteFactChanges(said.facts, keepFacts, node.facts ?? {}, loadStored);
    return { ...(await storeFacts(blobs, said, at)), ...changes };
  }
}

/**
 * All checksum types that the node's agent ever requested, and the default one, so that agents of
 * either type get the same catalogs.
 */
function checksumTypes({ inputs }: NodeRecord, { checksumType }: CheckIn): readonly string[] {
  const types = [USUAL_CHECKSUM_TYPE, ...(inputs?.checksumTypes ?? []), ...(checksumType ? [checksumType] : [])];
  return [...new Set(types)].sort();
}

/** Whether the job lost its priority because another request for the node ended. */
function isDemoted({ started, asked }: NodeRecord, target: number): boolean {
  return started < target && asked.generation >= target && !asked.waiting;
}

/** Whether a node waits for the catalog. */
function isAwaited(checkIn: Pick<CheckIn, 'isAwaited'>): boolean {
  return checkIn.isAwaited !== false;
}

function ignoreUnavailable(error: unknown): void {
  if (!(error instanceof StoreUnavailable)) throw error;
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
