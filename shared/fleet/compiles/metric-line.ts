import { METRICS } from '../../config/metrics.ts';

/**
 * A log line in CloudWatch's embedded metric format. `values` by metric name; those whose name ends
 * in `Seconds` are seconds, all others counts.
 */
export function metricLine(values: Readonly<Record<string, number>>, at: number): string {
  const Metrics = Object.keys(values).map((Name) => ({ Name, Unit: Name.endsWith('Seconds') ? 'Seconds' : 'Count' }));
  const _aws = { Timestamp: at, CloudWatchMetrics: [{ Namespace: METRICS.namespace, Dimensions: [[]], Metrics }] };
  return `${JSON.stringify({ _aws, ...values })}\n`;
}
