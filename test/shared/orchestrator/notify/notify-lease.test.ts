import { expect, it } from 'vitest';
import { NotifyLease } from '../../../../shared/orchestrator/notify/notify-lease.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

it('is held by one process, until that is silent or gives it back', async () => {
  const stores = { documents: new MemoryDocuments(), clock: new ManualClock() };
  const [a, b] = [new NotifyLease(stores, 'a'), new NotifyLease(stores, 'b')];
  expect([await a.hold(), await b.hold(), await a.hold()]).toEqual(['new', 'elsewhere', 'held']);
  for (let second = 0; second < 60; second += 1) {
    stores.clock.time += 1000;
    expect([await a.hold(), await b.hold()]).toEqual(['held', 'elsewhere']);
  }
  stores.clock.time += 14_000;
  expect(await b.hold()).toBe('elsewhere');
  stores.clock.time += 1000;
  expect([await b.hold(), await a.hold()]).toEqual(['new', 'elsewhere']);
  await b.release();
  expect([await a.hold(), await b.hold()]).toEqual(['new', 'elsewhere']);
});

it('counts as new after a pause, because another process may have had it', async () => {
  const stores = { documents: new MemoryDocuments(), clock: new ManualClock() };
  const lease = new NotifyLease(stores, 'a');
  await lease.hold();
  stores.clock.time += 20_000;
  expect(await lease.hold()).toBe('new');
});
