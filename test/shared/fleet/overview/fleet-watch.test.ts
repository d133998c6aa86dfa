import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { FleetEvent } from '../../../../shared/fleet/overview/fleet-events.ts';
import { CONSOLE_CONSUMER, FleetWatch } from '../../../../shared/fleet/overview/fleet-watch.ts';
import { readNodeState } from '../../../../shared/fleet/overview/read-node-state.ts';
import { storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import { createFleetQuery } from '../../../helpers/fleet-query.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';

const clock = new ManualClock();
let folder: string;
let stores: EmbeddedStores;
let events: FleetEvent[];
let watch: FleetWatch;

function open(): FleetWatch {
  events = [];
  return new FleetWatch(stores, {
    changes: stores.nodeChanges,
    publish: (event) => events.push(event),
    reportFailure: (message, cause) => {
      throw new Error(message, { cause });
    },
  });
}

const RUN = {
  status: 'failed',
  environment: 'production',
  time: null,
  puppetVersion: null,
  transactionUuid: 'u-1',
  noop: false,
};
const catalog = (hash: string) => ({
  hash,
  codeId: null,
  namedCode: [],
  compiledAt: clock.now(),
  durationMs: 1,
  exported: '',
});

async function compile(certname: string, generation: number): Promise<void> {
  const commit = { certname, generation, failure: null, inputs: NO_INPUTS, at: clock.now() };
  await stores.nodes.commit({ ...commit, catalog: catalog(`hash${generation}`) });
}

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'understudy-watch-'));
  stores = openEmbeddedStores(folder, { clock });
  for (const name of ['a', 'b']) {
    await stores.nodes.markSeen(name, 'production', clock.now());
    await stores.nodes.want(name, 'first catalog', clock.now(), { asked: true });
    await compile(name, 1);
  }
  watch = open();
  await watch.step();
});

afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

const states = () => events.flatMap((event) => (event.kind === 'node' ? [`${event.certname} ${event.state}`] : []));

it('shows all nodes after the first look, and tells nothing of it', () => {
  const { view, asOf } = watch.shown;
  expect([view.size, asOf, events]).toEqual([2, clock.now(), []]);
});

it('tells that a node is stale, then that it is current', async () => {
  await stores.nodes.want('a', 'site.pp changed', clock.now(), { asked: true });
  await watch.step();
  expect(states()).toEqual(['a stale']);
  await compile('a', 2);
  await watch.step();
  expect(states()).toEqual(['a stale', 'a current']);
  await watch.step();
  expect(events.length).toBe(2);
});

it('says of each node what its record and its newest report say', async () => {
  const at = clock.now();
  await stores.nodes.markSeen('new', 'production', at);
  await stores.nodes.want('a', 'site.pp changed', at, { asked: true });
  const failure = { message: 'unknown variable', at, codeId: null };
  await stores.nodes.want('b', 'site.pp changed', at, { asked: true });
  await stores.nodes.commit({ certname: 'b', generation: 2, catalog: null, failure, inputs: NO_INPUTS, at });
  for (const certname of ['volatile', 'failing', 'silent']) {
    await stores.nodes.markSeen(certname, 'production', at);
    await stores.nodes.want(certname, 'first catalog', at, { asked: true });
    const inputs = { ...NO_INPUTS, volatile: ['time() at site.pp:1'] };
    await stores.nodes.commit({ certname, generation: 1, catalog: catalog('v'), failure: null, inputs, at });
  }
  clock.time += 3600_001;
  for (const certname of ['a', 'b', 'new', 'volatile'])
    await stores.nodes.markSeen(certname, 'production', clock.now());
  await storeReport(stores, { ...RUN, certname: 'failing', receivedAt: clock.now() }, new Uint8Array(), {
    kept: 5,
    days: 5,
  });
  await stores.nodeChanges.forget(CONSOLE_CONSUMER);
  const view = open();
  await view.step();
  const found = [];
  for (const { certname, state, runStatus } of view.shown.view.list(createFleetQuery(), clock.now()).nodes) {
    const record = await stores.nodes.get(certname);
    if (record === null) throw new Error('a node of the list has a record');
    expect(await readNodeState(record, stores)).toEqual({ state, reportStatus: runStatus });
    found.push(`${certname} ${state} ${runStatus}`);
  }
  expect(found).toEqual([
    'a stale null',
    'b failing null',
    'failing failing failed',
    'new new null',
    'silent silent null',
    'volatile volatile null',
  ]);
});

it('tells of new nodes, reports, and nodes that are gone', async () => {
  await stores.nodes.markSeen('c', 'production', clock.now());
  await watch.step();
  await storeReport(stores, { ...RUN, certname: 'c', receivedAt: clock.now() }, new Uint8Array(), { kept: 5, days: 5 });
  await watch.step();
  await stores.nodes.delete('c');
  await watch.step();
  expect(states()).toEqual(['c new', 'c failing', 'c null']);
  expect(events.find(({ kind }) => kind === 'report')).toEqual({
    kind: 'report',
    certname: 'c',
    status: 'failed',
    noop: false,
    transactionUuid: 'u-1',
  });
  // Another process, which begins to look now, finds the failed run of a node in the store.
  await stores.nodes.markSeen('c', 'production', clock.now());
  const other = open();
  await stores.nodeChanges.forget(CONSOLE_CONSUMER);
  await other.step();
  expect(other.shown.view.get('c')).toMatchObject({ runStatus: 'failed' });
});

it('tells of deploys and of certificate requests', async () => {
  const record = { name: 'production', codeId: 'c1', deployedAt: 5, by: 'vera', settled: 0, history: [] };
  await stores.environments.replace({ ...record, revision: 1 }, null);
  await stores.documents.put('certificate-requests', 'new.example.com', { pem: 'x' });
  await watch.step();
  await stores.environments.settle('production', 1);
  await watch.step();
  expect(events).toEqual([
    { kind: 'deploy', environment: 'production', codeId: 'c1', by: 'vera', isSettled: false },
    { kind: 'certificate-requests', waiting: 1 },
    { kind: 'deploy', environment: 'production', codeId: 'c1', by: 'vera', isSettled: true },
  ]);
  expect(watch.waitingRequests).toBe(1);
});

it('finds the last runs of the nodes of a list that came before the view, each once', async () => {
  const common = { environment: null, time: null, puppetVersion: null, noop: false };
  const run = { ...common, certname: 'a', receivedAt: clock.now(), status: 'changed', transactionUuid: 'u' };
  await storeReport(stores, run, new Uint8Array(), { kept: 9, days: 9 });
  watch = open();
  await watch.step();
  const { view } = watch.shown;
  const list = vi.spyOn(stores.documents, 'list');
  expect([view.get('a')?.runStatus, await watch.findRuns([...view.nodes()])]).toEqual([null, true]);
  expect([view.get('a')?.runStatus, view.get('b')?.runStatus]).toEqual(['changed', null]);
  const asked = list.mock.calls.length;
  expect([await watch.findRuns([...view.nodes()]), list.mock.calls.length]).toEqual([false, asked]);
});

it('looks for the last runs again after a store failed', async () => {
  const { view } = watch.shown;
  const list = vi.spyOn(stores.documents, 'list').mockRejectedValue(new Error('away'));
  expect(await watch.findRuns([...view.nodes()])).toBe(false);
  list.mockRestore();
  const sought = vi.spyOn(stores.documents, 'list');
  await watch.findRuns([...view.nodes()]);
  expect(sought).toHaveBeenCalledTimes(2);
});
