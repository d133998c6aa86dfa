import { beforeEach, describe, expect, it, vi } from 'vitest';
import { answerCheckIn, type CatalogAnswer, type FactsText } from '../../../shared/fleet/catalogs/catalog-service.ts';
import { ServerMetrics } from '../../../shared/http/server-metrics.ts';
import { StoreUnavailable } from '../../../shared/store/ports/store-errors.ts';
import { checkIn } from '../../helpers/compile-world.ts';
import { createPeer, httpServices, ScriptedCatalogs, type TestServices } from '../../helpers/http-services.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';

const IDLE = { visible: 0, inFlight: 0, oldestAgeMs: 0 };

let http: TestServices;
beforeEach(async () => {
  http = await httpServices();
});

const environments = { list: async () => [] };

async function text(path: string): Promise<string> {
  return (await http.app.request(path, {}, { peer: createPeer('monitor.example.com') })).text();
}

describe('GET /metrics', () => {
  it('is for clients with a certificate', async () => {
    expect((await http.app.request('/metrics', {}, { peer: null })).status).toBe(403);
    expect((await http.app.request('/metrics/v2/list', {}, { peer: null })).status).toBe(403);
  });

  it('shows queue, nodes and ring', async () => {
    const shown = await text('/metrics');
    expect(shown).toContain('understudy_queue_jobs{queue="express",state="visible"} 2');
    expect(shown).toContain('understudy_queue_jobs{queue="express",state="in_flight"} 1');
    expect(shown).toContain('understudy_queue_oldest_seconds{queue="express"} 1.5');
    expect(shown).toContain('understudy_nodes{state="all"} 7');
    expect(shown).toContain('understudy_nodes{state="outstanding"} 3');
    expect(shown).toContain('understudy_ring_lag_seconds 0');
    expect(shown).toContain('understudy_staged_deploys{state="trial"} 0');
    expect(shown).toContain('understudy_staged_deploys{state="held"} 0');
    expect(shown).toContain('process_resident_memory_bytes');
  });

  it('counts requests by the pattern of their path, so that no client makes up labels', async () => {
    await text('/status/v1/simple/server');
    await text('/status/v1/simple/nosuch');
    await text('/no/such/path');
    await http.app.request('/x', { method: 'BREW' }, { peer: null });
    const shown = await text('/metrics');
    const count = 'understudy_http_request_duration_seconds_count';
    expect(shown).toContain(`${count}{method="GET",path="/status/v1/simple/:service",status="200"} 1`);
    expect(shown).toContain(`${count}{method="GET",path="/status/v1/simple/:service",status="404"} 1`);
    expect(shown).toContain(`${count}{method="GET",path="/*",status="404"} 1`);
    expect(shown).toContain(`${count}{method="other",path="/*",status="404"} 1`);
  });
});

describe('GET /metrics/v2', () => {
  it('lists the metrics and reads one', async () => {
    const list = JSON.parse(await text('/metrics/v2/list/understudy'));
    expect(list.value['name=understudy_nodes']).toEqual({
      attr: {
        'state=all': { rw: false, type: 'double', desc: 'Nodes; outstanding ones have a catalog that is out of date' },
        'state=outstanding': expect.anything(),
      },
    });
    expect(JSON.parse(await text('/metrics/v2/read/understudy:name=understudy_nodes'))).toEqual({
      request: { mbean: 'understudy:name=understudy_nodes', type: 'read' },
      value: { 'state=all': 7, 'state=outstanding': 3 },
      timestamp: 1795212770,
      status: 200,
    });
    expect(JSON.parse(await text('/metrics/v2'))).toMatchObject({ value: { protocol: '7.2' } });
  });

  it.each([
    ['read/understudy:name=nosuch', 404, "There are no metrics 'understudy:name=nosuch'; /metrics/v2/list names them"],
    ['list/java.lang', 404, "There are no metrics 'java.lang'; /metrics/v2/list names them"],
    ['exec/x', 400, "Operation 'exec' is none of version, list, read"],
  ])('answers %s with %i', async (path, status, msg) => {
    const response = await http.app.request(`/metrics/v2/${path}`, {}, { peer: createPeer('monitor.example.com') });
    expect([response.status, await response.json()]).toMatchObject([status, { msg }]);
  });
});

describe('the figures', () => {
  const clock = new ManualClock(60_000);
  const nodes = { getCounts: async () => ({ nodes: 0, outstanding: 0 }), listRing: async () => [] };
  const idle = async () => ({ waiting: IDLE, express: IDLE, background: IDLE, dead: IDLE });

  it('tell hits, misses and stale catalogs apart', async () => {
    const metrics = new ServerMetrics({ nodes, queue: { getDepth: idle }, environments, clock });
    const catalog = { catalog: new Uint8Array(), hash: '', codeId: null };
    const answers: readonly [CatalogAnswer, waits: boolean][] = [
      [{ status: 'current', ...catalog }, false],
      [{ status: 'current', ...catalog }, true],
      [{ status: 'current', ...catalog }, true],
      [{ status: 'stale', ...catalog }, true],
      [{ status: 'unavailable', retryAfterSeconds: 30 }, true],
    ];
    const signal = new AbortController().signal;
    for (const [answer, waits] of answers) {
      const catalogs = new ScriptedCatalogs();
      const wait = vi.fn(async (_facts: FactsText | null, _signal?: AbortSignal) => answer);
      catalogs.answers = () => (waits ? { kind: 'held', wait } : answer);
      const asked = checkIn('a.example.com', { x: 1 });
      expect(await answerCheckIn(metrics.countAnswers(catalogs), asked, signal)).toBe(answer);
      expect(catalogs.asked).toEqual([asked]);
      expect(await Promise.all(wait.mock.calls.map(async ([facts, until]) => [await facts?.parse(), until]))).toEqual(
        waits ? [[asked.facts, signal]] : [],
      );
    }
    const shown = await metrics.registry.getSingleMetricAsString('understudy_catalog_answers_total');
    expect(shown.match(/answer="\w+"\} \d/g)).toEqual([
      'answer="hit"} 1',
      'answer="miss"} 2',
      'answer="stale"} 1',
      'answer="unavailable"} 1',
    ]);
  });

  it('tell how many requests are held at the moment', async () => {
    const metrics = new ServerMetrics({ nodes, queue: { getDepth: idle }, environments, clock });
    let held = 3;
    metrics.showWaiting(() => held);
    const shown = () => metrics.registry.getSingleMetricAsString('understudy_catalog_requests_waiting');
    expect(await shown()).toContain(
      '# TYPE understudy_catalog_requests_waiting gauge\nunderstudy_catalog_requests_waiting 3',
    );
    held = 0;
    expect(await shown()).toMatch(/^understudy_catalog_requests_waiting 0$/m);
  });

  it('hold the damage of the data directory by its kind, as it is now', async () => {
    const metrics = new ServerMetrics({ nodes, queue: { getDepth: idle }, environments, clock });
    let found = { blob: 2, row: 1 };
    metrics.showDamage(() => found);
    const shown = async () => {
      const all = await metrics.registry.getSingleMetricAsString('understudy_damage_found_total');
      return all.match(/^understudy.*$/gm);
    };
    expect(await shown()).toEqual([
      'understudy_damage_found_total{kind="blob"} 2',
      'understudy_damage_found_total{kind="row"} 1',
    ]);
    found = { blob: 0, row: 0 };
    expect(await shown()).toEqual([
      'understudy_damage_found_total{kind="blob"} 0',
      'understudy_damage_found_total{kind="row"} 0',
    ]);
  });

  it('hold the compiles of this process', async () => {
    const metrics = new ServerMetrics({ nodes, queue: { getDepth: idle }, environments, clock });
    metrics.countCompileJob({ outcome: 'compiled', durationMs: 300 });
    metrics.countCompileJob({ outcome: 'verified', durationMs: 0 });
    metrics.countCompileJob({
      outcome: 'failed',
      durationMs: 9,
      nativeDefects: ['/a.erb: TypeError: no', '/b.erb: TypeError: no'],
    });
    metrics.countJobFault();
    const shown = await metrics.registry.metrics();
    expect(shown).toContain('understudy_compile_duration_seconds_bucket{le="0.25",outcome="compiled"} 0');
    expect(shown).toContain('understudy_compile_duration_seconds_bucket{le="0.5",outcome="compiled"} 1');
    expect(shown).toContain('understudy_jobs_total{outcome="verified"} 1');
    expect(shown).toContain('understudy_native_ruby_defects_total 2');
    expect(shown).toMatch(/^understudy_job_faults_total 1$/m);
    expect(shown).not.toContain('outcome="verified"} 1\nunderstudy_compile');
  });

  it('of the process are there when a store does not answer, and none that were true before', async () => {
    const refuse = () => Promise.reject(new StoreUnavailable('the queue'));
    const metrics = new ServerMetrics({ nodes, queue: { getDepth: refuse }, environments, clock });
    metrics.countCompileJob({ outcome: 'compiled', durationMs: 300 });
    const shown = await metrics.registry.metrics();
    expect(shown).toContain('understudy_jobs_total{outcome="compiled"} 1');
    expect(shown).not.toContain('understudy_queue_jobs{');
  });
});

it('the queue is counted once in five seconds, however many ask', async () => {
  let counted = 0;
  const clock = new ManualClock(60_000);
  const depth = async () => {
    counted += 1;
    return { waiting: IDLE, express: IDLE, background: IDLE, dead: IDLE };
  };
  const nodes = { getCounts: async () => ({ nodes: 0, outstanding: 0 }), listRing: async () => [] };
  const metrics = new ServerMetrics({ nodes, queue: { getDepth: depth }, environments, clock });
  await Promise.all(Array.from({ length: 20 }, () => metrics.registry.metrics()));
  expect(counted).toBe(1);
  clock.time += 5000;
  await metrics.registry.metrics();
  expect(counted).toBe(2);
});
