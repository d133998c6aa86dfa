import { expect, it, vi } from 'vitest';
import { digestSha256 } from '../../../../shared/util/digest.ts';
import { Simulation } from '../../../helpers/simulation.ts';

const SEEDS = Array.from({ length: Number(process.env.UNDERSTUDY_TEST_SEEDS ?? 12) }, (_, index) => index + 1);

/** How many packs workers found missing or damaged, with all seeds. */
let missingPacks = 0;
vi.spyOn(console, 'warn').mockImplementation(() => undefined);

it.each(SEEDS)('catalogs are right in the end, whatever happened at the same time: seed %i', async (seed) => {
  await expectRight(new Simulation(seed));
});

it.each(SEEDS)('a node has at most one job that no worker has, at any time: seed %i', async (seed) => {
  await expectRight(new Simulation(seed, { faults: 0, hasJumps: false }));
});

it.each(SEEDS.slice(0, 4))(
  'each node has the code that is in force for it, with stages, too: seed %i',
  async (seed) => {
    await expectRight(new Simulation(seed, { faults: 0.02, hasJumps: true, hasStages: true }));
  },
);

async function expectRight(simulation: Simulation): Promise<void> {
  await simulation.start();
  for (let round = 0; round < 15; round += 1) await simulation.runChaos();
  await simulation.runCalm();
  for (const { node, expected, exports } of await simulation.listVerdicts()) {
    expect(node.built).toBe(node.wanted);
    if (expected.status === 'failed') {
      expect(node.failure?.message).toBe(`${expected.error.message} on node ${node.certname}`);
      continue;
    }
    expect(node).toMatchObject({ failure: null, catalog: { hash: digestSha256(expected.catalog) } });
    expect(exports.filter(({ certname }) => certname === node.certname).map(({ title }) => title)).toEqual(
      expected.exported.map(({ title }) => title).sort(),
    );
  }
  missingPacks += simulation.missingPacks;
  simulation.close();
}

it('workers met packs that were missing or damaged meanwhile', () => {
  expect(missingPacks).toBeGreaterThan(0);
});
