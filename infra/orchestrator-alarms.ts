import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type IMetric, MathExpression, Metric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { MEASURES } from '../shared/config/metrics.ts';
import { type AlarmRule, unhealthyRule } from './alarm-rule.ts';
import type { AlarmsSettings } from './alarms.ts';
import type { Broker } from './broker.ts';

/**
 * The share of all connections that end within five minutes, in percent, and their least number.
 */
const STORM = { percent: 30, connections: 50 } as const;
/** A letter usually waits for a quarter of a second at most. */
const MAIL_SECONDS = 5;
/** Nodes that wait to be notified. A paced deploy of a large site has many of them for an hour. */
const NOTIFY_BACKLOG = 100_000;

type Settings = Pick<AlarmsSettings, 'edge' | 'namespace' | 'notify'>;

/** The alarms of the broker and of jobs; none without an orchestrator. */
export function orchestratorRules(settings: Settings): AlarmRule[] {
  const { broker } = settings.edge;
  return broker === null ? [] : [...brokerRules(settings, broker), ...jobRules(settings), ...notifyRules(settings)];
}

function brokerRules(settings: Settings, { agents, service }: Broker): AlarmRule[] {
  return [
    {
      id: 'BrokerGone',
      metric: agents.metrics.healthyHostCount({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: 1,
      periods: 3,
      meaning: 'No container of the PCP broker answers: no node can be asked to run.',
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
    },
    unhealthyRule('BrokerUnhealthy', agents, 'A container of the PCP broker does not answer.'),
    {
      id: 'BrokerLoad',
      metric: service.metricCpuUtilization({ period: Duration.minutes(5) }),
      threshold: 80,
      periods: 3,
      meaning: 'The PCP broker has reached its largest number of containers and is busy.',
    },
    {
      id: 'DisconnectStorm',
      metric: stormOf(settings),
      threshold: STORM.percent,
      periods: 1,
      meaning: 'A large part of the PXP agents lost their connection within five minutes.',
    },
    {
      id: 'BrokerMail',
      metric: own(settings, MEASURES.brokerMailWait.cloudWatch, 'Maximum'),
      threshold: MAIL_SECONDS,
      periods: 3,
      meaning: 'Messages between brokers, and from and to jobs, wait too long.',
    },
  ];
}

function jobRules(settings: Settings): AlarmRule[] {
  return [
    {
      id: 'JobsStuck',
      metric: own(settings, MEASURES.jobsPutOff.cloudWatch, 'Minimum'),
      threshold: 0,
      periods: 3,
      meaning: 'Jobs of the orchestrator cannot go on.',
    },
    {
      id: 'NotifyBacklog',
      metric: own(settings, MEASURES.notifyNodes.cloudWatch.due, 'Maximum'),
      threshold: NOTIFY_BACKLOG,
      periods: 12,
      meaning: 'Very many nodes with a changed catalog are still to be notified to run.',
    },
    {
      id: 'NotifyGivenUp',
      metric: own(settings, MEASURES.notifyNodes.cloudWatch.dead, 'Maximum'),
      threshold: 0,
      periods: 1,
      meaning: 'Nodes with a changed catalog were not notified to run; they get it with their next run.',
    },
    {
      id: 'NotifyPaused',
      metric: own(settings, MEASURES.notifyPaused.cloudWatch, 'Maximum'),
      threshold: 0,
      periods: 1,
      meaning: 'The first nodes with changed catalogs did worse than before; the others wait for an operator.',
    },
  ];
}

/** The stream of the nodes table behaves like a queue. */
function notifyRules({ notify }: Settings): AlarmRule[] {
  if (notify === null) return [];
  const { deadLetters, record } = notify;
  const period = Duration.minutes(1);
  return [
    {
      id: 'NotifyAge',
      metric: record.metric('IteratorAge', { period, statistic: 'Maximum' }),
      threshold: Duration.minutes(15).toMilliseconds(),
      periods: 3,
      meaning: 'Changes of catalogs wait too long until their nodes are due for a run.',
    },
    {
      id: 'NotifyDeadLetters',
      metric: deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: 'Maximum' }),
      threshold: 0,
      periods: 1,
      meaning: 'Changes of catalogs could not be processed; their nodes get them with their next run.',
    },
  ];
}

/** The percentage of connections that ended, where there are more than a few. */
function stormOf(settings: Settings): IMetric {
  const usingMetrics = {
    ended: own(settings, MEASURES.brokerDisconnects.cloudWatch, 'Sum'),
    // Each container writes its number once a minute.
    written: own(settings, MEASURES.brokerConnections.cloudWatch, 'Sum'),
  };
  return new MathExpression({
    expression: `IF(ended > ${STORM.connections}, 100 * ended / (ended + written / 5), 0)`,
    label: 'connections that ended (%)',
    period: Duration.minutes(5),
    usingMetrics,
  });
}

function own({ namespace }: Settings, metricName: string, statistic: 'Maximum' | 'Minimum' | 'Sum'): Metric {
  return new Metric({ namespace, metricName, period: Duration.minutes(5), statistic });
}
