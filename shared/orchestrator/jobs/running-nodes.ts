import type { NodeRun } from '../../store/ports/job-records.ts';
import type { PxpContent } from '../pxp/pxp-gateway.ts';
import type { JobContext } from './job-context.ts';
import type { JobDraft } from './job-draft.ts';
import type { JobImage } from './job-image.ts';
import type { JobOrder } from './job-order.ts';
import { keepValue } from './kept-values.ts';
import { describeLoss, erroredOutcome, isLockedRun, type NodeOutcome, readOutcome } from './node-outcome.ts';
import { describeEnd, describeStart, describeWait, NOT_ASKED, PATIENCE, type RunningNode } from './node-progress.ts';

/** A message to send after a step is committed. */
interface Sending {
  readonly index: number;
  readonly kind: 'request' | 'query';
}

/** The nodes of a job that were asked: what becomes of them by answers and by silence. */
export class RunningNodes {
  readonly #image: JobImage;
  readonly #order: JobOrder;
  readonly #context: JobContext;
  readonly #expect: (node: RunningNode) => void;
  #sendings: Sending[] = [];

  /** `expect` has the answers to the request of a node come to the job. */
  constructor(image: JobImage, order: JobOrder, context: JobContext, expect: (node: RunningNode) => void) {
    this.#expect = expect;
    this.#image = image;
    this.#order = order;
    this.#context = context;
  }

  takeSendings(): readonly Sending[] {
    const sendings = this.#sendings;
    this.#sendings = [];
    return sendings;
  }

  /** Begins to run a node. */
  start(node: RunningNode, draft: JobDraft): void {
    this.#image.running.set(node.index, node);
    this.#image.setState(node.index, 'running');
    draft.addNodeEvent('node_running', node.name, describeStart(this.#order, node.name), { noop: this.#order.noop });
    draft.putNode(this.#describe(node));
    this.#ask(node, draft.now);
  }

  async takeAnswer(node: RunningNode, content: PxpContent, draft: JobDraft): Promise<void> {
    if (content.kind === 'accepted') this.#accept(node, draft);
    else if (content.kind === 'refused') this.fail(node, content.description, draft);
    else await this.#takeResults(node, content.results, draft);
  }

  /**
   * Takes the answer to a status query. An agent that cannot answer it, as when the result is
   * larger than a message may be, cannot answer the next one either.
   */
  async takeStatus(node: RunningNode, content: PxpContent, draft: JobDraft): Promise<void> {
    if (content.kind === 'refused') this.fail(node, content.description, draft);
    if (content.kind !== 'results') return;
    const { status } = content.results;
    if (status === 'running') {
      this.#accept(node, draft);
      node.queries = 0;
    } else if (status === 'success' || status === 'failure') {
      await this.#takeResults(node, content.results, draft);
    } else if (status === 'unknown' && node.isAccepted) {
      const loss = describeLoss(content.results);
      const reason = loss === '' ? 'knows nothing of the request any more' : `does not know how it ended: ${loss}`;
      this.fail(node, `The agent ${reason}`, draft);
    } else if (status === 'unknown' && node.awaits === 'outcome') {
      // The request never reached the agent: the former writer ended before it was sent.
      node.requests = 0;
      this.#ask(node, draft.now);
    }
  }

  noteUndelivered(node: RunningNode, reason: string, now: number, isPatient: boolean): void {
    node.undelivered = reason;
    if (node.awaits === 'outcome') {
      if (isPatient) {
        node.queries = 0;
        node.dueAt = now + PATIENCE.reconnectMs;
        // It is not known to have the request, and had the time to come back.
      } else if (!node.isAccepted) node.queries = PATIENCE.queries;
      return;
    }
    node.dueAt = now + PATIENCE.reconnectMs;
    if (isPatient) node.requests = 0;
  }

  /** Does what is due for nodes that did not answer. */
  checkTimes(draft: JobDraft): void {
    const limit = this.#order.timeoutMs;
    for (const node of [...this.#image.running.values()]) {
      if (!draft.hasRoom) return;
      if (limit !== null && node.startedAt + limit <= draft.now) {
        this.fail(node, `It did not end within ${limit / 1000} seconds`, draft);
      } else if (node.dueAt <= draft.now) this.#handleSilence(node, draft);
    }
  }

  /** Ends a node that could not be run. */
  fail(node: RunningNode, reason: string, draft: JobDraft): void {
    const outcome = erroredOutcome(this.#order, node.name, reason);
    this.#finish(node, outcome, { value: outcome.result }, draft);
  }

  /** Gives back what a node holds. */
  release(node: RunningNode): void {
    const { messages, pacing } = this.#context;
    messages.forget([node.transactionId, ...node.queryIds]);
    if (node.pass !== null) pacing.release(node.pass);
  }

  #accept(node: RunningNode, draft: JobDraft): void {
    node.awaits = 'outcome';
    node.dueAt = draft.now + PATIENCE.queryMs;
    if (node.isAccepted) return;
    node.isAccepted = true;
    draft.putNode(this.#describe(node));
  }

  #handleSilence(node: RunningNode, draft: JobDraft): void {
    if (node.awaits === 'acceptance') {
      if (node.requests < PATIENCE.requests) this.#ask(node, draft.now);
      else this.fail(node, describeUnreached(node), draft);
    } else if (node.queries < PATIENCE.queries) {
      node.queries += 1;
      node.dueAt = draft.now + PATIENCE.queryMs;
      this.#sendings.push({ index: node.index, kind: 'query' });
    } else if (node.undelivered !== null && !node.isAccepted) this.fail(node, describeUnreached(node), draft);
    else {
      const minutes = (PATIENCE.queries * PATIENCE.queryMs) / 60_000;
      this.fail(node, `The agent did not answer for ${minutes} minutes`, draft);
    }
  }

  #ask(node: RunningNode, now: number): void {
    node.awaits = 'acceptance';
    node.requests += 1;
    node.undelivered = null;
    node.dueAt = now + PATIENCE.acceptanceMs;
    this.#sendings.push({ index: node.index, kind: 'request' });
  }

  async #takeResults(node: RunningNode, results: Readonly<Record<string, unknown>>, draft: JobDraft): Promise<void> {
    if (this.#mayRepeat(node, draft.now) && isLockedRun(this.#order, results)) {
      this.#repeat(node, draft);
      return;
    }
    const { tasks, reports } = this.#context;
    const outcome = await readOutcome({ order: this.#order, name: node.name, tasks, reports }, results);
    const key = `jobs/${this.#image.number}/results/${node.name}/${node.attempt}`;
    this.#finish(node, outcome, await keepValue(this.#context.blobs, key, outcome.result), draft);
  }

  /** Nodes of a job with a gate are made due again by whoever made them due. */
  #mayRepeat({ startedAt }: RunningNode, now: number): boolean {
    return !this.#order.isGated && this.#image.stop === null && now - startedAt < PATIENCE.lockedForMs;
  }

  /** Has the node try again after a while, with a request that its agent does not know yet. */
  #repeat(node: RunningNode, draft: JobDraft): void {
    const { messages } = this.#context;
    messages.forget([node.transactionId, ...node.queryIds]);
    const attempt = node.attempt + 1;
    const transactionId = this.#image.makeTransactionId(node.name, attempt);
    const dueAt = draft.now + PATIENCE.lockedMs;
    const next: RunningNode = {
      ...node,
      ...NOT_ASKED,
      attempt,
      transactionId,
      dueAt,
      awaits: 'acceptance',
      queryIds: [],
    };
    this.#image.running.set(node.index, next);
    this.#expect(next);
    if (attempt === 2)
      draft.addNodeEvent('node_running', node.name, describeWait(node.name), { noop: this.#order.noop });
    draft.putNode(this.#describe(next));
  }

  #finish(node: RunningNode, outcome: NodeOutcome, result: NodeRun['result'], draft: JobDraft): void {
    const { state, transactionUuid } = outcome;
    const message = describeEnd(this.#order, node, outcome);
    this.#image.running.delete(node.index);
    this.#image.setState(node.index, state);
    this.release(node);
    draft.addNodeEvent(`node_${state}`, node.name, message, outcome.result);
    draft.putNode({ ...this.#describe(node), state, message, result, transactionUuid, finishedAt: draft.now });
  }

  #describe(node: RunningNode): NodeRun {
    const { name, attempt, transactionId, isAccepted, startedAt, latestEvent } = node;
    const message = attempt === 1 ? describeStart(this.#order, name) : describeWait(name);
    const open = { finishedAt: null, details: {}, result: null, transactionUuid: null };
    return { name, state: 'running', attempt, transactionId, isAccepted, startedAt, message, latestEvent, ...open };
  }
}

function describeUnreached({ name, undelivered }: RunningNode): string {
  if (undelivered === 'Not connected.') return `${name} is not connected`;
  if (undelivered !== null) return `The request could not be delivered: ${undelivered}`;
  const seconds = (PATIENCE.requests * PATIENCE.acceptanceMs) / 1000;
  return `The agent did not accept the request within ${seconds} seconds`;
}
