import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FleetOverview } from '../../../../shared/fleet/overview/fleet-overview.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../../../shared/store/embedded/stores.ts';
import type { QueueDepth } from '../../../../shared/store/ports/compile-queue.ts';
import { ManualClock } from '../../../helpers/memory-stores.ts';

const NONE: QueueDepth = { visible: 0, inFlight: 0, oldestAgeMs: 0 };
let clock: ManualClock;
let folder: string;
let stores: EmbeddedStores;
beforeEach(() => {
  clock = new ManualClock();
  folder = mkdtempSync(join(tmpdir(), 'understudy-overview-'));
  stores = openEmbeddedStores(folder, { clock });
});
afterEach(() => {
  stores.close();
  rmSync(folder, { recursive: true });
});

it('asks the stores once for all viewers, and again after a fault', async () => {
  let asked = 0;
  const overview = new FleetOverview(stores, {
    changes: null,
    readDepth: async () => {
      asked += 1;
      if (asked === 1) throw new Error('the queue is away');
      return { waiting: NONE, express: NONE, background: NONE, dead: NONE };
    },
    readAnswers: async () => ({}),
    reportFailure: (message, cause) => expect.fail(`${message}: ${cause}`),
  });
  await overview.watch.stop();
  await expect(overview.describe()).rejects.toThrow('the queue is away');
  const viewers = await Promise.all(Array.from({ length: 200 }, () => overview.describe()));
  expect([asked, viewers.length, viewers.at(-1)?.queue.dead]).toEqual([2, 200, NONE]);
  clock.time += 1999;
  await overview.describe();
  expect(asked).toBe(2);
  clock.time += 1;
  await overview.describe();
  expect(asked).toBe(3);
});
