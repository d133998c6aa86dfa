import { countCanaries, isWindowOpen } from '../../fleet/catalogs/notify-policy.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { JobEngine } from '../jobs/job-engine.ts';
import type { PxpGateway } from '../pxp/pxp-gateway.ts';
import type { DueNode, NotifyBook } from './notify-book.ts';
import { BUSY_MS } from './notify-gate.ts';
import { laneOf, type NotifyLane, printLane } from './notify-lane.ts';
import type { NotifyPolicies } from './notify-policies.ts';
import type { Rollout, RolloutStore, Wave } from './rollout-state.ts';
import { createWaveJob } from './wave-job.ts';

export interface WaveParts {
  readonly stores: Pick<Stores, 'jobs' | 'blobs' | 'environments' | 'clock'>;
  readonly book: NotifyBook;
  readonly rollouts: RolloutStore;
  readonly policies: NotifyPolicies;
  readonly engine: Pick<JobEngine, 'open' | 'findRunning'>;
  readonly gateway: Pick<PxpGateway, 'listConnected'>;
  /** How long jobs are kept. */
  readonly keepMs: number;
  /** Told when nodes have to wait for their connections. */
  readonly onParked: () => void;
}

/** Nodes of one job: their names are in one document while the job is made. */
const MOST_NODES = 1000;
const AT_ONCE = 16;

/**
 * Makes jobs of due nodes. What is to be made is stored first, and each step may be repeated: a
 * process that dies in between leaves a job that the next one finishes, with the same nodes.
 */
export class WaveFormer {
  readonly #parts: WaveParts;

  constructor(parts: WaveParts) {
    this.#parts = parts;
  }

  /** Makes the next job of a lane, if nodes are due and may be told now. */
  async form(name: string, lane: NotifyLane, rollout: Rollout): Promise<Rollout> {
    const { book, stores } = this.#parts;
    const now = stores.clock.now();
    if (!isWindowOpen(lane.window, now)) return rollout;
    let due = await book.listDue(name, MOST_NODES, rollout.cursor);
    if (due.length === 0 && rollout.cursor !== '') due = await book.listDue(name, MOST_NODES, '');
    if (due.length === 0) return rollout;
    const nodes = await this.#choose(name, due, rollout.droppedUntil);
    if (nodes.length === 0) return rollout;
    const cursor = nodes.at(-1)?.certname ?? '';
    const { isFirst, isLater } = splitBy(rollout.suspects);
    const arranged = [...nodes.filter(isFirst), ...nodes.filter(isLater)];
    const wave = await this.#plan(lane, rollout, arranged.length);
    return this.finish(name, lane, { ...rollout, forming: { wave, nodes: arranged }, cursor, suspects: [] });
  }

  /** Stores the job that is being made, and begins it. */
  async finish(name: string, lane: NotifyLane, rollout: Rollout): Promise<Rollout> {
    const { forming } = rollout;
    if (forming === null) return rollout;
    const { book, rollouts, stores, engine } = this.#parts;
    const { wave, nodes } = forming;
    await rollouts.put(name, rollout);
    const at = stores.clock.now();
    await inParallel(AT_ONCE, nodes, (node) => book.putTold({ ...node, lane: name, job: wave.job, at }));
    const names = nodes.map(({ certname }) => certname);
    await createWaveJob(wave.job, lane.environment, names, this.#parts);
    await inParallel(AT_ONCE, nodes, (node) => book.removeDue(name, node));
    const done = { ...rollout, forming: null, waves: [...rollout.waves, wave] };
    await rollouts.put(name, done);
    await engine.open(wave.job);
    return done;
  }

  async #plan({ environment }: NotifyLane, { passed }: Rollout, count: number): Promise<Wave> {
    const { stores, policies } = this.#parts;
    const codeId = (await stores.environments.get(environment))?.codeId ?? null;
    const wanted = countCanaries(await policies.resolve(null, environment));
    const left = passed.codeId === codeId ? Math.max(0, wanted - passed.count) : wanted;
    const canaries = Math.min(left, count);
    const job = await stores.jobs.takeNumbers('ledgers', 1);
    return { job, canaries, phase: canaries > 0 ? 'canary' : 'rest', since: null, codeId, isSuperseded: false };
  }

  /** Those of the due nodes that can be told now; the others get to where they belong. */
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
