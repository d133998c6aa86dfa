import { Hono } from 'hono';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Bindings, Peer } from '../../../../shared/http/endpoint.ts';
import { Refusal } from '../../../../shared/http/exchange/answers.ts';
import { mountAbsentApis } from '../../../../shared/http/operator/absent-apis.ts';
import { DOOR_SERVICES, mountDoorStatus } from '../../../../shared/http/operator/door-status.ts';
import { ServerMetrics } from '../../../../shared/http/server-metrics.ts';
import { DEFAULT_SETTINGS } from '../../../../shared/http/services.ts';
import { ManualClock, MemoryDocuments } from '../../../helpers/memory-stores.ts';

const IDLE = { visible: 0, inFlight: 0, oldestAgeMs: 0 };
let isStoreAway: boolean;
let app: Hono<{ Bindings: Bindings }>;

beforeEach(() => {
  isStoreAway = false;
  const clock = new ManualClock();
  const documents = new (class extends MemoryDocuments {
    override get(collection: string, key: string) {
      return isStoreAway ? Promise.reject(new Error('away')) : super.get(collection, key);
    }
  })();
  app = new Hono<{ Bindings: Bindings }>();
  app.onError((error) => (error instanceof Refusal ? error.response() : Promise.reject(error)));
  mountDoorStatus(app, DOOR_SERVICES.console, {
    stores: { clock, documents },
    settings: DEFAULT_SETTINGS,
    metrics: new ServerMetrics({
      nodes: { getCounts: async () => ({ nodes: 0, outstanding: 0 }), listRing: async () => [] },
      queue: { getDepth: async () => ({ waiting: IDLE, express: IDLE, background: IDLE, dead: IDLE }) },
      environments: { list: async () => [] },
      clock,
    }),
    isRevoked: async ({ serial }) => serial === 'revoked',
  });
});

async function ask(path: string, serial?: string) {
  const peer = serial === undefined ? null : ({ certname: 'web01', serial } as Peer);
  const answer = await app.request(path, {}, { peer } as Bindings);
  return { status: answer.status, text: await answer.text() };
}

describe('the state at a door of operators', () => {
  it('is that of its services, for everybody', async () => {
    const { status, text } = await ask('/status/v1/services');
    expect(status).toBe(200);
    expect(Object.keys(JSON.parse(text))).toEqual([...DOOR_SERVICES.console, 'status-service']);
    expect(JSON.parse((await ask('/status/v1/services/rbac-service')).text)).toMatchObject({
      service_name: 'rbac-service',
      state: 'running',
    });
    expect(await ask('/status/v1/services/nothing')).toMatchObject({ status: 404 });
    expect(await ask('/status/v1/simple')).toEqual({ status: 200, text: 'running' });
  });

  it('says that the store is away, but that the process answers', async () => {
    isStoreAway = true;
    expect(await ask('/status/v1/simple')).toMatchObject({ status: 503 });
    expect(await ask('/status/v1/simple/status-service')).toEqual({ status: 200, text: 'running' });
  });

  it('has metrics for each certificate that is not revoked', async () => {
    expect((await ask('/metrics', 'good')).text).toContain('# HELP');
    expect(await ask('/metrics/v2/version', 'good')).toMatchObject({ status: 200 });
    expect(await ask('/metrics')).toMatchObject({ status: 403 });
    expect(await ask('/metrics', 'revoked')).toMatchObject({ status: 403 });
  });
});

it.each([])('answers %s of Puppet Enterprise, which is not here, with a sentence', async (path, sentence) => {
  const absent = new Hono<{ Bindings: Bindings }>();
  mountAbsentApis(absent, 'access');
  const answer = await absent.request(path);
  expect([answer.status, await answer.json()]).toEqual([
    501,
    { kind: 'not-available', msg: expect.stringContaining(sentence), details: {} },
  ]);
});
