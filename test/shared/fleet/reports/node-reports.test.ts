import { beforeAll, describe, expect, it } from 'vitest';
import {
  deleteReports,
  findUnchangedRuns,
  listReports,
  REPORT_STATUSES,
  type ReportPlace,
  type ReportQuery,
  storeQuietRun,
  storeReport,
} from '../../../../shared/fleet/reports/node-reports.ts';
import { packQuietRun, readQuietRun } from '../../../../shared/fleet/reports/quiet-run.ts';
import { SeededChance } from '../../../fuzz/seeded-chance.ts';
import { MemoryBlobs, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const REPORTS = 1500;
const LAST = 1_800_000_000_000;

/** Counts the documents that are read of lists. */
class CountedDocuments extends MemoryDocuments {
  read = 0;

  override async list(...args: Parameters<MemoryDocuments['list']>) {
    const page = await super.list(...args);
    this.read += page.length;
    return page;
  }
}

interface Sent {
  readonly certname: string;
  readonly receivedAt: number;
  readonly status: string;
}

describe('the newest reports', () => {
  const documents = new CountedDocuments();
  const sent: Sent[] = [];

  beforeAll(async () => {
    const chance = new SeededChance(5);
    for (let index = 0; index < REPORTS; index += 1) {
      // Few fail, and every fourth comes within the same millisecond as the one before.
      const status = chance.often(0.02) ? 'failed' : chance.of(REPORT_STATUSES);
      const receivedAt = LAST - (REPORTS - (index - (index % 4 === 0 ? 1 : 0))) * 1000;
      const report = { certname: `node${index % 400}.example.com`, receivedAt, status };
      sent.push(report);
      const rest = { environment: 'production', time: null, puppetVersion: null, noop: false };
      const ports = { documents, blobs: new MemoryBlobs() };
      const summary = { ...report, ...rest, transactionUuid: `t-${index}` };
      if (status === 'unchanged') await storeQuietRun(ports, { ...summary, quiet: {} });
      else await storeReport(ports, summary, new Uint8Array(), { kept: 20, days: 30 });
    }
  });

  function expected({ certname, status, since = 0, before = Number.POSITIVE_INFINITY, limit }: ReportQuery): Sent[] {
    const last = sent.findLast((one) => one.status === 'unchanged' && one.certname === certname);
    return sent
      .filter((one) => one.status !== 'unchanged' || one === last)
      .filter((one) => certname === undefined || one.certname === certname)
      .filter(
        (one) => (status === undefined || one.status === status) && one.receivedAt >= since && one.receivedAt < before,
      )
      .sort((a, b) => b.receivedAt - a.receivedAt || (a.certname < b.certname ? -1 : 1))
      .slice(0, limit);
  }

  it.each([
    // 64 parts of the index give four reports each at least; a part that runs out gives more.
    [{ limit: 1 }, 300],
    [{ limit: 100 }, 500],
    [{ limit: 1000 }, 1500],
    [{ limit: 100, since: LAST - 50_000 }, 400],
    [{ limit: 100, status: 'failed' }, 300],
    [{ limit: 3, certname: 'node7.example.com' }, 4],
    [{ limit: 100, certname: 'node7.example.com', status: 'changed' }, 4],
    [{ limit: 10, since: LAST }, 256],
    [{ limit: 10, before: LAST }, 256],
    [{ limit: 20, since: LAST - 50_000, before: LAST - 20_000 }, 400],
  ])('are found for %j with at most %i documents read', async (query, most) => {
    documents.read = 0;
    const found = await listReports({ documents }, query);
    expect(found.map(({ certname, receivedAt, status }) => ({ certname, receivedAt, status }))).toEqual(
      expected(query),
    );
    expect(documents.read).toBeLessThanOrEqual(most);
  });
});

describe('pages of reports', () => {
  it.each([1, 2, 3, 7])('of %i have each report once, also those of one millisecond', async (limit) => {
    const ports = { documents: new MemoryDocuments(), blobs: new MemoryBlobs() };
    for (let index = 0; index < 12; index += 1) {
      const receivedAt = LAST - (index < 9 ? 0 : index);
      const ids = { certname: `node${index % 3}`, receivedAt, transactionUuid: `t-${index}` };
      const rest = { status: 'changed', environment: null, time: null, puppetVersion: null, noop: false };
      await storeReport(ports, { ...ids, ...rest }, new Uint8Array(), { kept: 20, days: 30 });
    }
    const found: string[] = [];
    for (let behind: ReportPlace | undefined; ; ) {
      const page = await listReports(ports, { limit, behind });
      found.push(...page.map(({ certname, transactionUuid }) => `${certname} ${transactionUuid}`));
      behind = page.at(-1);
      if (behind === undefined) break;
    }
    const all = await listReports(ports, { limit: 100 });
    expect(found).toEqual(all.map(({ certname, transactionUuid }) => `${certname} ${transactionUuid}`));
    expect(new Set(found).size).toBe(12);
  });
});

describe('a run that changed nothing', () => {
  const run = (receivedAt: number, status = 'unchanged') => ({
    ...{ certname: 'web01.example.com', receivedAt, status, environment: 'production', time: null },
    ...{ puppetVersion: '8.10.0', transactionUuid: `t-${receivedAt}`, noop: false },
  });

  it('is counted in one write and keeps no object; the last one is listed with its node', async () => {
    const ports = { documents: new MemoryDocuments(), blobs: new MemoryBlobs() };
    await storeReport(ports, run(LAST, 'changed'), new Uint8Array([1]), { kept: 20, days: 30 });
    for (const at of [1, 2, 3]) {
      await storeQuietRun(ports, {
        ...run(LAST + at),
        quiet: packQuietRun({ metrics: { time: { values: [['total', '', at]] } } }),
      });
    }
    expect(ports.blobs.blobs.size).toBe(1);
    expect(await findUnchangedRuns(ports, 'web01.example.com')).toEqual({
      count: 3,
      last: { ...run(LAST + 3), blob: null, quiet: readQuietRun({ metrics: { time: { total: 3 } } }) },
    });
    const listed = await listReports(ports, { certname: 'web01.example.com', limit: 10 });
    expect(listed.map(({ transactionUuid }) => transactionUuid)).toEqual([`t-${LAST + 3}`, `t-${LAST}`]);
    expect(await listReports(ports, { status: 'unchanged', limit: 10 })).toEqual([]);
    await deleteReports(ports, 'web01.example.com');
    expect(await findUnchangedRuns(ports, 'web01.example.com')).toBeNull();
    expect(ports.blobs.blobs.size).toBe(0);
  });
});
