import { setTimeout as pause } from 'node:timers/promises';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { ChaosClient } from '../chaos/chaos-client.ts';
import type { ChaosClients, ChaosWorld } from '../chaos/chaos-world.ts';
import type { ChaosFacts, NodeModel } from '../chaos/node-model.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';

const RETRY_MS = 500;
const GIVE_UP_MS = 120_000;

/** Clients of servers side by side. Code is deployed into the database, as commands do. */
export class ServersClient extends ChaosClient {
  readonly #world: ChaosWorld;
  readonly #stores: Stores;
  /** The longest time that a node asked in vain, in milliseconds. */
  longestWaitMs = 0;

  constructor(world: ChaosWorld, clients: ChaosClients, port: number, stores: Stores) {
    super(world, clients, port);
    [this.#world, this.#stores] = [world, stores];
  }

  /** Asks again until there is a catalog, as an agent does after an answer 503. */
  override async checkIn(node: NodeModel, facts: ChaosFacts, isAtRest = false): Promise<Buffer | null> {
    const began = performance.now();
    for (;;) {
      const bytes = await super.checkIn(node, facts, isAtRest);
      const waitedMs = performance.now() - began;
      this.longestWaitMs = Math.max(this.longestWaitMs, waitedMs);
      if (bytes !== null || waitedMs > GIVE_UP_MS || this.#world.violations.length > 0) return bytes;
      await pause(RETRY_MS);
    }
  }

  override async deploy(): Promise<boolean> {
    const { figures, log, repo } = this.#world;
    const versions = repo.newest;
    figures.deploys += 1;
    log.note(`deploy > ${[...versions].map(([file, version]) => `${file}=${version}`).join(', ')}`);
    try {
      await deployFolder(this.#stores, repo.directory, 'production', 'servers');
    } catch (error) {
      log.note(`deploy < ${error}`);
      return false;
    }
    log.note('deploy < done');
    figures.deploysAcknowledged += 1;
    this.#world.noteDeployed(versions);
    return true;
  }
}
