import { CLOUDWATCH_UNITS, METRIC_NAMESPACE } from '../../config/metrics.ts';

/** A log line in CloudWatch's embedded metric format; `values` by metric name. */
export function metricLine(values: Readonly<Record<string, number>>, at: number): string {
  const Metrics = Object.keys(values).map((Name) => ({ Name, Unit: unitOf(Name) }));
  const _aws = { Timestamp: at, CloudWatchMetrics: [{ Namespace: METRIC_NAMESPACE, Dimensions: [[]], Metrics }] };
  return `${JSON.stringify({ _aws, ...values })}\n`;
}

function unitOf(name: string): string {
  const unit = CLOUDWATCH_UNITS.get(name);
  if (unit === undefined) throw new Error(`invariant: the metric ${name} is not listed`);
  return unit;
}
