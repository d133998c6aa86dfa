import { Duration } from 'aws-cdk-lib';
import type { ComparisonOperator, IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { NetworkTargetGroup } from 'aws-cdk-lib/aws-elasticloadbalancingv2';

/** A metric with its threshold, and the meaning of a breach. */
export interface AlarmRule {
  readonly id: string;
  readonly metric: IMetric;
  readonly threshold: number;
  readonly periods: number;
  /** Meaning of the alarm; the section of the same name in infra/README.md says what to do. */
  readonly meaning: string;
  /** `>` by default. */
  readonly comparison?: ComparisonOperator;
  /** Treatment of missing data; by default as all well. */
  readonly missing?: TreatMissingData;
}

/** Deploys go back on these: containers that start, and then fail. */
export function unhealthyRule(id: string, { metrics }: NetworkTargetGroup, meaning: string): AlarmRule {
  const metric = metrics.unHealthyHostCount({ period: Duration.minutes(1), statistic: 'Maximum' });
  return { id, metric, threshold: 0, periods: 5, meaning };
}
