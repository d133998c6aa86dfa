import { setTimeout as pause } from 'node:timers/promises';
import type { SeededChance } from '../fuzz/seeded-chance.ts';
import type { ChaosClient } from './chaos-client.ts';
import type { ChaosWorld } from './chaos-world.ts';
import type { NodeModel } from './node-model.ts';

/** The pause after a request without success, and while the server is being restarted. */
const PAUSE_MS = 20;
/** More edits let most deploys fail, because files change while they are deployed. */
const EDIT_SHARE = 0.12;

/** Acts until `signal` aborts: the decisions follow from `chance` alone. */
export async function runAgent(
  world: ChaosWorld,
  client: ChaosClient,
  chance: SeededChance,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    if (!world.isServerUp) {
      await pause(PAUSE_MS);
      continue;
    }
    if (chance.often(EDIT_SHARE)) {
      editFiles(world, chance);
      if (chance.often(0.8) && !(await client.deploy())) await pause(PAUSE_MS);
      continue;
    }
    const node = world.takeNode(chance);
    if (node === null) {
      await pause(PAUSE_MS);
      continue;
    }
    try {
      if (!(await act(world, node, client, chance))) await pause(PAUSE_MS);
    } finally {
      node.isBusy = false;
    }
  }
}

function editFiles({ repo }: ChaosWorld, chance: SeededChance): void {
  for (let left = 1 + chance.below(3); left > 0; left -= 1) repo.edit(chance.of(repo.files), chance.often(0.5));
}

async function act({ repo }: ChaosWorld, node: NodeModel, client: ChaosClient, chance: SeededChance): Promise<boolean> {
  const way = chance.next();
  const facts = node.makeFacts(chance.often(0.5), chance.often(0.4));
  if (way < 0.5) return (await client.checkIn(node, facts)) !== null;
  if (way < 0.7) return (await client.checkIn(node, node.facts.accepted)) !== null;
  if (way < 0.85) await client.putFacts(node, facts);
  else await client.move(node, chance.of(repo.groups));
  return !node.facts.isUncertain;
}
