import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { storeReport } from '../../../../shared/fleet/reports/node-reports.ts';
import { askForReports, type ReportFilter, readFoundReports } from '../../../../shared/fleet/reports/report-search.ts';
import { InventoryQueries } from '../../../../shared/orchestrator/jobs/inventory-queries.ts';
import { type InventoryWorld, openInventoryWorld } from '../../../helpers/inventory-world.ts';
import { MemoryBlobs, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const AT = Date.parse('2026-11-05T00:00:00.000Z');
const MINUTE = 60_000;
const uuidOf = (run: number) => `00000000-0000-4000-8000-${String(run).padStart(12, '0')}`;
const documents = new MemoryDocuments();
let world: InventoryWorld;
let queries: InventoryQueries;

function resource(title: string, message: string, status = 'success') {
  const event = { status, timestamp: new Date(AT).toISOString(), property: 'content', new_value: 'b', old_value: 'a' };
  return {
    ...{ skipped: false, timestamp: new Date(AT).toISOString(), resource_type: 'File', resource_title: title },
    ...{ file: '/site.pp', line: 4, containment_path: ['Stage[main]'], corrective_change: false },
    events: [{ ...event, name: 'content_changed', message, corrective_change: false }],
  };
}

async function store(run: number, more: object): Promise<void> {
  const time = new Date(AT + run * MINUTE).toISOString();
  await world.apply('store report', 8, {
    ...{ certname: `n${run % 3}.example.com`, puppet_version: '8.10.0', report_format: 12, configuration_version: '1' },
    ...{ start_time: time, end_time: time, producer_timestamp: time, producer: 'p', environment: 'production' },
    ...{ transaction_uuid: uuidOf(run), catalog_uuid: uuidOf(900), code_id: null, job_id: null },
    ...{ cached_catalog_status: 'not_used', status: 'changed', noop: false, noop_pending: false },
    ...{ corrective_change: false, logs: [], metrics: [], resources: [] },
    ...more,
  });
}

beforeAll(async () => {
  world = await openInventoryWorld();
  queries = new InventoryQueries(world.services.reader);
  await store(0, { resources: [resource('/etc/motd', 'content changed')] });
  await store(1, { status: 'failed', resources: [resource('/etc/motd.d', 'No space left (on) device', 'failure')] });
  await store(2, { environment: 'staging' });
  await store(3, { status: 'unchanged' });
  const kept = { environment: 'production', time: null, puppetVersion: '8.10.0', noop: false, status: 'changed' };
  const summary = { ...kept, certname: 'n0.example.com', receivedAt: AT, transactionUuid: uuidOf(0), durationMs: 7 };
  await storeReport({ documents, blobs: new MemoryBlobs() }, summary, new Uint8Array(), { kept: 20, days: 30 });
}, 120_000);

afterAll(() => world.remove());

const ALL: ReportFilter = {
  ...{ resource: null, message: null, environment: null, status: null, certname: null, behind: null, before: null },
  ...{ since: AT - MINUTE, limit: 50 },
};

async function search(filter: Partial<ReportFilter>) {
  const whole = { ...ALL, ...filter };
  return readFoundReports(await queries.ask(askForReports(whole)), whole, documents);
}

describe('a search for reports', () => {
  it.each([
    ['all', {}, [3, 2, 1, 0]],
    ['a resource', { resource: 'File[/etc/motd]' }, [0]],
    ['a part of a title', { resource: 'MOTD' }, [1, 0]],
    ['a part of a message', { message: 'left (on) dev' }, [1]],
    ['a message and a resource of one event', { message: 'content', resource: 'File[/etc/motd.d]' }, []],
    ['an environment', { environment: 'staging' }, [2]],
    ['a status', { status: 'failed' }, [1]],
    ['a node', { certname: 'n0.example.com' }, [3, 0]],
    ['a time', { since: AT + MINUTE, before: AT + 3 * MINUTE }, [2, 1]],
  ])('finds those of %s', async (_, filter, runs) => {
    const { reports, hasMore } = await search(filter);
    expect(reports.map(({ transactionUuid }) => transactionUuid)).toEqual(runs.map(uuidOf));
    expect(hasMore).toBe(false);
  });

  it('goes on behind the last one', async () => {
    const first = await search({ limit: 3 });
    expect(first.hasMore).toBe(true);
    const [last] = first.reports.slice(-1);
    if (last === undefined) throw new Error('no report');
    const next = await search({ limit: 3, behind: last });
    expect(next.hasMore).toBe(false);
    expect(next.reports.map(({ receivedAt }) => receivedAt)).toEqual([AT]);
  });

  it('knows which reports are kept, and what the inventory says of the others', async () => {
    const [failed, kept] = (await search({ resource: 'motd' })).reports;
    expect(kept).toMatchObject({ durationMs: 7, blob: expect.stringContaining('reports/n0.example.com/') });
    expect(failed).toMatchObject({
      ...{ certname: 'n1.example.com', receivedAt: AT + MINUTE, status: 'failed', blob: null },
      ...{ environment: 'production', puppetVersion: '8.10.0', catalogUuid: uuidOf(900), noop: false },
    });
  });
});
