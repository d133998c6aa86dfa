import { countCanaries, isWindowOpen } from '../../fleet/policies/notify-policy.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { JobEngine } from '../jobs/job-engine.ts';
import { OrchestratorError } from '../jobs/orchestrator-error.ts';
import type { PxpGateway } from '../pxp/pxp-gateway.ts';
import type { EnvironmentSizes } from './environment-sizes.ts';
import type { DueNode, NotifyBook } from './notify-book.ts';
import { BUSY_MS } from './notify-gate.ts';
import { laneOf, type NotifyLane, printLane } from './notify-lane.ts';
import type { NotifyPolicies } from './notify-policies.ts';
import type { Rollout, RolloutStore, Wave } from './rollout-state.ts';
import { createWaveJob } from './wave-job.ts';
import type { WaveLevels, WaveOrder } from './wave-order.ts';

export interface WaveParts {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'environments' | 'clock'>;
  readonly book: NotifyBook;
  readonly rollouts: RolloutStore;
  readonly policies: NotifyPolicies;
  readonly sizes: EnvironmentSizes;
  readonly order: WaveOrder;
  /** Nodes of one job. */
  readonly mostNodes: number;
  readonly engine: Pick<JobEngine, 'open' | 'findRunning'>;
  readonly gateway: Pick<PxpGateway, 'listConnected'>;
  /** Retention of jobs. */
  readonly keepMs: number;
  /** Called when nodes have to wait for their connections. */
  readonly onParked: () => void;
  readonly log: (message: string) => void;
}

/** Nodes of one job: their names are in one document while the job is made. */
export const MOST_IN_WAVE = 1000;
/** Due nodes that are arranged at a time. */
const MOST_ORDERED = 20_000;
const PAGE = 1000;
const AT_ONCE = 16;

/**
 * Makes jobs of due nodes. The plan of a job is stored first, and each step may be repeated: a
 * process that dies in between leaves a job that the next one finishes, with the same nodes.
 */
export class WaveFormer {
  readonly #parts: WaveParts;
  /** Why lanes have to wait for a change of the code, by lane. */
  readonly #refused = new Map<string, string>();

  constructor(parts: WaveParts) {
    this.#parts = parts;
  }

  /**
   * Makes the next job of a lane, if nodes are due and may be notified now. While the graph of the
   * environment cannot be read, nobody is notified, and the log says so once.
   */
  async form(name: string, lane: NotifyLane, rollout: Rollout): Promise<Rollout> {
    if (!isWindowOpen(lane.window, this.#parts.stores.clock.now())) return rollout;
    try {
      const formed = await this.#formOpen(name, lane, rollout);
      this.#refused.delete(name);
      return formed;
    } catch (error) {
      if (!(error instanceof OrchestratorError)) throw error;
      if (this.#refused.get(name) !== error.message) {
        this.#parts.log(`No node of ${lane.environment} is notified of its changed catalog: ${error.message}`);
      }
      this.#refused.set(name, error.message);
      return rollout;
    }
  }

  async #formOpen(name: string, lane: NotifyLane, rollout: Rollout): Promise<Rollout> {
    const { order } = this.#parts;
    const isOrdered = await order.isOrdered(lane.environment);
    const due = isOrdered ? await this.#listFirst(name, lane) : await this.#listNext(name, rollout.cursor);
    if (due.length === 0) return rollout;
    const canaries = await this.#countCanaries(lane);
    if (canaries === null) return rollout;
    const nodes = await this.#choose(name, due, rollout.droppedUntil);
    if (nodes.length === 0) return rollout;
    const cursor = nodes.at(-1)?.certname ?? '';
    const { isFirst, isLater } = splitBy(rollout.suspects);
    const preferred = [...nodes.filter(isFirst), ...nodes.filter(isLater)];
    const { arranged, levels } = await this.#arrange(lane, preferred);
    const planned = await this.#plan(lane, rollout, canaries, arranged.length);
    const wave = levels.barriers === undefined ? planned : { ...planned, isOrdered: true };
    return this.finish(name, lane, { ...rollout, forming: { wave, nodes: arranged, levels }, cursor, suspects: [] });
  }

  async #listNext(name: string, cursor: string): Promise<readonly DueNode[]> {
    const { book, mostNodes } = this.#parts;
    const due = await book.listDue(name, mostNodes, cursor);
    return due.length > 0 || cursor === '' ? due : book.listDue(name, mostNodes, '');
  }

  /** Lists the due nodes that wait for the fewest others. */
  async #listFirst(name: string, lane: NotifyLane): Promise<readonly DueNode[]> {
    const { book, mostNodes } = this.#parts;
    const due: DueNode[] = [];
    for (let after = ''; due.length < MOST_ORDERED; ) {
      const page = await book.listDue(name, PAGE, after);
      due.push(...page);
      after = page.at(-1)?.certname ?? '';
      if (page.length < PAGE) break;
    }
    return (await this.#arrange(lane, due)).arranged.slice(0, mostNodes);
  }

  async #arrange(
    { environment }: NotifyLane,
    nodes: readonly DueNode[],
  ): Promise<{ readonly arranged: readonly DueNode[]; readonly levels: WaveLevels }> {
    const byName = new Map(nodes.map((node) => [node.certname, node]));
    const { names, ...levels } = await this.#parts.order.arrange(environment, [...byName.keys()]);
    return { arranged: names.flatMap((name) => byName.get(name) ?? []), levels };
  }

  /** Null while the nodes of the environment are first counted. */
  async #countCanaries({ environment }: NotifyLane): Promise<number | null> {
    const { policies, sizes } = this.#parts;
    const policy = await policies.resolve(null, environment);
    const nodes = typeof policy.canary === 'string' ? sizes.find(environment) : 0;
    return nodes === null ? null : countCanaries(policy, nodes);
  }

  /** Stores the job that is being made, and begins it. */
  async finish(name: string, lane: NotifyLane, rollout: Rollout): Promise<Rollout> {
    const { forming } = rollout;
    if (forming === null) return rollout;
    const { book, rollouts, stores, engine } = this.#parts;
    const { wave, nodes, levels } = forming;
    await rollouts.put(name, rollout);
    const at = stores.clock.now();
    await inParallel(AT_ONCE, nodes, (node) => book.putNotified({ ...node, lane: name, job: wave.job, at }));
    const names = nodes.map(({ certname }) => certname);
    await createWaveJob(wave.job, lane.environment, { names, ...levels }, this.#parts);
    await inParallel(AT_ONCE, nodes, (node) => book.removeDue(name, node));
    const done = { ...rollout, forming: null, waves: [...rollout.waves, wave] };
    await rollouts.put(name, done);
    await engine.open(wave.job);
    return done;
  }

  async #plan({ environment }: NotifyLane, { passed }: Rollout, wanted: number, count: number): Promise<Wave> {
    const { stores } = this.#parts;
    const codeId = (await stores.environments.get(environment))?.codeId ?? null;
    const left = passed.codeId === codeId ? Math.max(0, wanted - passed.count) : wanted;
    const canaries = Math.min(left, count);
    const job = await stores.jobs.takeNumbers('ledgers', 1);
    return { job, canaries, phase: canaries > 0 ? 'canary' : 'rest', since: null, codeId, isSuperseded: false };
  }

  /** Chooses the due nodes that can be notified now; the others get to where they belong. */
  async #choose(name: string, due: readonly DueNode[], droppedUntil: number): Promise<readonly DueNode[]> {
    const { book, gateway, engine, stores } = this.#parts;
    const connected = new Set(
      (await gateway.listConnected(due.map(({ certname }) => certname))).map(({ certname }) => certname),
    );
    const running = engine.findRunning();
    const chosen = await inParallel(AT_ONCE, due, async (node) => {
      if (node.dueAt > droppedUntil && (await this.#isOfLane(name, node))) {
        if (running.has(node.certname)) await book.addLater(name, node, stores.clock.now() + BUSY_MS);
        else if (connected.has(node.certname)) return [node];
        else await this.#park(name, node);
      }
      await book.removeDue(name, node);
      return [];
    });
    return chosen.flat();
  }

  async #park(lane: string, node: DueNode): Promise<void> {
    const { book, gateway, onParked } = this.#parts;
    await book.park({ lane, node });
    onParked();
    // It may have connected before it was parked.
    if ((await gateway.listConnected([node.certname])).length === 0) return;
    await book.addLater(lane, node, this.#parts.stores.clock.now());
    await book.unpark({ lane, node });
  }

  /** Whether a node is in this lane by the policy of now; else it is moved to its own. */
  async #isOfLane(name: string, node: DueNode): Promise<boolean> {
    const { policies, book } = this.#parts;
    const environment = name.slice(0, name.indexOf('|'));
    const lane = laneOf(environment, await policies.resolve(node.certname, environment));
    if (lane === null) return false;
    if (printLane(lane) === name) return true;
    await book.restoreDue(printLane(lane), node);
    return false;
  }
}

function splitBy(first: readonly string[]) {
  const names = new Set(first);
  return {
    isFirst: ({ certname }: DueNode) => names.has(certname),
    isLater: ({ certname }: DueNode) => !names.has(certname),
  };
}
