import type { NodeRun } from '../../store/ports/job-records.ts';
import type { StopRequest } from '../../store/ports/job-store.ts';
import type { PxpContent } from '../pxp/pxp-gateway.ts';
import { makeTransactionId } from '../pxp/transaction-id.ts';
import { type JobContext, JobLost } from './job-context.ts';
import { JobDraft } from './job-draft.ts';
import type { JobImage } from './job-image.ts';
import type { JobOrder } from './job-order.ts';
import { NOT_ASKED, PATIENCE, type RunningNode } from './node-progress.ts';
import { NodeStarter, type Start } from './node-starter.ts';
import { RunningNodes } from './running-nodes.ts';

/** Something that happened to a node since the last step, by a request to its agent. */
type Happening = { readonly index: number; readonly transactionId: string } & (
  | { readonly kind: 'answer' | 'status'; readonly content: PxpContent }
  | { readonly kind: 'undelivered'; readonly reason: string }
);

/** Interval of reads that look for a stop: one read for each running job. */
const LOOK_MS = 2000;

/** The stored form of a node that was never asked. */
const NEVER_ASKED = {
  state: 'skipped',
  attempt: 0,
  transactionId: null,
  isAccepted: false,
  startedAt: null,
  details: {},
  result: null,
  transactionUuid: null,
  latestEvent: 0,
} as const;

/**
 * The only writer of a job. Events go into a queue. A step takes from it, changes the image,
 * commits, and then sends the requests that it decided: a node is stored as running before its
 * agent hears of it. When a step fails, the object is of no use any more: the job is opened again
 * from the store.
 */
export class ActiveJob {
  readonly image: JobImage;
  readonly #order: JobOrder;
  readonly #params: Readonly<Record<string, unknown>>;
  readonly #context: JobContext;
  readonly #starter: NodeStarter;
  readonly #nodes: RunningNodes;
  readonly #happenings: Happening[] = [];
  #renewAt: number;
  /** When the store is looked at next for a stop that another process was asked for. */
  #lookAt: number;
  /** Until this time, agents may still be on their way back from our own restart. */
  readonly #patientUntil: number;
  /** When the first nodes of a new job may start, and whether they wait for it. */
  readonly #startAt: number;
  #isHeld = false;

  constructor(image: JobImage, order: JobOrder, params: Readonly<Record<string, unknown>>, context: JobContext) {
    const { clock, leaseMs } = context;
    this.image = image;
    this.#order = order;
    this.#params = params;
    this.#context = context;
    this.#renewAt = clock.now() + leaseMs / 2;
    this.#lookAt = clock.now() + LOOK_MS;
    this.#startAt = image.state === 'new' ? image.body.createdAt + context.startDelayMs : 0;
    this.#patientUntil = image.state === 'new' ? 0 : clock.now() + PATIENCE.restartMs;
    this.#starter = new NodeStarter(image, order, context, () => context.wake(this));
    this.#nodes = new RunningNodes(image, order, context, (node) => this.#expect(node));
  }

  /** Puts a stored node back. One that runs: its agent is asked what became of it. */
  restore(index: number, run: NodeRun): void {
    this.image.setState(index, run.state);
    if (run.state !== 'running' || run.transactionId === null) return;
    const pass = this.#order.kind === 'puppet' ? 'compiles' : 'actions';
    this.#context.pacing.take(pass);
    const now = this.#context.clock.now();
    const { attempt, transactionId, isAccepted, latestEvent, name } = run;
    const restored = { attempt, transactionId, isAccepted, latestEvent, name, startedAt: run.startedAt ?? now };
    this.image.running.set(index, {
      ...NOT_ASKED,
      ...restored,
      index,
      pass,
      awaits: 'outcome',
      dueAt: now,
      queryIds: [],
    });
    this.#context.messages.expect(transactionId, this, index, false);
  }

  /** The nodes on which Puppet runs now. */
  findPuppetRuns(): readonly string[] {
    return this.#order.kind === 'puppet' ? [...this.image.running.values()].map(({ name }) => name) : [];
  }

  take(happening: Happening): void {
    this.#happenings.push(happening);
    this.#context.wake(this);
  }

  askToStop(stop: StopRequest): void {
    if (this.image.stop !== 'force') this.image.stop = stop;
    this.#context.wake(this);
  }

  /** Whether a step is due by the time alone. */
  isDue(now: number): boolean {
    if (now >= this.#lookAt || (this.#isHeld && now >= this.#startAt)) return true;
    if (this.#order.isGated && this.image.count('new') > 0) return true;
    const limit = this.#order.timeoutMs ?? Number.POSITIVE_INFINITY;
    for (const { dueAt, startedAt } of this.image.running.values()) {
      if (dueAt <= now || startedAt + limit <= now) return true;
    }
    return false;
  }

  /** Makes one step. `again`: another one is due. Rejects with JobLost and the stores' errors. */
  async step(): Promise<'again' | 'wait' | 'ended'> {
    const draft = new JobDraft(this.#context.clock.now());
    await this.#renew(draft);
    this.#begin(draft);
    await this.#takeHappenings(draft);
    this.#nodes.checkTimes(draft);
    this.#endNodes(draft);
    await this.#startNodes(draft);
    const isEnded = this.#endJob(draft);
    await this.#commit(draft, isEnded);
    if (isEnded) return 'ended';
    this.#send();
    return this.#happenings.length > 0 || !draft.hasRoom || this.image.hasDoomed ? 'again' : 'wait';
  }

  /** Ends the lease between two steps. The object is of no use then. */
  async endLease(): Promise<void> {
    const { image } = this;
    const { jobs, owner } = this.#context;
    const change = { body: image.body, lease: { owner, until: 0 } };
    await jobs.commit('job', image.number, image.version, change, `${owner} ${image.version} end`);
  }

  /** Gives back what the job holds in this process. */
  release(): void {
    this.#context.pacing.leave(this.image);
    for (const node of this.image.running.values()) this.#nodes.release(node);
  }

  /** Looks for what another process was asked for, and renews the lease. */
  async #renew(draft: JobDraft): Promise<void> {
    if (draft.now < this.#lookAt) return;
    this.#lookAt = draft.now + LOOK_MS;
    const stored = await this.#context.jobs.get('job', this.image.number);
    if (stored?.stop && this.image.stop !== 'force') this.image.stop = stored.stop;
    if (draft.now < this.#renewAt) return;
    this.#renewAt = draft.now + this.#context.leaseMs / 2;
    draft.isTouched = true;
  }

  #begin(draft: JobDraft): void {
    const { image } = this;
    if (image.state === 'new') {
      image.enter('ready', draft.now);
      image.enter('running', draft.now);
      image.body = { ...image.body, startedAt: draft.now };
      draft.isTouched = true;
    }
    if (image.stop === null) return;
    if (image.state === 'running') {
      image.enter('stopping', draft.now);
      draft.addJobEvent('job_stopping', image.number, 'stopping', `Job ${image.number} is stopping`);
    }
    image.doomAll('the job was stopped');
  }

  async #takeHappenings(draft: JobDraft): Promise<void> {
    while (draft.hasRoom) {
      const happening = this.#happenings.shift();
      if (happening === undefined) return;
      const node = this.image.running.get(happening.index);
      // An answer to an earlier attempt has no bearing on this one.
      if (node === undefined || !isAbout(node, happening)) continue;
      if (happening.kind === 'undelivered') {
        this.#nodes.noteUndelivered(node, happening.reason, draft.now, draft.now < this.#patientUntil);
      } else if (happening.kind === 'status') await this.#nodes.takeStatus(node, happening.content, draft);
      else await this.#nodes.takeAnswer(node, happening.content, draft);
    }
  }

  /** Ends nodes that run when the job is stopped by force, and skips those that will not start. */
  #endNodes(draft: JobDraft): void {
    const { image } = this;
    for (const node of image.stop === 'force' ? [...image.running.values()] : []) {
      if (draft.hasRoom) this.#nodes.fail(node, 'The job was stopped by force', draft);
    }
    while (draft.hasRoom) {
      const doomed = image.takeDoomed();
      if (doomed === null) return;
      const name = image.nameOf(doomed.index);
      const message = `Skipped ${name}: ${doomed.reason}`;
      image.setState(doomed.index, 'skipped');
      draft.addNodeEvent('node_skipped', name, message, {});
      draft.putNode({ ...NEVER_ASKED, name, message, finishedAt: draft.now });
    }
  }

  async #startNodes(draft: JobDraft): Promise<void> {
    this.#isHeld = draft.now < this.#startAt;
    if (this.#isHeld) return;
    this.#describe(await this.#starter.readGate(), draft);
    while (draft.hasRoom) {
      const start = await this.#starter.takeNext();
      if (start === null) return;
      const node = this.#makeNode(start, draft.now);
      this.#expect(node);
      this.#nodes.start(node, draft);
    }
  }

  /** Has the answers to a node's request come here. */
  #expect({ transactionId, index }: RunningNode): void {
    this.#context.messages.expect(transactionId, this, index, false);
  }

  /** Shows what a gate says of the job. */
  #describe(description: string | null, draft: JobDraft): void {
    const { image } = this;
    if (description === null || description === image.body.description) return;
    image.body = { ...image.body, description };
    draft.addJobEvent('job_described', image.number, image.state, description);
  }

  #makeNode({ index, pass }: Start, now: number): RunningNode {
    const name = this.image.nameOf(index);
    const attempt = 1;
    const transactionId = this.image.makeTransactionId(name, attempt);
    const times = { startedAt: now, dueAt: now };
    return {
      ...NOT_ASKED,
      ...times,
      latestEvent: 0,
      index,
      name,
      attempt,
      transactionId,
      pass,
      awaits: 'acceptance',
      queryIds: [],
    };
  }

  #endJob(draft: JobDraft): boolean {
    const { image } = this;
    if (!image.hasEnded || !draft.hasRoom) return false;
    const isFailed = image.count('failed') + image.count('errored') > 0;
    const state = image.state === 'stopping' ? 'stopped' : isFailed ? 'failed' : 'finished';
    image.enter(state, draft.now);
    image.body = { ...image.body, finishedAt: draft.now };
    draft.addJobEvent('job_finished', image.number, state, `Job ${image.number} ${state}`);
    return true;
  }

  async #commit(draft: JobDraft, isEnded: boolean): Promise<void> {
    if (draft.isEmpty) return;
    const { image } = this;
    const { jobs, owner, leaseMs } = this.#context;
    const firstId = draft.events.length === 0 ? 0 : await jobs.takeNumbers('events', draft.events.length);
    const { nodes, events } = draft.finish(firstId);
    image.body = { ...image.body, nodeStates: image.countStates() };
    const lease = { owner, until: isEnded ? 0 : draft.now + leaseMs };
    const change = { body: image.body, nodes, events, lease, ...(isEnded ? { isOpen: false } : {}) };
    const isDone = await jobs.commit('job', image.number, image.version, change, `${owner} ${image.version}`);
    if (!isDone) throw new JobLost(image.number);
    image.version += 1;
    if (events.length > 0 || nodes.length > 0)
      this.#context.reportProgress?.({ number: image.number, body: image.body, nodes });
    const latest = new Map(nodes.map((run) => [run.name, run.latestEvent]));
    for (const node of image.running.values()) node.latestEvent = latest.get(node.name) ?? node.latestEvent;
  }

  #send(): void {
    for (const { index, kind } of this.#nodes.takeSendings()) {
      const node = this.image.running.get(index);
      if (node === undefined) continue;
      if (kind === 'query') this.#query(node);
      else this.#request(node);
    }
  }

  #request({ index, name, transactionId }: RunningNode): void {
    const { module, action } = this.#order;
    const params = module === 'pxp-module-puppet' ? { ...this.#params, job: String(this.image.number) } : this.#params;
    const request = { transactionId, module, action, params, isBlocking: false };
    this.#watch(index, transactionId, this.#context.gateway.request(name, request));
  }

  /** Notes that a request could not be delivered. */
  #watch(index: number, transactionId: string, sending: Promise<string | null>): void {
    sending.then(
      (reason) => reason !== null && this.take({ kind: 'undelivered', index, transactionId, reason }),
      (error: unknown) => this.take({ kind: 'undelivered', index, transactionId, reason: String(error) }),
    );
  }

  #query({ index, name, transactionId: asked, queryIds }: RunningNode): void {
    const { gateway, messages, owner } = this.#context;
    const transactionId = makeTransactionId('query', owner, asked, queryIds.length);
    queryIds.push(transactionId);
    messages.expect(transactionId, this, index, true);
    const params = { transaction_id: asked };
    const request = { transactionId, module: 'status', action: 'query', params, isBlocking: true };
    this.#watch(index, transactionId, gateway.request(name, request));
  }
}

function isAbout(node: RunningNode, { transactionId }: Happening): boolean {
  return transactionId === node.transactionId || node.queryIds.includes(transactionId);
}
