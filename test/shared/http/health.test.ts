import { beforeEach, describe, expect, it } from 'vitest';
import { Health, type HealthCheck } from '../../../shared/http/health.ts';
import { httpServices, type TestServices } from '../../helpers/http-services.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

const fails: HealthCheck = () => Promise.reject(new Error('table nodes: no such host'));
const answers: HealthCheck = () => Promise.resolve();

let clock: ManualClock;
beforeEach(() => {
  clock = new ManualClock(1_000_000);
});

describe('a service', () => {
  it('is starting until all that it stands on has answered, and in error when that ends', async () => {
    let check = fails;
    const health = new Health({ server: { nodes: () => check(), queue: answers } }, clock);
    const alerts = ['nodes: table nodes: no such host'];
    expect(await health.check('server')).toEqual({ state: 'starting', alerts });
    check = answers;
    clock.time += 5000;
    expect(await health.check('server')).toEqual({ state: 'running', alerts: [] });
    check = fails;
    clock.time += 5000;
    expect(await health.check('server')).toEqual({ state: 'error', alerts });
    health.stop();
    expect(await health.check('server')).toEqual({ state: 'stopping', alerts: [] });
  });

  it('is in error when no answer comes', async () => {
    const health = new Health({ server: { queue: () => new Promise(() => {}) } }, clock);
    expect((await health.check('server')).alerts).toEqual(['queue: no answer within 3 seconds']);
  });

  it('shows its last state for fifteen seconds while a check is slow', async () => {
    clock.sleep = () => new Promise(() => {});
    let finish = () => {};
    let check = answers;
    const slow = () =>
      new Promise<void>((_, reject) => {
        finish = () => reject(new Error('gone'));
      });
    const health = new Health({ server: { blobs: () => check() } }, clock);
    expect((await health.check('server')).state).toBe('running');
    check = slow;
    clock.time += 15_000;
    expect((await health.check('server')).state).toBe('running');
    clock.time += 1;
    let isAnswered = false;
    const later = health.check('server').then((found) => {
      isAnswered = true;
      return found;
    });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(isAnswered).toBe(false);
    finish();
    expect(await later).toEqual({ state: 'error', alerts: ['blobs: gone'] });
  });

  it('asks what it stands on once in five seconds, however many ask it', async () => {
    // Nobody's patience ends in this test.
    clock.sleep = () => new Promise(() => {});
    let asked = 0;
    const counting = async () => {
      asked += 1;
    };
    const health = new Health({ master: { nodes: counting }, server: { nodes: counting } }, clock);
    await Promise.all(Array.from({ length: 100 }, (_, index) => health.check(index % 2 ? 'master' : 'server')));
    clock.time += 4999;
    await health.check('server');
    expect(asked).toBe(1);
    clock.time += 1;
    await health.check('server');
    expect(asked).toBe(2);
  });
});

describe('the status endpoints', () => {
  let http: TestServices;
  const get = (path: string) => http.app.request(path, {}, { peer: null });

  /** The documents do not answer: with them the CA and the server are down. */
  async function withoutDocuments(): Promise<void> {
    const checks = { ca: { authority: fails }, server: { documents: fails }, 'status-service': {} };
    http = await httpServices({ health: new Health(checks, clock) });
  }

  it('say in one word, and by 503, what is not running', async () => {
    await withoutDocuments();
    const all = await get('/status/v1/simple');
    expect([all.status, await all.text()]).toEqual([503, 'starting']);
    const self = await get('/status/v1/simple/status-service');
    expect([self.status, await self.text()]).toEqual([200, 'running']);
  });

  it('say why', async () => {
    await withoutDocuments();
    const all = await get('/status/v1/services');
    expect(all.status).toBe(503);
    expect(await all.json()).toMatchObject({
      ca: {
        state: 'starting',
        active_alerts: [{ severity: 'critical', message: 'authority: table nodes: no such host' }],
      },
      server: { state: 'starting' },
      'status-service': { state: 'running', active_alerts: [] },
    });
    const one = await get('/status/v1/services/status-service');
    expect([one.status, await one.json()]).toMatchObject([200, { state: 'running', service_name: 'status-service' }]);
  });
});
