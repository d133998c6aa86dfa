import { symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import { environmentsOf, NoSuchEnvironment } from '../../../../shared/fleet/code/scan-environment.ts';
import { processCompileJob } from '../../../../shared/fleet/compiles/process-compile-job.ts';
import { feed } from '../../../../shared/fleet/compiles/ring.ts';
import { removeEnvironment } from '../../../../shared/fleet/fan-out/remove-environment.ts';
import { loadSnapshot } from '../../../../shared/fleet/snapshots/snapshot-cache.ts';
import { StoreUnavailable } from '../../../../shared/store/ports/store-errors.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';
import { deployFolder } from '../../../helpers/deploy-folder.ts';
import { intercept } from '../../../helpers/intercept.ts';

const NODES = ['one.example.com', 'two.example.com', 'three.example.com'] as const;
const [ONE, TWO] = NODES;
let world: CompileWorld;
beforeEach(async () => {
  world = new CompileWorld();
  for (const certname of NODES) world.addScript(certname, { files: ['data/common.yaml', `data/${certname}.yaml`] });
  world.write({ 'environments/production/data/common.yaml': 'v: 1' });
});
afterEach(() => world.close());

const start = async () => {
  await world.deploy();
  for (const certname of NODES) await world.run(checkIn(certname));
  world.compiler.compiled.length = 0;
};
const afterWork = async () => {
  await world.runJobs();
  return world.compiler.compiled.toSorted();
};

describe('times of files', () => {
  const file = 'environments/production/modules/m/files/big.bin';
  const setTime = (time: string) => utimesSync(join(world.repo, file), new Date(time), new Date(time));
  const deployedTime = async () => {
    const record = await world.stores.environments.get('production');
    const { times } = await loadSnapshot(world.stores.blobs, record?.codeId ?? '');
    return new Date((times?.[file] ?? 0) * 1000).toISOString();
  };

  it('are those of the source, and stay while the content does', async () => {
    world.write({ [file]: 'one' });
    setTime('2020-01-02T00:00:00Z');
    await world.deploy();
    expect(await deployedTime()).toBe('2020-01-02T00:00:00.000Z');
    world.write({ [file]: 'one', 'environments/production/manifests/site.pp': '# changed' });
    await world.deploy();
    expect(await deployedTime()).toBe('2020-01-02T00:00:00.000Z');
    world.write({ [file]: 'two' });
    setTime('2021-01-02T00:00:00Z');
    await world.deploy();
    expect(await deployedTime()).toBe('2021-01-02T00:00:00.000Z');
  });

  it('are those of its first deploy for code that comes again', async () => {
    for (const [content, time] of [
      ['one', '2020'],
      ['two', '2021'],
      ['one', '2022'],
    ] as const) {
      world.write({ [file]: content });
      setTime(`${time}-01-02T00:00:00Z`);
      await world.deploy();
    }
    expect(await deployedTime()).toBe('2020-01-02T00:00:00.000Z');
  });
});

describe('a deploy', () => {
  it('takes the environment, the shared modules and the global hiera.yaml', async () => {
    world.write({
      'environments/production/environment.conf': '',
      'environments/production/.git/config': 'x',
      'environments/other/manifests/site.pp': '',
      'modules/shared/manifests/init.pp': 'class shared {}',
      'hiera.yaml': 'version: 5',
    });
    const { codeId, files, changed } = await world.deploy();
    const snapshot = await loadSnapshot(world.stores.blobs, codeId);
    expect(Object.keys(snapshot.files).sort()).toEqual([
      'environments/production/data/common.yaml',
      'environments/production/environment.conf',
      ...NODES.map((certname) => `environments/production/manifests/${certname}.json`).sort(),
      'hiera.yaml',
      'modules/shared/manifests/init.pp',
    ]);
    expect({ files, changed }).toEqual({ files: 7, changed: true });
    expect(await world.stores.environments.get('production')).toMatchObject({
      codeId,
      by: 'test',
      revision: 1,
      settled: 1,
      history: [],
    });
  });

  it('of what is deployed already changes nothing', async () => {
    const first = await world.deploy();
    const before = await world.stores.environments.get('production');
    expect(await world.deploy()).toEqual({ ...first, changed: false, nodes: [] });
    expect(await world.stores.environments.get('production')).toEqual(before);
  });

  it('follows symbolic links, but not in circles', async () => {
    world.write({
      'elsewhere/apache/manifests/init.pp': 'class apache {}',
      'environments/production/modules/own/metadata.json': '{}',
    });
    symlinkSync(join(world.repo, 'elsewhere/apache'), join(world.repo, 'environments/production/modules/apache'));
    symlinkSync(
      join(world.repo, 'environments/production'),
      join(world.repo, 'environments/production/modules/circle'),
    );
    symlinkSync('/nowhere', join(world.repo, 'environments/production/modules/dangling'));
    const { codeId } = await world.deploy();
    const paths = Object.keys((await loadSnapshot(world.stores.blobs, codeId)).files);
    expect(paths).toContain('environments/production/modules/apache/manifests/init.pp');
    expect(paths.filter((path) => path.includes('circle') || path.includes('dangling'))).toEqual([]);
  });

  it('takes a repo that is one environment itself', async () => {
    const { environment, files } = await deployFolder(
      world.stores,
      join(world.repo, 'environments/production'),
      'production',
      'test',
    );
    expect({ environment, files }).toEqual({ environment: 'production', files: 4 });
    expect(environmentsOf(join(world.repo, 'environments/production'))).toEqual(['production']);
    expect(environmentsOf(world.repo)).toEqual(['production']);
  });

  it.each([
    [
      'staging',
      (repo: string) =>
        `control repo '${repo}' has no environment 'staging': ${repo}/environments/staging is not a directory`,
    ],
  ])('of an environment that is not there names it', async (name, message) => {
    await expect(deployFolder(world.stores, world.repo, name, 'test')).rejects.toThrow(
      new NoSuchEnvironment(message(world.repo)),
    );
    await expect(deployFolder(world.stores, '/nowhere', name, 'test')).rejects.toThrow(
      new NoSuchEnvironment("control repo '/nowhere' is not a directory"),
    );
  });
});

describe('a deploy reaches', () => {
  beforeEach(start);

  it.each([
    ['a file that all use', { 'data/common.yaml': 'v: 2' }, [...NODES].sort()],
    ['a file that one uses', { [`manifests/${ONE}.json`]: '{}' }, [ONE]],
    ['a file that one looked for in vain', { [`data/${TWO}.yaml`]: 'x: 1' }, [TWO]],
    ['a file that nobody used', { 'manifests/unused.pp': '' }, []],
    ['a file that is gone', { 'data/common.yaml': null }, [...NODES].sort()],
    ['environment.conf', { 'environment.conf': 'manifest = x' }, [...NODES].sort()],
  ])('%s', async (_, files, compiled) => {
    world.write(
      Object.fromEntries(Object.entries(files).map(([path, text]) => [`environments/production/${path}`, text])),
    );
    expect([...(await world.deploy()).nodes].sort()).toEqual(compiled);
    expect(await afterWork()).toEqual(compiled);
  });

  it('nobody of another environment', async () => {
    world.addScript(ONE, {}, 'staging');
    await world.deploy('staging');
    expect(await afterWork()).toEqual([]);
    expect((await world.run(checkIn(ONE, {}, { environment: 'staging' }))).status).toBe('current');
    world.write({ 'environments/production/data/common.yaml': 'v: 2' });
    expect((await world.deploy()).nodes.toSorted()).toEqual(NODES.filter((certname) => certname !== ONE).toSorted());
  });

  it('a node that was compiled between two deploys, though the file is as it was at first', async () => {
    const { environments } = world.stores;
    const down = intercept(environments, { settle: () => Promise.reject(new StoreUnavailable('down')) });
    const unsettled = { ...world.stores, environments: down };
    world.write({ 'environments/production/data/common.yaml': 'v: 2' });
    await expect(deployFolder(unsettled, world.repo, 'production', 'test')).rejects.toThrow('down');
    await world.runJobs();
    world.write({ 'environments/production/data/common.yaml': 'v: 1' });
    await world.deploy();
    await world.runJobs();
    expect(catalogOf(await answerCheckIn(world.createService(), checkIn(ONE)))['data/common.yaml']).toBe('v: 1');
  });

  it('all nodes when it is cut short, by way of the feeder', async () => {
    world.write({ 'environments/production/data/common.yaml': 'v: 2' });
    const { dependencies } = world.stores;
    const down = intercept(dependencies, { findParts: () => Promise.reject(new StoreUnavailable('down')) });
    const cut = { ...world.stores, dependencies: down };
    await expect(deployFolder(cut, world.repo, 'production', 'test')).rejects.toThrow('down');
    expect(await afterWork()).toEqual([]);
    expect((await feed(world.stores)).settled).toEqual(['production']);
    expect(await afterWork()).toEqual([...NODES].sort());
  });

  it('nodes whose environment is removed, and again when it is back', async () => {
    expect((await removeEnvironment(world.stores, 'production')).toSorted()).toEqual([...NODES].sort());
    await world.runJobs();
    expect(await answerCheckIn(world.createService(), checkIn(ONE))).toMatchObject({ status: 'failed' });
    expect((await world.deploy()).nodes.toSorted()).toEqual([...NODES].sort());
    await world.runJobs();
    expect((await answerCheckIn(world.createService(), checkIn(ONE))).status).toBe('current');
  });
});

describe('the removal of an environment that is cut short', () => {
  beforeEach(start);

  /** The store is away after so many nodes were invalidated. */
  async function cutAfter(invalidated: number): Promise<void> {
    const { nodes } = world.stores;
    let left = invalidated;
    const broken = intercept(nodes, {
      want: async (...args: Parameters<typeof nodes.want>) => {
        if (left === 0) throw new StoreUnavailable('the store is away');
        left -= 1;
        return nodes.want(...args);
      },
    });
    const cut = removeEnvironment({ ...world.stores, nodes: broken }, 'production');
    await expect(cut).rejects.toThrow('the store is away');
    expect(await world.stores.environments.get('production')).toBeNull();
  }

  async function listReasons(): Promise<readonly string[]> {
    const found = await Promise.all(NODES.map((certname) => world.stores.nodes.get(certname)));
    return found.flatMap((node) => node?.reasons.filter((reason) => reason === 'environment production removed') ?? []);
  }

  it.each([
    ['by the feeder', () => feed(world.stores)],
    ['by another call', () => removeEnvironment(world.stores, 'production')],
  ])('is finished %s, and invalidates no node twice', async (_, resume) => {
    await cutAfter(1);
    await resume();
    expect(await listReasons()).toHaveLength(NODES.length);
    await feed(world.stores);
    expect(await listReasons()).toHaveLength(NODES.length);
    expect(await world.stores.documents.list('environment-removals', '', 10)).toEqual([]);
  });

  it('removes no environment that was deployed again meanwhile', async () => {
    await cutAfter(0);
    await world.deploy();
    await feed(world.stores);
    expect(await world.stores.environments.get('production')).not.toBeNull();
    expect(await listReasons()).toEqual([]);
  });
});

describe('the race of a deploy and a compile', () => {
  it('does not let a compile commit what the deploy made out of date', async () => {
    await world.deploy();
    const { nodes, dependencies } = world.stores;
    let deploys = 0;
    const racing = intercept(dependencies, {
      register: async (registration) => {
        if (deploys === 0) {
          deploys += 1;
          world.write({ 'environments/production/data/common.yaml': 'v: 2' });
          await world.deploy();
        }
        return dependencies.register(registration);
      },
    });
    await nodes.markSeen(ONE, 'production', 1);
    await nodes.want(ONE, 'x', 1, { asked: true });
    const job = { certname: ONE, generation: 1, reason: 'x', at: 0 };
    await processCompileJob(job, { ...world.context, stores: { ...world.stores, dependencies: racing } });
    expect(world.compiler.compiled).toEqual([ONE, ONE]);
    expect(catalogOf(await world.run(checkIn(ONE)))['data/common.yaml']).toBe('v: 2');
  });

  it('invalidates a node that registered before the deploy looked', async () => {
    await world.deploy();
    const { environments, nodes } = world.stores;
    let reads = 0;
    let invalidated: readonly string[] = [];
    const racing = intercept(environments, {
      get: async (name) => {
        const environment = await environments.get(name);
        reads += 1;
        if (reads === 2) {
          world.write({ 'environments/production/data/common.yaml': 'v: 2' });
          invalidated = (await world.deploy()).nodes;
        }
        return environment;
      },
    });
    await nodes.markSeen(ONE, 'production', 1);
    await nodes.want(ONE, 'x', 1, { asked: true });
    const job = { certname: ONE, generation: 1, reason: 'x', at: 0 };
    await processCompileJob(job, { ...world.context, stores: { ...world.stores, environments: racing } });
    expect(invalidated).toEqual([ONE]);
    expect(await nodes.get(ONE)).toMatchObject({ wanted: 2, built: 2, compiles: 2 });
    expect(catalogOf(await answerCheckIn(world.createService(), checkIn(ONE)))['data/common.yaml']).toBe('v: 2');
  });
});

it('work grows with the change: one node file of many nodes costs one look at one set', async () => {
  await start();
  const touched = await world.stores.dependencies.findOwners('production', [
    `environments/production/data/${TWO}.yaml`,
  ]);
  expect(touched).toEqual([TWO]);
});
