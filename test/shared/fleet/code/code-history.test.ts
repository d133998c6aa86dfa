import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeHistory, diffDeployed, findDeployed, rollBack } from '../../../../shared/fleet/code/code-history.ts';
import { NoSuchEnvironment, scanEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';
import { NoSuchCode } from '../../../../shared/fleet/snapshots/no-such-code.ts';
import { CompileWorld, checkIn } from '../../../helpers/compile-world.ts';
import { previewScanned } from '../../../helpers/deploy-folder.ts';

const DATA = 'environments/production/data';
let world: CompileWorld;

beforeEach(() => {
  world = new CompileWorld();
});
afterEach(() => world.close());

/** Two nodes, each with a data file of its own, at the first of two states. */
async function twoNodes(): Promise<readonly [first: string, second: string]> {
  for (const name of ['a', 'b']) {
    world.write({ [`${DATA}/${name}.yaml`]: 'x: 1\n' });
    world.addScript(`${name}.example.com`, { files: [`data/${name}.yaml`] });
  }
  const first = await world.deploy();
  for (const name of ['a', 'b']) await world.run(checkIn(`${name}.example.com`));
  world.write({ [`${DATA}/a.yaml`]: 'x: 2\n', [`${DATA}/c.yaml`]: 'x: 1\n' });
  const second = await world.deploy();
  await world.runJobs();
  return [first.codeId, second.codeId];
}

describe('a preview', () => {
  it('lists the files that would change and the nodes that use them, and deploys nothing', async () => {
    const [, second] = await twoNodes();
    world.write({ [`${DATA}/a.yaml`]: null, [`${DATA}/b.yaml`]: 'x: 3\n' });
    const preview = await previewScanned(world.stores, await scanEnvironment(world.repo, 'production'));
    expect(preview).toMatchObject({
      environment: 'production',
      changes: { added: [], changed: [`${DATA}/b.yaml`], removed: [`${DATA}/a.yaml`] },
      nodes: ['a.example.com', 'b.example.com'],
    });
    expect((await world.stores.environments.get('production'))?.codeId).toBe(second);
    expect((await world.deploy()).codeId).toBe(preview.codeId);
  });
});

describe('the difference of two states', () => {
  it('is that of the last deploy, unless it is told which', async () => {
    const [first, second] = await twoNodes();
    const forth = await diffDeployed(world.stores, 'production', null, null);
    expect(forth.codeId).toBe(second);
    expect(forth.changes).toEqual({ added: [`${DATA}/c.yaml`], changed: [`${DATA}/a.yaml`], removed: [] });
    expect(forth.nodes).toEqual(['a.example.com']);
    const back = await diffDeployed(world.stores, 'production', second.slice(0, 8), first.slice(0, 8));
    expect(back.changes).toEqual({ added: [], changed: [`${DATA}/a.yaml`], removed: [`${DATA}/c.yaml`] });
  });
});

describe('a rollback', () => {
  it('puts the state before in force and has the nodes compiled that it touches', async () => {
    const [first, second] = await twoNodes();
    const report = await rollBack(world.stores, 'production', null, 'operator');
    expect(report).toMatchObject({ codeId: first, changed: true, nodes: ['a.example.com'] });
    const jobs = await world.runJobs();
    expect(jobs.map(({ certname }) => certname)).toEqual(['a.example.com']);
    const states = await codeHistory(world.stores, 'production');
    expect(states.map(({ codeId, by }) => [codeId, by])).toEqual([
      [first, 'operator'],
      [second, 'test'],
      [first, 'test'],
    ]);
  });

  it('to what is in force touches nothing', async () => {
    const [, second] = await twoNodes();
    expect(await rollBack(world.stores, 'production', second, 'operator')).toMatchObject({ changed: false, nodes: [] });
  });
});

describe('a code id', () => {
  it('must be one that the environment had', async () => {
    const [first] = await twoNodes();
    expect((await findDeployed(world.stores, 'production', first.slice(0, 6).toUpperCase())).codeId).toBe(first);
    await expect(findDeployed(world.stores, 'production', 'ffffffffff')).rejects.toThrow(
      new NoSuchCode("environment 'production' had no code 'ffffffffff'; 'code list production' lists its history"),
    );
    await expect(findDeployed(world.stores, 'production', '')).rejects.toThrow(
      expect.objectContaining({
        name: 'NoSuchCode',
        message: expect.stringMatching(/^environment 'production': '' begins several ids: [0-9a-f]{12}, [0-9a-f]{12}$/),
      }),
    );
  });

  it('before the first deploy there is none', async () => {
    await expect(rollBack(world.stores, 'production', null, 'x')).rejects.toThrow(
      new NoSuchEnvironment("there is no environment 'production'"),
    );
    world.write({ [`${DATA}/a.yaml`]: 'x: 1\n' });
    await world.deploy();
    await expect(rollBack(world.stores, 'production', null, 'x')).rejects.toThrow(
      new NoSuchCode("environment 'production' has no earlier code"),
    );
  });
});
