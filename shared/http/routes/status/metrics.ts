import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Endpoint } from '../../endpoint.ts';
import { jsonRefusal } from '../../exchange/answers.ts';
import { sendJson } from '../../exchange/content-encoding.ts';
import { createRoute } from '../../route.ts';
import type { StatusServices } from '../../services.ts';

/** `GET /metrics`: all metrics in Prometheus' text format. */
export const getMetrics = createRoute<Pick<StatusServices, 'metrics'>>('GET', '/metrics', async (_, { metrics }) => {
  const text = await metrics.registry.metrics();
  return new Response(text, { headers: { 'Content-Type': metrics.registry.contentType } });
});

type MetricsServices = Pick<StatusServices, 'clock' | 'metrics'>;

const DOMAIN = 'understudy';
const VERSION = { agent: '2.0.0', protocol: '7.2' };

/**
 * `GET /metrics/v2/...`: the same metrics in the format of Puppet Server's metrics API (Jolokia):
 * `version`, `list[/<domain>]`, and `read/<domain>:name=<metric>`. Each value is an attribute,
 * named by its labels.
 */
export const metricsV2Endpoints: readonly Endpoint<MetricsServices>[] = [
  '/metrics/v2',
  '/metrics/v2/:verb',
  '/metrics/v2/:verb/:name{.+}',
].map((path) =>
  createRoute('GET', path, async (context, services) => {
    const verb = context.req.param('verb') ?? 'version';
    const name = context.req.param('name') ?? null;
    const [request, value] = await answer(verb, name, services);
    const timestamp = Math.floor(services.clock.now() / 1000);
    return sendJson(context, { request, value, timestamp, status: 200 });
  }),
);

async function answer(
  verb: string,
  name: string | null,
  services: MetricsServices,
): Promise<readonly [object, unknown]> {
  switch (verb) {
    case 'version':
      return [{ type: 'version' }, VERSION];
    case 'list': {
      const listed = listMetrics(await services.metrics.registry.getMetricsAsJSON());
      if (name === null) return [{ type: 'list' }, { [DOMAIN]: listed }];
      if (name === DOMAIN) return [{ path: name, type: 'list' }, listed];
      throw missingMetricError(name);
    }
    case 'read': {
      const metric = /^understudy:name=(\w+)$/.exec(name ?? '')?.[1];
      const found = (await services.metrics.registry.getMetricsAsJSON()).find((one) => one.name === metric);
      if (!found) throw missingMetricError(name ?? '');
      return [{ mbean: name, type: 'read' }, readAttributes(found)];
    }
    default:
      throw jsonRefusal(400, 'metrics/invalid-request', `Operation '${verb}' is none of version, list, read`);
  }
}

function missingMetricError(name: string) {
  return jsonRefusal(404, 'metrics/not-found', `There are no metrics '${name}'; /metrics/v2/list names them`);
}

function listMetrics(metrics: readonly MetricObjectWithValues<MetricValue<string>>[]) {
  const described = metrics.map((metric) => {
    const attr = Object.keys(readAttributes(metric)).map((name) => [
      name,
      { rw: false, type: 'double', desc: metric.help },
    ]);
    return [`name=${metric.name}`, { attr: Object.fromEntries(attr) }];
  });
  return Object.fromEntries(described);
}

function readAttributes({ values }: MetricObjectWithValues<MetricValue<string>>): Record<string, number> {
  return Object.fromEntries(values.map((value) => [attributeName(value), value.value]));
}

function attributeName(value: MetricValue<string>): string {
  const labels = Object.entries(value.labels).map(([label, of]) => `${label}=${of}`);
  const series = 'metricName' in value && typeof value.metricName === 'string' ? [value.metricName] : [];
  return [...series, ...labels].join(',') || 'Value';
}
