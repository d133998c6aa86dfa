import { ScanCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openAwsStores } from '../../../shared/store/aws/stores.ts';
import type { InputSummary } from '../../../shared/store/ports/node-record.ts';
import type { Stores } from '../../../shared/store/ports/stores.ts';
import { deployNames, type Emulators, startEmulators } from '../../helpers/aws-emulators.ts';

const PATHS = ['environments/production/manifests/site.pp', 'hiera.yaml'];
let emulators: Emulators;
let stores: Stores;
let table: string;

beforeAll(async () => {
  emulators = await startEmulators();
});
afterAll(() => emulators.close());
beforeEach(async () => {
  const names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
  table = names.UNDERSTUDY_DEPENDENCIES_TABLE ?? '';
  stores = openAwsStores(names, emulators.clients);
});

async function rows(): Promise<number> {
  const { Items = [] } = await emulators.clients.dynamodb.send(new ScanCommand({ TableName: table }));
  return Items.length;
}

async function register(certname: string, generation: number, id: string): Promise<void> {
  await stores.nodes.register({ certname, generation, environment: 'production', id, paths: PATHS });
}

async function compiled(certname: string, generation: number, id: string): Promise<void> {
  const { nodes } = stores;
  await nodes.markSeen(certname, 'production', 1);
  await nodes.want(certname, 'x', 1, { asked: true });
  await register(certname, generation, id);
  const inputs: InputSummary = {
    environment: 'production',
    compiler: 'c',
    facts: {},
    trusted: {},
    settings: {},
    dependencySet: id,
    collectors: [],
    collected: '',
    volatile: [],
  };
  await nodes.commit({ certname, generation, catalog: null, failure: null, inputs, at: 2 });
}

const dependants = () => stores.nodes.findDependants('production', PATHS);

it('takes a set away with its last member, and only then', async () => {
  await compiled('a', 1, 'set-1');
  await compiled('b', 1, 'set-1');
  expect(await rows()).toBe(5);
  await stores.nodes.delete('a');
  expect([await rows(), await dependants()]).toEqual([4, ['b']]);
  await stores.nodes.delete('b');
  expect([await rows(), await dependants()]).toEqual([0, []]);
});

it('takes a set away that no node has any more, when it is met', async () => {
  await compiled('a', 1, 'set-1');
  await compiled('a', 2, 'set-2');
  expect(await rows()).toBe(8);
  expect([await dependants(), await rows()]).toEqual([['a'], 4]);
});

it('loses no member that registers while the set is taken away', async () => {
  for (let round = 0; round < 20; round += 1) {
    await compiled(`old-${round}`, 1, 'set-1');
    await stores.nodes.markSeen(`new-${round}`, 'production', 1);
    await Promise.all([stores.nodes.delete(`old-${round}`), register(`new-${round}`, 1, 'set-1')]);
    expect(await dependants()).toEqual([`new-${round}`]);
    await stores.nodes.delete(`new-${round}`);
    await dependants();
  }
  expect(await rows()).toBe(0);
});
