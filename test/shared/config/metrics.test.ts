import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { CLOUDWATCH_UNITS, MEASURES, type Measure } from '../../../shared/config/metrics.ts';
import { metricLine } from '../../../shared/fleet/compiles/metric-line.ts';
import { showNotify } from '../../../shared/http/operator/notify-metrics.ts';
import { showServers } from '../../../shared/http/operator/servers-metrics.ts';
import { ServerMetrics } from '../../../shared/http/server-metrics.ts';
import { ManualClock } from '../../helpers/memory-stores.ts';
import { TWO_SERVERS } from '../../helpers/two-servers.ts';

const IDLE = { visible: 0, inFlight: 0, oldestAgeMs: 0 };
const MEASURED = Object.values<Measure>(MEASURES);

/** Our metrics as Prometheus sees them. */
async function listShown() {
  const getDepth = async () => ({ waiting: IDLE, express: IDLE, background: IDLE, dead: IDLE });
  const nodes = { getCounts: async () => ({ nodes: 0, outstanding: 0 }), listRing: async () => [] };
  const metrics = new ServerMetrics({
    nodes,
    queue: { getDepth },
    environments: { list: async () => [] },
    clock: new ManualClock(0),
  });
  metrics.showWaiting(() => 0);
  metrics.showDamage(() => ({ blob: 0 }));
  showNotify(metrics.registry, async () => ({ due: 0, later: 0, parked: 0, dead: 0, notified: 0, paused: 0 }));
  showServers(metrics.registry, async () => TWO_SERVERS);
  const all = await metrics.registry.getMetricsAsJSON();
  return all.filter(({ name }) => name.startsWith('understudy_'));
}

it('has these names in CloudWatch, which alarms and dashboards of operators use', () => {
  expect([...CLOUDWATCH_UNITS]).toEqual([
    ['CatalogHits', 'Count'],
    ['CatalogMisses', 'Count'],
    ['StaleAnswers', 'Count'],
    ['FailedAnswers', 'Count'],
    ['UnavailableAnswers', 'Count'],
    ['CompiledCatalogs', 'Count'],
    ['FailedCatalogs', 'Count'],
    ['VerifiedCatalogs', 'Count'],
    ['NativeRubyDefects', 'Count'],
    ['HeldRequests', 'Count'],
    ['OpenConnections', 'Count'],
    ['RingLagSeconds', 'Seconds'],
    ['StagesOnTrial', 'Count'],
    ['StagesHeld', 'Count'],
    ['JobFaults', 'Count'],
    ['MissingPacks', 'Count'],
    ['NotifyBacklog', 'Count'],
    ['NotifyRetries', 'Count'],
    ['NotifyParked', 'Count'],
    ['NotifyGivenUp', 'Count'],
    ['NotifiedNodes', 'Count'],
    ['NotifyPaused', 'Count'],
    ['RevocationListAgeSeconds', 'Seconds'],
    ['BrokerConnections', 'Count'],
    ['BrokerDisconnects', 'Count'],
    ['BrokerShedConnections', 'Count'],
    ['BrokerMailWaitSeconds', 'Seconds'],
    ['ActiveJobs', 'Count'],
    ['JobsPutOff', 'Count'],
    ['ProbeFailures', 'Count'],
    ['AuthorityKeyFailures', 'Count'],
    ['InventoryNodesBrought', 'Count'],
  ]);
});

it('has these names for Prometheus', async () => {
  expect((await listShown()).map(({ name, type }) => `${name} ${type}`).sort()).toEqual([
    'understudy_catalog_answers_total counter',
    'understudy_catalog_requests_waiting gauge',
    'understudy_comparisons_skipped_total counter',
    'understudy_compile_duration_seconds histogram',
    'understudy_damage_found_total counter',
    'understudy_database_clock_offset_seconds gauge',
    'understudy_database_connections gauge',
    'understudy_database_lag_bytes gauge',
    'understudy_database_synchronous gauge',
    'understudy_forwarded_reports_total counter',
    'understudy_http_request_duration_seconds histogram',
    'understudy_job_faults_total counter',
    'understudy_jobs_total counter',
    'understudy_leads gauge',
    'understudy_missing_packs_total counter',
    'understudy_native_ruby_defects_total counter',
    'understudy_nodes gauge',
    'understudy_notified_nodes_total counter',
    'understudy_notify_nodes gauge',
    'understudy_notify_paused gauge',
    'understudy_queue_jobs gauge',
    'understudy_queue_oldest_seconds gauge',
    'understudy_ring_lag_seconds gauge',
    'understudy_servers gauge',
    'understudy_staged_deploys gauge',
  ]);
});

it('shows Prometheus every measure with a name there, as what it is listed', async () => {
  const listed = MEASURED.flatMap(({ prometheus, kind, help }) => (prometheus ? [[prometheus, kind, help]] : []));
  const shown = (await listShown()).map(({ name, type, help }) => [name, type, help]);
  expect(new Set(shown.map(String))).toEqual(new Set(listed.map(String)));
});

it('has every metric that the documentation names', () => {
  const docs = join(import.meta.dirname, '../../../docs');
  const texts = readdirSync(docs).flatMap((name) =>
    name.endsWith('.md') ? readFileSync(join(docs, name), 'utf8') : [],
  );
  // The module `understudy_runner` has the same beginning.
  const named = new Set(texts.join().match(/\bunderstudy_(?!runner(?:_|\b))[a-z_]*[a-z]\b/g));
  expect(named.size).toBeGreaterThan(10);
  expect([...named].filter((name) => !MEASURED.some(({ prometheus }) => prometheus === name))).toEqual([]);
});

it.each(MEASURED)('gives the unit of $help in its names', ({ unit, prometheus, cloudWatch }) => {
  if (prometheus) expect(prometheus.endsWith('_seconds')).toBe(unit === 'Seconds');
  if (prometheus) expect(prometheus.endsWith('_bytes')).toBe(unit === 'Bytes');
  if (typeof cloudWatch === 'string') expect(cloudWatch.endsWith('Seconds')).toBe(unit === 'Seconds');
});

it('writes a line in embedded metric format', () => {
  expect(JSON.parse(metricLine({ RingLagSeconds: 12, JobFaults: 1 }, 1700))).toEqual({
    _aws: {
      Timestamp: 1700,
      CloudWatchMetrics: [
        {
          Namespace: 'Understudy',
          Dimensions: [[]],
          Metrics: [
            { Name: 'RingLagSeconds', Unit: 'Seconds' },
            { Name: 'JobFaults', Unit: 'Count' },
          ],
        },
      ],
    },
    RingLagSeconds: 12,
    JobFaults: 1,
  });
  expect(() => metricLine({ NoSuchMetric: 1 }, 0)).toThrow('invariant: the metric NoSuchMetric is not listed');
});
