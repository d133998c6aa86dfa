import { describe, expect, it } from 'vitest';
import type { CompileJob, CompileQueue } from '../../../shared/store/ports/compile-queue.ts';
import { describeStores } from '../../helpers/store-implementations.ts';

const job = (certname: string, generation = 1): CompileJob => ({ certname, generation, reason: 'test', at: 1000 });
const names = (received: readonly { readonly job: CompileJob }[]) => received.map((one) => one.job.certname).sort();

async function receiveAll(queue: CompileQueue, count: number) {
  const received = [];
  for (let round = 0; round < 20 && received.length < count; round += 1) {
    received.push(...(await queue.receive(10, 200)));
  }
  return received;
}

describeStores('JobQueue', (open) => {
  it('delivers each job with its fields', async () => {
    const { queue } = await open();
    await queue.send('express', [{ certname: 'a.example.com', generation: 7, reason: 'fact x changed', at: 123 }]);
    const [received] = await queue.receive(1, 1000);
    expect(received).toMatchObject({
      job: { certname: 'a.example.com', generation: 7, reason: 'fact x changed', at: 123 },
      queue: 'express',
      receiveCount: 1,
    });
  });

  it('delivers what a node waits for before express before background, and all of many', async () => {
    const { queue } = await open();
    const many = Array.from({ length: 23 }, (_, index) => job(`n${index}`));
    await queue.send('background', many);
    await queue.send('express', [job('changed')]);
    await queue.send('waiting', [job('urgent')]);
    const first = [await queue.receive(1, 1000), await queue.receive(1, 1000)].flat();
    expect(first.map(({ job: { certname }, queue: from }) => [certname, from])).toEqual([
      ['urgent', 'waiting'],
      ['changed', 'express'],
    ]);
    expect(names(await receiveAll(queue, 23))).toEqual(names(many.map((one) => ({ job: one }))));
  });

  it('delivers jobs of the queues that are named, and leaves the others', async () => {
    const { queue } = await open();
    await queue.send('express', [job('changed')]);
    await queue.send('background', [job('ring')]);
    expect(await queue.receive(10, 100, undefined, ['waiting'])).toEqual([]);
    await queue.send('waiting', [job('urgent')]);
    expect(names(await queue.receive(10, 1000, undefined, ['waiting']))).toEqual(['urgent']);
    expect(names(await queue.receive(10, 1000, undefined, ['background']))).toEqual(['ring']);
    expect(names(await queue.receive(10, 1000))).toEqual(['changed']);
  });

  it('delivers a job with a long reason', async () => {
    const stores = await open();
    await stores.queue.send('express', [{ certname: 'long', generation: 1, reason: 'x'.repeat(2_000_000), at: 1 }]);
    const [received] = await stores.queue.receive(1, 1000);
    expect(received?.job).toEqual({ certname: 'long', generation: 1, reason: `${'x'.repeat(500)}...`, at: 1 });
    if (received) await stores.queue.acknowledge(received);
  });

  it('hides a received job until it is done', async () => {
    const { queue } = await open();
    await queue.send('express', [job('a')]);
    const [received] = await queue.receive(1, 1000);
    expect(await queue.receive(1, 0)).toEqual([]);
    if (received) await queue.acknowledge(received);
    expect((await queue.getDepth()).express).toEqual({ visible: 0, inFlight: 0, oldestAgeMs: 0 });
  });

  it('delivers again after the visibility time-out, counting', async () => {
    const { queue } = await open({ visibilityMs: 1000, maxReceives: 3 });
    await queue.send('express', [job('a')]);
    const [first] = await queue.receive(1, 1000);
    const [second] = await queue.receive(1, 4000);
    expect([first?.receiveCount, second?.receiveCount]).toEqual([1, 2]);
    expect(second?.id).toBe(first?.id);
    expect(first?.id).not.toBe('');
    if (first) await queue.acknowledge(first);
    if (second) await queue.acknowledge(second);
    expect((await queue.getDepth()).express).toMatchObject({ visible: 0, inFlight: 0 });
  });

  it('delivers again when told to, not before the delay', async () => {
    const { queue } = await open();
    await queue.send('express', [job('a')]);
    const [first] = await queue.receive(1, 1000);
    if (first) await queue.retryAfter(first, 999.5);
    expect(await queue.receive(1, 0)).toEqual([]);
    const [second] = await queue.receive(1, 4000);
    expect(second?.receiveCount).toBe(2);
  });

  it('makes a dead letter of a job that was received too often', async () => {
    const { queue } = await open({ visibilityMs: 30_000, maxReceives: 2 });
    await queue.send('background', [job('poison', 4)]);
    for (let round = 0; round < 2; round += 1) {
      const [received] = await queue.receive(1, 1000);
      if (received) await queue.retryAfter(received, 0);
    }
    expect(await queue.receive(1, 0)).toEqual([]);
    expect((await queue.getDepth()).dead.visible).toBe(1);
    const letter = { id: expect.any(String), content: job('poison', 4), fault: null, sentAt: expect.any(Number) };
    expect(await queue.listDeadLetters(10)).toEqual([letter]);
  });

  it('shows dead letters, and sends one again as if it was new', async () => {
    const { queue } = await open({ visibilityMs: 30_000, maxReceives: 1 });
    await queue.send('background', [job('poison', 4)]);
    const [received] = await queue.receive(1, 1000);
    if (received) await queue.retryAfter(received, 0);
    expect(await queue.receive(1, 0)).toEqual([]);
    const [letter] = await queue.listDeadLetters(10);
    expect(letter?.content).toEqual(job('poison', 4));
    expect(await queue.redrive(['no such letter'])).toEqual([]);
    expect(await queue.redrive(['no such letter', letter?.id ?? ''])).toEqual([job('poison', 4)]);
    const [second] = await queue.receive(1, 4000);
    expect([second?.queue, second?.receiveCount, second?.job]).toEqual(['express', 1, job('poison', 4)]);
    expect(await queue.redrive([letter?.id ?? ''])).toEqual([]);
  });

  it('sends the job again that opens an environment', async () => {
    const { queue } = await open({ visibilityMs: 30_000, maxReceives: 1 });
    const warming = { ...job('environment:production', 0), warm: 'production' };
    await queue.send('express', [{ ...warming, waiting: 'alone' }]);
    for (const received of await queue.receive(1, 1000)) await queue.retryAfter(received, 0);
    expect(await queue.receive(1, 0)).toEqual([]);
    const [letter] = await queue.listDeadLetters(10);
    await queue.redrive([letter?.id ?? '']);
    expect((await queue.receive(1, 4000)).map((one) => one.job)).toEqual([warming]);
  });

  it('delays jobs', async () => {
    const { queue } = await open();
    await queue.send('express', [job('later')], 1000);
    expect(await queue.receive(1, 0)).toEqual([]);
    expect((await queue.getDepth()).express.visible).toBe(1);
    expect(names(await queue.receive(1, 4000))).toEqual(['later']);
  });

  it('gives each job to one of several receivers', async () => {
    const { queue } = await open();
    await queue.send(
      'express',
      Array.from({ length: 30 }, (_, index) => job(`n${index}`)),
    );
    const received = (await Promise.all([1, 2, 3, 4].map(() => queue.receive(10, 0)))).flat();
    const all = [...received, ...(await receiveAll(queue, 30 - received.length))];
    expect(all).toHaveLength(30);
    expect(new Set(names(all)).size).toBe(30);
  });

  describe('waiting', () => {
    it('ends when a job comes', async () => {
      const { queue } = await open();
      const waiting = queue.receive(1, 5000);
      await queue.send('background', [job('a')]);
      expect(names(await waiting)).toEqual(['a']);
    });

    it('ends when the signal aborts', async () => {
      const { queue } = await open();
      const abort = new AbortController();
      const waiting = queue.receive(1, 20_000, abort.signal);
      abort.abort();
      expect(await waiting).toEqual([]);
    });
  });
});
