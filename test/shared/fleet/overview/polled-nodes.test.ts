import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FleetEvent } from '../../../../shared/fleet/overview/fleet-events.ts';
import { FleetWatch } from '../../../../shared/fleet/overview/fleet-watch.ts';
import { storeQuietRun, storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import type { DocumentStore } from '../../../../shared/store/ports/document-store.ts';
import type { NodeStore } from '../../../../shared/store/ports/node-store.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';
import { NO_INPUTS } from '../../../helpers/no-inputs.ts';

const MINUTE = 60_000;
let clock: ManualClock;
let folder: string;
let stores: EmbeddedStores;
let events: FleetEvent[];
/** Calls, and nodes, marks or documents in their answers, since the last `takeCounts`. */
let counts: Record<string, number>;

/** Counts the calls and what they give. */
function counted<T extends NodeStore | DocumentStore>(store: T): T {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]) => {
        const answer: unknown = await Reflect.apply(method, target, given);
        const rows: unknown = Object(answer).marks ?? answer;
        counts.calls = (counts.calls ?? 0) + 1;
        counts.rows = (counts.rows ?? 0) + (Array.isArray(rows) ? rows.length : 1);
        return answer;
      };
    },
  });
}

function takeCounts(): Readonly<Record<string, number>> {
  const taken = counts;
  counts = { calls: 0, rows: 0 };
  return taken;
}

function open(): FleetWatch {
  const ports = { ...stores, nodes: counted(stores.nodes), documents: counted(stores.documents) };
  return new FleetWatch(ports, {
    changes: null,
    publish: (event) => events.push(event),
    reportFailure: (message, cause) => expect.fail(`${message}: ${cause}`),
  });
}

async function compile(certname: string, generation: number): Promise<void> {
  const catalog = {
    hash: `h${generation}`,
    codeId: null,
    namedCode: [],
    compiledAt: clock.now(),
    durationMs: 1,
    exported: '',
  };
  await stores.nodes.commit({ certname, generation, catalog, failure: null, inputs: NO_INPUTS, at: clock.now() });
}

async function addNodes(count: number): Promise<void> {
  for (let index = 0; index < count; index += 1) await addNode(`n${index}`);
}

async function addNode(certname: string): Promise<void> {
  await stores.nodes.markSeen(certname, 'production', clock.now());
  await stores.nodes.want(certname, 'first catalog', clock.now(), { asked: true });
  await compile(certname, 1);
}

const summaryOf = (certname: string, status: string) => ({
  ...{ certname, status, receivedAt: clock.now(), environment: 'production', time: null, puppetVersion: null },
  ...{ transactionUuid: `u-${clock.now()}`, noop: false },
});
const report = (certname: string, status: string) =>
  storeReport(stores, summaryOf(certname, status), new Uint8Array(), { kept: 5, days: 5 });

/** Watches for so long, at the pace of the watch. */
async function pass(watch: FleetWatch, milliseconds: number): Promise<void> {
  for (let left = milliseconds; left > 0; left -= 5000) {
    clock.time += 5000;
    await watch.step();
  }
}

const told = () =>
  events.splice(0).map((event) => ('certname' in event ? `${event.certname} ${stateOf(event)}` : event.kind));
const stateOf = (event: FleetEvent) =>
  'state' in event ? event.state : 'status' in event ? `ran: ${event.status}` : '';

beforeEach(() => {
  clock = new ManualClock();
  folder = mkdtempSync(join(tmpdir(), 'understudy-polled-'));
  stores = openEmbeddedStores(folder, { clock });
  [events, counts] = [[], {}];
});

afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

describe('without a log of changes', () => {
  it('tells within seconds which nodes are new, stale, compiled, and which ran', async () => {
    await addNodes(2);
    const watch = open();
    await watch.step();
    expect(watch.shown.view.size).toBe(2);
    await stores.nodes.want('n0', 'site.pp changed', clock.now(), { asked: true });
    await stores.nodes.markSeen('n9', 'production', clock.now());
    await pass(watch, 5000);
    expect(told().sort()).toEqual(['n0 stale', 'n9 new']);
    await compile('n0', 2);
    await pass(watch, 5000);
    expect(told()).toEqual(['n0 current']);
    await report('n1', 'failed');
    await pass(watch, 15_000);
    expect(told()).toEqual(['n1 ran: failed', 'n1 failing']);
    await pass(watch, 5 * MINUTE);
    expect(told()).toEqual([]);
  });

  it('takes a node for silent only after it asked the store, and sees it come back', async () => {
    await addNodes(2);
    const watch = open();
    await watch.step();
    for (let half = 0; half < 3; half += 1) {
      await pass(watch, 30 * MINUTE);
      await stores.nodes.markSeen('n0', 'production', clock.now());
    }
    expect(watch.shown.view.countStates(clock.now())).toMatchObject({ current: 1, silent: 1 });
    await stores.nodes.markSeen('n1', 'production', clock.now());
    await pass(watch, 60 * MINUTE);
    expect(told()).toEqual(['n1 current']);
  });

  it('finds nodes that are gone, and failed ones that ran well without a report', async () => {
    await addNodes(2);
    await report('n1', 'failed');
    const watch = open();
    await watch.step();
    expect(watch.shown.view.get('n1')?.runStatus).toBe('failed');
    clock.time += MINUTE;
    await storeQuietRun(stores, { ...summaryOf('n1', 'unchanged'), quiet: {} });
    await pass(watch, MINUTE);
    expect(told()).toEqual(['n1 ran: unchanged', 'n1 current']);
    await stores.nodes.delete('n0');
    await pass(watch, 60 * MINUTE);
    expect(told().filter((one) => one.startsWith('n0'))).toEqual(['n0 null']);
  });

  it('goes on where it was when more changed than one turn reads', async () => {
    const watch = open();
    await watch.step();
    for (let index = 0; index < 9000; index += 1) {
      clock.time += 1;
      await stores.nodes.markSeen(`n${index}`, 'production', clock.now());
    }
    await pass(watch, 5000);
    const first = watch.shown.view.size;
    await pass(watch, 15_000);
    expect([first, watch.shown.view.size]).toEqual([4000, 9000]);
  }, 60_000);
});

describe('what a watch of ten minutes reads', () => {
  it('follows what changed, not how many nodes or viewers there are', { timeout: 60_000 }, async () => {
    const quiet: unknown[] = [];
    const busy: unknown[] = [];
    let size = 0;
    for (const fleet of [250, 1000, 4000]) {
      for (; size < fleet; size += 1) await addNode(`n${size}`);
      const watch = open();
      await watch.step();
      // Compiles of the last minute are read once more.
      await pass(watch, 2 * MINUTE);
      takeCounts();
      for (let viewer = 0; viewer < 200; viewer += 1) watch.shown.view.countStates(clock.now());
      await pass(watch, 10 * MINUTE);
      quiet.push(takeCounts());
      for (let index = 0; index < 50; index += 1) {
        await stores.nodes.want(`n${index}`, 'site.pp changed', clock.now(), { asked: true });
      }
      await pass(watch, 5000);
      for (let index = 0; index < 50; index += 1)
        await compile(`n${index}`, (await stores.nodes.get(`n${index}`))?.wanted ?? 0);
      await pass(watch, 2 * MINUTE);
      busy.push(takeCounts());
      clock.time += 1;
    }
    expect(quiet).toEqual([quiet[0], quiet[0], quiet[0]]);
    expect(busy).toEqual([busy[0], busy[0], busy[0]]);
    // 120 turns of two indexes; 40 of them look for reports, in 64 shards, and for requests.
    expect(quiet[0]).toEqual({ calls: 120 * 2 + 40 * 65, rows: 40 });
    // 50 marks of stale nodes, and of compiled ones in 13 turns of a minute; two summaries of each.
    expect(busy[0]).toEqual({ calls: 25 * 2 + 8 * 65 + 2, rows: 50 + 13 * 50 + 2 * 50 + 8 });
  });
});
