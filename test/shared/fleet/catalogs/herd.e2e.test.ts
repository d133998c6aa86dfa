import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, it, vi } from 'vitest';
import { answerCheckIn } from '../../../../shared/fleet/catalogs/catalog-service.ts';
import {
  DEFAULT_HOLD_OPTIONS,
  StoredCatalogService,
} from '../../../../shared/fleet/catalogs/stored-catalog-service.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';
import { CompileWorld, catalogOf, checkIn } from '../../../helpers/compile-world.ts';

const NODES = 600;
const MOST_WAITING = 150;

/**
 * A node that comes back when it is told to, the time between made shorter; what it was told, and
 * its catalog.
 */
async function persistent(service: StoredCatalogService, certname: string) {
  const told: number[] = [];
  for (;;) {
    const answer = await answerCheckIn(service, checkIn(certname, { number: certname }));
    if (answer.status !== 'unavailable') return { certname, told, answer };
    told.push(answer.retryAfterSeconds);
    await systemClock.sleep(answer.retryAfterSeconds * 20);
  }
}

it('answers a herd of 600 first requests: so many are held, the others come back spread, all get their own catalog', async () => {
  // In memory where that can be had: every commit waits for the disk otherwise.
  vi.stubEnv('TMPDIR', existsSync('/dev/shm') ? '/dev/shm' : tmpdir());
  const world = new CompileWorld();
  vi.unstubAllEnvs();
  try {
    world.write({ 'environments/production/manifests/site.pp': '' });
    for (let n = 0; n < NODES; n += 1) world.addScript(`n${n}`, { facts: [['number']] });
    await world.deploy();
    const service = new StoredCatalogService(world.stores, { ...DEFAULT_HOLD_OPTIONS, mostWaiting: MOST_WAITING });
    let most = 0;
    let isOver = false;
    const workers = (async () => {
      while (!isOver) {
        await world.runJobs();
        most = Math.max(most, service.waiting);
        await systemClock.sleep(2);
      }
    })();
    const all = await Promise.all(Array.from({ length: NODES }, (_, n) => persistent(service, `n${n}`)));
    isOver = true;
    await workers;
    expect(most).toBeLessThanOrEqual(MOST_WAITING);
    expect(service.waiting).toBe(0);
    for (const { certname, answer } of all) {
      expect(answer.status).toBe('current');
      expect(catalogOf(answer)).toMatchObject({ name: certname, 'fact number': certname });
    }
    const first = all.flatMap(({ told }) => told.slice(0, 1));
    expect(first.length).toBeGreaterThan(0);
    expect(Math.min(...first)).toBeGreaterThanOrEqual(30);
    expect(Math.max(...first)).toBeLessThanOrEqual(210);
    // No tenth of the time takes more than a quarter of those who come back.
    const tenths = Map.groupBy(first, (seconds) => Math.floor((seconds - 30) / 18.1));
    for (const some of tenths.values()) expect(some.length).toBeLessThan(first.length / 4);
    expect(world.compiler.compiled.length).toBe(NODES);
  } finally {
    world.close();
  }
});
