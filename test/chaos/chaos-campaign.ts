import { setTimeout as pause } from 'node:timers/promises';
import { EmbeddedDatabase } from '../../shared/store/embedded/database.ts';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { runAgent } from './chaos-agent.ts';
import { ChaosClient, type SentCounts } from './chaos-client.ts';
import type { PreparedClients } from './chaos-clients.ts';
import type { ChaosWorld } from './chaos-world.ts';
import { type Disturbance, type KillSignal, type LifePlan, planCalm, planLife, SHIFT_MS } from './life-plan.ts';
import { bringToRest, checkAtRest, checkSameAgain, checkUnusedDeploy } from './rest-check.ts';
import { ServerLife, type ServerPlace } from './server-life.ts';

export interface CampaignOptions {
  readonly lives: number;
}

const AGENTS = 4;
/** Starting takes longer only when something is in the way. */
const LONGEST_START_MS = 30_000;
/** Faults can hold all agents back for so long. */
const LONGEST_LIFE_MS = 10_000;
const POLL_MS = 5;

/**
 * The life of one fleet: first, processes with the machine's clock, some of them exactly what
 * `npm start` runs; then processes of which each is born a day later than the one before, so that
 * code is pruned. Each half ends at rest, where everything is compared with the model. The campaign
 * ends with the first violation.
 */
export class ChaosCampaign {
  readonly world: ChaosWorld;
  readonly #clients: PreparedClients;
  readonly #client: ChaosClient;
  readonly #place: ServerPlace;
  readonly #chance: SeededChance;
  readonly #options: CampaignOptions;
  #server: ServerLife | null = null;

  constructor(
    world: ChaosWorld,
    clients: PreparedClients,
    place: ServerPlace,
    chance: SeededChance,
    options: CampaignOptions,
  ) {
    this.world = world;
    this.#clients = clients;
    this.#client = new ChaosClient(world, clients, place.port);
    this.#place = place;
    this.#chance = chance;
    this.#options = options;
  }

  get #isOver(): boolean {
    return this.world.violations.length > 0;
  }

  async close(): Promise<void> {
    await this.#server?.kill();
    this.#clients.stores.close();
  }

  async run(): Promise<void> {
    const server = await this.#start(null);
    const { nodes } = this.world;
    await this.#client.deploy();
    for (const node of nodes) await this.#client.move(node, node.group.accepted);
    await Promise.all(nodes.map((node) => this.#client.checkIn(node, node.facts.accepted)));
    this.world.isServerUp = false;
    await server.stop();
    await this.#runHalf(() => 0);
    if (!this.#isOver) await this.#runHalf((life) => (life + 1) * SHIFT_MS);
  }

  /** Lives under fire, then the checks at rest. `aheadOf` says how far a life's clock is ahead. */
  async #runHalf(aheadOf: (life: number) => number): Promise<void> {
    const { lives } = this.#options;
    const stopping = new AbortController();
    const agents = Array.from({ length: AGENTS }, () =>
      runAgent(this.world, this.#client, new SeededChance(this.#chance.below(2 ** 31)), stopping.signal),
    );
    try {
      for (let life = 0; life < lives && !this.#isOver; life += 1) await this.#live(aheadOf(life));
    } finally {
      stopping.abort();
      await Promise.all(agents);
    }
    if (!this.#isOver) await this.#rest(planCalm(aheadOf(lives - 1)));
  }

  async #live(aheadMs: number): Promise<void> {
    const plan = planLife(this.#chance, aheadMs);
    const server = await this.#start(plan.disturbance);
    await Promise.race([server.ended, this.#untilKill(plan, this.#client.sent)]);
    await this.#kill(server, plan.kill.signal);
  }

  async #untilKill({ kill }: LifePlan, before: SentCounts): Promise<void> {
    const latest = performance.now() + LONGEST_LIFE_MS;
    const isDue = () => this.#isOver || this.#client.sent[kill.after] - before[kill.after] >= kill.count;
    while (!isDue() && performance.now() < latest) await pause(POLL_MS);
    await pause(kill.ms);
  }

  async #kill(server: ServerLife, signal: KillSignal = 'SIGKILL'): Promise<void> {
    this.world.isServerUp = false;
    await server.kill(signal);
    this.world.figures.kills += 1;
    if (server.endSignal === 'SIGABRT') this.world.figures.aborts += 1;
    this.world.log.note(`server: killed by ${server.endSignal}`);
    if (server.exitCode !== null) this.world.report(`the server ended by itself with code ${server.exitCode}`);
  }

  async #rest(disturbance: Disturbance | null): Promise<void> {
    const { world } = this;
    const database = new EmbeddedDatabase(this.#place.data);
    const ports = { stores: this.#clients.stores, database };
    world.log.note('at rest');
    const first = await this.#start(disturbance);
    await bringToRest(world, this.#client, ports);
    const catalogs = await checkAtRest(world, this.#client, ports, this.#chance);
    await checkSameAgain(world, this.#client, ports, catalogs);
    await this.#kill(first);
    const second = await this.#start(disturbance);
    await checkSameAgain(world, this.#client, ports, catalogs);
    await checkUnusedDeploy(world, this.#client, ports);
    await this.#kill(second);
    database.close();
  }

  async #start(disturbance: Disturbance | null): Promise<ServerLife> {
    const { figures, log } = this.world;
    log.note(`server: start ${JSON.stringify(disturbance)}`);
    const server = new ServerLife(this.#place, disturbance, {
      onLine: (line) => this.world.noteLine(line),
      onEvent: (event) => {
        if (event === 'fault') figures.faults += 1;
        else figures.killPoints += 1;
        if (event === 'kill') log.note('server: kill point');
      },
    });
    this.#server = server;
    const tookMs = await server.untilListening();
    log.note(`server: ${tookMs === null ? 'it ended before it listened' : `port open after ${Math.round(tookMs)} ms`}`);
    this.world.isServerUp = tookMs !== null;
    figures.slowestStartMs = Math.max(figures.slowestStartMs, tookMs ?? 0);
    if (tookMs !== null && tookMs > LONGEST_START_MS) {
      this.world.report(`the port was open only ${Math.round(tookMs)} ms after the start`);
    }
    return server;
  }
}
