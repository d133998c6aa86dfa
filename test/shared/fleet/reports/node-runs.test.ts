import { beforeEach, describe, expect, it } from 'vitest';
import { storeQuietRun, storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { readNodeRuns } from '../../../../shared/fleet/reports/node-runs.ts';
import { packQuietRun } from '../../../../shared/fleet/reports/quiet-run.ts';
import { MemoryBlobs, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const NODE = 'web01.example.com';
const AT = 1_800_000_000_000;
const MINUTE = 60_000;
const BASE = { certname: NODE, environment: 'production', time: null, puppetVersion: '8.10.0', noop: false };

let documents: MemoryDocuments;
let failures: unknown[];

beforeEach(() => {
  documents = new MemoryDocuments();
  failures = [];
});

async function store(more: Partial<Parameters<typeof storeReport>[1]>): Promise<void> {
  const summary = { ...BASE, receivedAt: AT, status: 'changed', transactionUuid: 't-1', catalogUuid: 'c-1', ...more };
  await storeReport({ documents, blobs: new MemoryBlobs() }, summary, new Uint8Array(), { kept: 20, days: 30 });
}

const read = (ask: ((query: string) => Promise<readonly unknown[]>) | null = null) =>
  readNodeRuns(NODE, { documents }, ask, (error) => failures.push(error));

const row = (at: number, more: object = {}) => ({
  producer_timestamp: new Date(at).toISOString(),
  start_time: new Date(at - 9_000).toISOString(),
  end_time: new Date(at - 2_000).toISOString(),
  status: 'unchanged',
  noop: false,
  transaction_uuid: `u-${at}`,
  catalog_uuid: 'c-1',
  cached_catalog_status: 'not_used',
  ...more,
});

describe('the outcome of a run', () => {
  it.each([
    ['changed', { status: 'changed' }],
    ['unchanged', { status: 'unchanged' }],
    ['failed', { status: 'failed' }],
    ['refused', { status: 'failed', catalog_uuid: null }],
    ['refused', { status: 'unchanged', cached_catalog_status: 'on_failure' }],
    ['failed', { status: 'failed', cached_catalog_status: 'on_failure' }],
    ['noop', { status: 'unchanged', noop: true }],
    ['changed', { status: 'changed', noop: true }],
    ['failed', { status: 'odd' }],
  ])('is %s of %j', async (outcome, more) => {
    const { runs } = await read(async () => [row(AT, more)]);
    expect(runs.map((run) => run.outcome)).toEqual([outcome]);
  });

  it.each([
    ['changed', { status: 'changed' }],
    ['failed', { status: 'failed' }],
    ['noop', { status: 'unchanged', noop: true }],
  ])('of a kept report is %s of %j', async (outcome, more) => {
    await store(more);
    expect((await read()).runs.map((run) => run.outcome)).toEqual([outcome]);
  });

  it('of a kept report without a catalog is refused', async () => {
    const { catalogUuid: _, ...summary } = { ...BASE, receivedAt: AT, status: 'failed', catalogUuid: 'c-1' };
    const ports = { documents, blobs: new MemoryBlobs() };
    await storeReport(ports, { ...summary, transactionUuid: 't-1' }, new Uint8Array(), { kept: 20, days: 30 });
    expect((await read()).runs.map((run) => run.outcome)).toEqual(['refused']);
  });
});

describe('without an inventory', () => {
  it('the runs are those with reports, and the last one that changed nothing', async () => {
    await store({ receivedAt: AT, durationMs: 4_200 });
    const quiet = packQuietRun({ metrics: { time: { values: [['total', 'Total', 1.5]] } } });
    for (const receivedAt of [AT + MINUTE, AT + 2 * MINUTE]) {
      await storeQuietRun({ documents }, { ...BASE, receivedAt, status: 'unchanged', transactionUuid: 't-2', quiet });
    }
    expect(await read()).toEqual({
      runs: [
        { at: AT + 2 * MINUTE, durationMs: 1_500, outcome: 'unchanged', transactionUuid: 't-2', hasReport: false },
        { at: AT, durationMs: 4_200, outcome: 'changed', transactionUuid: 't-1', hasReport: true },
      ],
      isEach: false,
      unchangedCount: 2,
      intervalMs: null,
      nextAt: null,
    });
  });

  it('so it is while the inventory does not answer, which is reported', async () => {
    await store({});
    const away = new Error('away');
    const { runs, isEach } = await read(() => Promise.reject(away));
    expect([runs.length, isEach, failures]).toEqual([1, false, [away]]);
  });
});

describe('with an inventory', () => {
  it('each run is there, once, with the usual time between runs', async () => {
    await store({ transactionUuid: `u-${AT + 3 * MINUTE}`, receivedAt: AT + 3 * MINUTE });
    const times = [AT + 3 * MINUTE, AT + 2 * MINUTE, AT + MINUTE, AT - 10 * MINUTE];
    const asked: string[] = [];
    const found = await read(async (query) => {
      asked.push(query);
      return times.map((at) => row(at));
    });
    expect(found.runs.map(({ at, hasReport, durationMs }) => [at, hasReport, durationMs])).toEqual([
      [AT + 3 * MINUTE, true, 7_000],
      ...times.slice(1).map((at) => [at, false, 7_000]),
    ]);
    expect(found).toMatchObject({ isEach: true, intervalMs: MINUTE, nextAt: AT + 4 * MINUTE });
    expect(asked).toEqual([expect.stringContaining('["limit",96]')]);
  });

  it('three runs are too few for it', async () => {
    const found = await read(async () => [AT + 2, AT + 1, AT].map((at) => row(at)));
    expect(found).toMatchObject({ isEach: true, intervalMs: null, nextAt: null });
  });

  it('rows that are none, and times that run backwards, are no fault', async () => {
    const found = await read(async () => [null, 5, row(AT, { end_time: '1999-01-01T00:00:00Z', transaction_uuid: 5 })]);
    expect(found.runs).toEqual([
      { at: AT, durationMs: null, outcome: 'unchanged', transactionUuid: null, hasReport: false },
    ]);
  });
});
