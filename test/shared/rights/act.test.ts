import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deployFiles } from '../../helpers/http-services.ts';
import { ActingWorld, type CodeIds } from '../../helpers/rights/acting-world.ts';
import { type SeededFleet, seedFleet } from '../../helpers/rights/operator-surface.ts';

const STEPS = 60;
const SEEDS = Number(process.env.RIGHTS_WALKS ?? 2);
/** A planted bug is found sooner or later. */
const MOST_SEEDS = 20;

let fleet: SeededFleet;
let codeIds: CodeIds;

beforeAll(async () => {
  fleet = await seedFleet();
  const { http } = fleet;
  const site = 'environments/staging/manifests/site.pp';
  await deployFiles(http, 'staging', { [site]: '# before' });
  await deployFiles(http, 'staging', { [site]: '' });
  codeIds = { production: fleet.codeId, staging: fleet.codeId };
  await fleet.keep();
});
afterAll(() => fleet.renew());

/** Disables one check. */
type Plant = (world: ActingWorld) => void;

/** The first right that the walker gained in these walks, or null. */
async function walkAll(seeds: number, plant: Plant = () => {}): Promise<string | null> {
  for (let seed = 1; seed <= seeds; seed += 1) {
    await fleet.renew();
    const world = new ActingWorld(fleet, seed);
    await world.begin();
    plant(world);
    for (let step = 0; step < STEPS; step += 1) {
      const found = await world.step(codeIds);
      if (found === null) continue;
      world.close();
      return `seed ${seed}: ${found}`;
    }
    world.close();
  }
  return null;
}

/** The walker seems to have all permissions of an object type. */
function permit(objectType: string): Plant {
  return ({ access, walker }) => {
    const real = access.permits.bind(access);
    access.permits = async (subject, wanted) =>
      (subject.id === walker && wanted.objectType === objectType) || real(subject, wanted);
  };
}

const TYPES = ['nodes', 'tasks', 'plans', 'puppet_agent', 'scheduled_jobs', 'environment', 'cert_requests'];

const PLANTS: Readonly<Record<string, Plant>> = {
  ...Object.fromEntries([...TYPES, 'node_groups', 'orchestrator'].map((type) => [`of ${type}`, permit(type)])),
  'of the last changer of a schedule'({ api }) {
    const { jobs } = api.world.stores;
    const real = jobs.commit.bind(jobs);
    jobs.commit = (kind, number, version, change, name) => {
      const { changer: _, ...body } = Object(change.body);
      return real(kind, number, version, { ...change, body }, name);
    };
  },
  'of who stops a job'({ api }) {
    api.jobs.rights.demandStop = async () => {};
  },
  'of who finishes a plan'({ api }) {
    api.jobs.rights.demandPlan = async () => {};
  },
  'of who finds nodes by a query'({ api }) {
    api.jobs.rights.demandScope = async () => {};
  },
  'of what a schedule becomes'({ api }) {
    api.jobs.rights.demandTask = async () => {};
  },
};

describe('a user without all permissions', () => {
  it('has no effect that he might not have directly', async () => expect(await walkAll(SEEDS)).toBeNull());

  it.each(Object.entries(PLANTS))('has one without the check %s', async (_, plant) => {
    expect(await walkAll(MOST_SEEDS, plant)).toMatch(/^seed \d+: /);
  });
});
