import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SeededChance } from '../fuzz/seeded-chance.ts';
import { findFreePort } from '../helpers/free-port.ts';
import { ChaosCampaign } from './chaos-campaign.ts';
import { createClients, type PreparedClients } from './chaos-clients.ts';
import { type ChaosFigures, ChaosWorld, createFigures } from './chaos-world.ts';
import type { PlantedBug } from './plant-bug.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** Kills in each half of a campaign. */
  readonly lives: number;
  /** Campaigns begin until then, by `performance.now()`; there is at least one. */
  readonly until: number;
  /** The file for the log of a campaign with violations. */
  readonly logFile: string;
  /** A bug that is planted in the server: the run must find violations. */
  readonly bug?: PlantedBug | undefined;
}

export interface ChaosResult {
  readonly figures: ChaosFigures;
  readonly campaigns: number;
  readonly violations: readonly string[];
}

/**
 * Runs campaigns until the time is over or one finds violations. A campaign is the life of one
 * fleet; its log is written when it finds any.
 */
export async function runChaos({ seed, until, logFile, ...options }: ChaosOptions): Promise<ChaosResult> {
  const figures = createFigures();
  const chance = new SeededChance(seed);
  for (let campaigns = 1; ; campaigns += 1) {
    const folder = mkdtempSync(join(tmpdir(), 'understudy-chaos-'));
    try {
      const campaign = await openCampaign(folder, chance, figures, options);
      try {
        await campaign.run();
      } finally {
        await campaign.close();
      }
      const { violations, log } = campaign.world;
      if (violations.length > 0) log.write(logFile);
      if (violations.length > 0 || performance.now() >= until) return { figures, campaigns, violations };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

async function openCampaign(
  folder: string,
  chance: SeededChance,
  figures: ChaosFigures,
  { lives, bug }: Pick<ChaosOptions, 'lives' | 'bug'>,
): Promise<ChaosCampaign> {
  const place = {
    data: join(folder, 'data'),
    controlRepo: join(folder, 'control-repo'),
    compileCache: process.env.NODE_COMPILE_CACHE ?? join(folder, 'compile-cache'),
    port: await findFreePort(),
    bug,
  };
  const world = new ChaosWorld(place.controlRepo, figures);
  const clients: PreparedClients = await createClients(
    place.data,
    world.nodes.map(({ certname }) => certname),
  );
  return new ChaosCampaign(world, clients, place, chance, { lives });
}
