import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CodeChanges } from '../../../../shared/fleet/overview/code-changes.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';

const FILE = 'environments/production/data/common.yaml';
const NODES = ['a1', 'b2', 'c3', 'd4', 'e5'];
let world: CompileWorld;

beforeEach(async () => {
  world = new CompileWorld();
  world.write({ [FILE]: 'x: 1\n' });
  for (const name of NODES) world.addScript(name, { files: ['data/common.yaml'] });
  await world.deploy();
  for (const name of NODES) await world.run(checkIn(name));
  world.write({ [FILE]: 'x: 2\n' });
  await world.deploy();
});

afterEach(() => world.close());

/** A clock on which a wait is over at once, or lasts. */
function changesWith(isLate: boolean): CodeChanges {
  const { clock } = world.stores;
  const sleep = (_: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      if (isLate) resolve();
      else signal?.addEventListener('abort', () => resolve());
    });
  return new CodeChanges({ ...world.stores, clock: { ...clock, now: () => 1, sleep } });
}

const pages = [
  [null, 2, ['a1', 'b2'], true],
  ['b2', 2, ['c3', 'd4'], true],
  ['b5', 3, ['c3', 'd4', 'e5'], false],
  ['e5', 3, [], false],
  [null, 9, NODES, false],
] as const;

describe('a page of the nodes that a change of code touches', () => {
  it.each(pages)('behind %s, at most %i, is of the list of all', async (after, limit, nodes, hasMore) => {
    const page = await changesWith(false).compare('production', null, null, { after, limit });
    expect(page).toMatchObject({ nodes, hasMore, total: NODES.length, changes: { changed: [FILE] } });
  });

  it.each(pages)('behind %s, at most %i, is read alone before all are known', async (after, limit, nodes, hasMore) => {
    const page = await changesWith(true).compare('production', null, null, { after, limit });
    expect(page).toMatchObject({ nodes, hasMore, total: null });
  });
});
