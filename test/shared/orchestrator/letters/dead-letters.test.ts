import { expect, it } from 'vitest';
import { QUEUES } from '../../../../shared/config/deployment.ts';
import { noteLastFault } from '../../../../shared/fleet/compiles/compile-faults.ts';
import { keepDeadLetter, returnDueLetters } from '../../../../shared/inventory/forward/dead-letters.ts';
import {
  countDeadLetters,
  findDeadLetters,
  redriveDeadLetters,
} from '../../../../shared/orchestrator/letters/dead-letters.ts';
import { NotifyBook } from '../../../../shared/orchestrator/notify/notify-book.ts';
import type { Stores } from '../../../../shared/store/ports/stores.ts';
import { describeStores } from '../../../helpers/store-implementations.ts';

const ALL = { certname: null, id: null };
const ONE_RECEIVE = { visibilityMs: 30_000, maxReceives: 1 };
const UNKNOWN = 'its worker ended before it could say why: it ran out of time or memory';

const compileJob = (certname: string) => ({ certname, generation: 4, reason: 'fact x changed', at: 1000 });

/** Makes dead letters of compile jobs; those of `failed` say why. */
async function buryJobs(stores: Stores, failed: readonly string[], silent: readonly string[]): Promise<void> {
  const { queue } = stores;
  await queue.send('express', [...failed, ...silent].map(compileJob));
  for (let left = failed.length + silent.length; left > 0; ) {
    const received = await queue.receive(10, 1000);
    for (const one of received) {
      if (failed.includes(one.job.certname)) {
        await noteLastFault({ ...one, receiveCount: QUEUES.maxReceives }, new Error('no space left'), stores);
      }
      await queue.retryAfter(one, 0);
    }
    left -= received.length;
  }
  await expect
    .poll(async () => [await queue.receive(1, 0), (await queue.getDepth()).dead.visible])
    .toEqual([[], failed.length + silent.length]);
}

describeStores('Dead letters', (open) => {
  it('of all queues have one shape', async () => {
    const stores = await open(ONE_RECEIVE);
    const { documents } = stores;
    await buryJobs(stores, ['a.test'], ['b.test']);
    const node = { certname: 'c.test', compiledAt: 1, dueAt: 1, tries: 5 };
    await new NotifyBook(documents).bury({ lane: 'production|paced|any', node, reason: 'agent disabled', at: 20 });
    const report = { receivedAt: 1, transactionUuid: 'u-1' };
    const letter = { certname: 'd.test', command: 'store report', report, reason: 'status 422', at: 10 };
    await keepDeadLetter({ target: 'report-url', ...letter }, documents);

    const none = { transactionUuid: null, cause: null, isDue: false, isReadable: true };
    const found = await findDeadLetters(null, ALL, stores);
    expect(found).toEqual([
      {
        ...none,
        queue: 'compile',
        id: expect.any(String),
        certname: 'a.test',
        content: 'catalog',
        reason: 'no space left',
        cause: 'fact x changed',
        at: expect.any(Number),
      },
      {
        ...none,
        queue: 'compile',
        id: expect.any(String),
        certname: 'b.test',
        content: 'catalog',
        reason: UNKNOWN,
        cause: 'fact x changed',
        at: 1000,
      },
      { ...none, queue: 'notify', id: 'c.test', certname: 'c.test', content: 'run', reason: 'agent disabled', at: 20 },
      {
        ...none,
        queue: 'report-url',
        id: '1970-01-01T00:00:00.010Z d.test store report 1 u-1',
        certname: 'd.test',
        content: 'report',
        transactionUuid: 'u-1',
        reason: 'status 422',
        at: 10,
      },
    ]);
    expect(await countDeadLetters(stores)).toEqual({
      compile: 2,
      'fan-out': 0,
      notify: 1,
      'report-url': 1,
      puppetdb: 0,
      'alert-url': 0,
    });
    expect((await findDeadLetters(null, { certname: 'c.test', id: null }, stores)).length).toBe(1);
    expect((await findDeadLetters('compile', { certname: 'b.test', id: null }, stores)).length).toBe(1);
  });

  it('of compile jobs are tried again by node, or all of them', async () => {
    const stores = await open(ONE_RECEIVE);
    const many = Array.from({ length: 23 }, (_, index) => `n${index}.test`);
    await buryJobs(stores, ['a.test'], many);
    expect(await redriveDeadLetters('compile', { certname: 'a.test', id: null }, stores)).toEqual({
      found: 1,
      redriven: 1,
      unreadable: [],
    });
    expect(await stores.documents.list('compile-faults', '', 10)).toEqual([]);
    expect(await redriveDeadLetters('compile', { certname: null, id: 'none' }, stores)).toEqual({
      found: 0,
      redriven: 0,
      unreadable: [],
    });
    expect(await redriveDeadLetters('compile', ALL, stores)).toEqual({ found: 23, redriven: 23, unreadable: [] });
    const { express, dead } = await stores.queue.getDepth();
    expect([express.visible, dead.visible]).toEqual([24, 0]);
  });

  it('of nodes that were not told are due again, unless a newer catalog is', async () => {
    const stores = await open();
    const book = new NotifyBook(stores.documents);
    const lane = 'production|paced|any';
    const node = { certname: 'c.test', compiledAt: 1, dueAt: 1, tries: 5 };
    for (const certname of ['c.test', 'd.test']) {
      await book.bury({ lane, node: { ...node, certname }, reason: 'agent disabled', at: 20 });
    }
    await book.addDue(lane, { ...node, certname: 'd.test', compiledAt: 2, tries: 1 });
    expect(await redriveDeadLetters('notify', ALL, stores)).toEqual({ found: 2, redriven: 2, unreadable: [] });
    expect(await book.listDue(lane, 10, '')).toEqual([
      { ...node, tries: 0 },
      { ...node, certname: 'd.test', compiledAt: 2, tries: 1 },
    ]);
    expect(await findDeadLetters('notify', ALL, stores)).toEqual([]);
  });

  it('of a receiver are due once, and come back where nothing sends to it', async () => {
    const stores = await open();
    const { documents } = stores;
    const letter = { certname: 'd.test', command: 'replace facts', report: null, reason: 'status 400', at: 10 };
    await keepDeadLetter({ target: 'puppetdb', ...letter }, documents);
    expect(await redriveDeadLetters('puppetdb', ALL, stores)).toEqual({ found: 1, redriven: 1, unreadable: [] });
    expect(await redriveDeadLetters('puppetdb', ALL, stores)).toEqual({ found: 1, redriven: 0, unreadable: [] });
    await returnDueLetters('report-url', 'this server has no --report-url', documents);
    expect(await findDeadLetters('puppetdb', ALL, stores)).toMatchObject([{ isDue: true, reason: 'status 400' }]);
    await returnDueLetters('puppetdb', 'this server has no --puppetdb', documents);
    expect(await findDeadLetters('puppetdb', ALL, stores)).toMatchObject([
      { isDue: false, reason: 'this server has no --puppetdb', certname: 'd.test', content: 'facts' },
    ]);
  });
});

describeStores('The fault of a compile job', (open) => {
  it('is kept when the job was received for the last time, and while it is newer than the job', async () => {
    const stores = await open();
    const job = compileJob('a.test');
    await noteLastFault({ job, receiveCount: QUEUES.maxReceives - 1 }, new Error('throttled'), stores);
    expect(await stores.documents.list('compile-faults', '', 10)).toEqual([]);
    await noteLastFault({ job, receiveCount: QUEUES.maxReceives }, 'x'.repeat(3000), stores);
    expect(await stores.documents.get('compile-faults', 'a.test')).toMatchObject({ reason: 'x'.repeat(2000) });
  });
});
