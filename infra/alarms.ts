import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  AlarmRule as CompositeRule,
  Metric,
  type Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { AlarmBehavior, type FargateService } from 'aws-cdk-lib/aws-ecs';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SnsTopic } from 'aws-cdk-lib/aws-events-targets';
import { Effect, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import { MEASURES } from '../shared/config/metrics.ts';
import { type AlarmRule, unhealthyRule } from './alarm-rule.ts';
import type { SubscribersContext } from './context/operations-context.ts';
import type { Edge } from './edge.ts';
import type { FrontDoor } from './front-door.ts';
import type { Inventory } from './inventory.ts';
import type { Workers } from './job-functions.ts';
import type { Notify } from './notify.ts';
import { orchestratorRules } from './orchestrator-alarms.ts';
import type { Queues, QueueWithDeadLetters } from './queues.ts';

export interface AlarmsSettings {
  /** Null: there is none. */
  readonly inventory: Inventory | null;
  /** Seals the certificate authority's key. */
  readonly authorityKey: IKey;
  readonly edge: Edge;
  readonly frontDoor: FrontDoor;
  readonly queues: Queues;
  readonly workers: Workers;
  /** Null without an orchestrator. */
  readonly notify: Notify | null;
  /** Age of the oldest message that an agent waits for, in seconds. */
  readonly waitingAgeSeconds: number;
  /** Age of the oldest express message, in seconds. */
  readonly expressAgeSeconds: number;
  /** Age of the oldest background message, in seconds. */
  readonly backgroundAgeSeconds: number;
  readonly waitingDepth: number;
  readonly expressDepth: number;
  readonly backgroundDepth: number;
  /** Whether there is a probe. */
  readonly hasProbe: boolean;
  /** The namespace of our own metrics. */
  readonly namespace: string;
  /** The longest wait of the node least recently compiled or verified, in seconds. */
  readonly ringLagSeconds: number;
  /** Who is notified. */
  readonly subscribers: SubscribersContext;
  /** URL of the runbook; absent: the file of this repository is named. */
  readonly runbook?: string;
}

/** Alarms that have one cause as a rule: one composite alarm notifies for all of them. */
interface Cause {
  readonly id: string;
  readonly meaning: string;
  /** The rules of the alarms. */
  readonly of: readonly string[];
}

/**
 * Alarms that need somebody now, by their cause: nodes get no service, or work is given up. All
 * others are warnings for working hours.
 */
const CRITICAL: readonly Cause[] = [
  { id: 'AgentsUnserved', meaning: 'Agents get no service.', of: ['EdgeGone', 'Probe'] },
  {
    id: 'AuthorityFails',
    meaning: 'Certificates, deploys and jobs stand still.',
    of: ['AuthorityGone', 'AuthorityKey'],
  },
  {
    id: 'CompilesFail',
    meaning: 'Nodes get no new catalogs, or wait for them.',
    of: [
      ...['WaitingAge', 'CompileErrors', 'CompileThrottles', 'JobFaults'],
      ...['WaitingDeadLetters', 'ExpressDeadLetters'],
    ],
  },
  {
    id: 'ChangesLost',
    meaning: 'Nodes were not invalidated for a change, or are not verified.',
    of: ['FanOutDeadLetters', 'ExportsDeadLetters', 'RingLag'],
  },
  { id: 'BrokerGone', meaning: 'No node can be asked to run.', of: ['BrokerGone'] },
  { id: 'ApiErrors', meaning: 'The HTTP API fails.', of: ['ApiErrors'] },
];

/** A chain is done within minutes, unless the stores throttle. */
const FAN_OUT_AGE_SECONDS = 900;
/** A deploy has at most 256 chains. */
const FAN_OUT_DEPTH = 5000;

/**
 * The alarms of the system, with a topic for those that need somebody now, and one for warnings.
 * Each names its section of the runbook in infra/README.md.
 */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly warnings: Topic;
  /** By the name of their rule. */
  readonly byName: ReadonlyMap<string, Alarm>;

  constructor(scope: Construct, id: string, settings: AlarmsSettings) {
    super(scope, id);
    const { subscribers, runbook = README } = settings;
    this.topic = this.#createTopic('Topic', 'Understudy alarms', subscribers.critical);
    this.warnings = this.#createTopic('Warnings', 'Understudy warnings', subscribers.warning);
    for (const topic of [this.topic, this.warnings]) letPublish(topic, 'cloudwatch.amazonaws.com');
    const rules = listRules(settings);
    this.byName = new Map(rules.map((rule) => [rule.id, this.#createAlarm(rule, runbook)]));
    for (const [name, alarm] of this.byName) {
      if (!CRITICAL.some((cause) => cause.of.includes(name))) notify(alarm, this.warnings);
    }
    for (const cause of CRITICAL) this.#notifyOf(cause, runbook);
    this.#watchKey(settings.authorityKey, runbook);
    const { edge } = settings;
    this.#goBackOn('EdgeUnhealthy', edge.service);
    this.#goBackOn('AuthorityUnhealthy', edge.authority.service);
    if (edge.broker) this.#goBackOn('BrokerUnhealthy', edge.broker.service);
  }

  /** A deploy of the service's containers goes back when the alarm goes off meanwhile. */
  #goBackOn(name: string, service: FargateService): void {
    const alarm = this.byName.get(name);
    if (!alarm) throw new Error(`no alarm ${name}`);
    service.enableDeploymentAlarms([alarm.alarmName], { behavior: AlarmBehavior.ROLLBACK_ON_ALARM });
  }

  #createTopic(id: string, displayName: string, subscribers: readonly string[]): Topic {
    const topic = new Topic(this, id, { displayName, enforceSSL: true });
    for (const subscriber of subscribers) {
      topic.addSubscription(
        subscriber.startsWith('https:') ? new UrlSubscription(subscriber) : new EmailSubscription(subscriber),
      );
    }
    return topic;
  }

  /** Allows a service that notifies to publish to the topic of what needs somebody now. */
  letPublish(service: string): void {
    letPublish(this.topic, service);
  }

  /** Notifies when somebody disables the key or schedules its deletion, before anything fails. */
  #watchKey(key: IKey, runbook: string): void {
    new Rule(this, 'AuthorityKeyChange', {
      description: `The certificate authority's key is disabled or scheduled for deletion. ${place(runbook, 'AuthorityKey')}`,
      eventPattern: {
        source: ['aws.kms'],
        detailType: ['AWS API Call via CloudTrail'],
        detail: { eventName: ['DisableKey', 'ScheduleKeyDeletion'], resources: { ARN: [key.keyArn] } },
      },
      targets: [new SnsTopic(this.topic)],
    });
  }

  #createAlarm(rule: AlarmRule, runbook: string): Alarm {
    return new Alarm(this, rule.id, {
      alarmDescription: `${rule.meaning} ${place(runbook, rule.id)}`,
      metric: rule.metric,
      threshold: rule.threshold,
      evaluationPeriods: rule.periods,
      comparisonOperator: rule.comparison ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: rule.missing ?? TreatMissingData.NOT_BREACHING,
    });
  }

  /** Notifies once for a cause, however many of its alarms go off. */
  #notifyOf(cause: Cause, runbook: string): void {
    const alarms = cause.of.flatMap((name) => this.byName.get(name) ?? []);
    const [only] = alarms;
    const alarm = alarms.length > 1 ? this.#join(cause, alarms, runbook) : only;
    if (alarm) notify(alarm, this.topic);
  }

  #join({ id, meaning }: Cause, alarms: readonly Alarm[], runbook: string): CompositeAlarm {
    return new CompositeAlarm(this, id, {
      alarmRule: CompositeRule.anyOf(...alarms.map((alarm) => CompositeRule.fromAlarm(alarm, AlarmState.ALARM))),
      alarmDescription: `${meaning} ${place(runbook, id)}`,
    });
  }
}

function notify(alarm: AlarmBase, topic: Topic): void {
  const action = new SnsAction(topic);
  alarm.addAlarmAction(action);
  alarm.addOkAction(action);
}

/** The runbook, where the operator names no other place. */
const README = 'infra/README.md';

/** Names the section of the runbook, as a link where the operator keeps one. */
function place(runbook: string, section: string): string {
  return runbook === README ? `Runbook: ${README}, "${section}".` : `Runbook: ${runbook}#${section.toLowerCase()}`;
}

/**
 * Allows a service of this account to publish. The topic's own policy replaces the default policy,
 * which lets the whole account publish. The target of a rule adds EventBridge by itself; the action
 * of an alarm adds nothing.
 */
function letPublish(topic: Topic, service: string): void {
  topic.addToResourcePolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal(service)],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(topic).account } },
    }),
  );
}

function listRules(settings: AlarmsSettings): AlarmRule[] {
  const { queues } = settings;
  return [
    ...queueRules('Waiting', queues.waiting, settings.waitingAgeSeconds, settings.waitingDepth),
    ...queueRules('Express', queues.express, settings.expressAgeSeconds, settings.expressDepth),
    ...queueRules('Background', queues.background, settings.backgroundAgeSeconds, settings.backgroundDepth),
    ...queueRules('FanOut', queues.fanOut, FAN_OUT_AGE_SECONDS, FAN_OUT_DEPTH),
    ...streamRules(settings),
    ...errorRules(settings),
    {
      id: 'JobFaults',
      // A failed job is reported to its queue; for Lambda the function succeeded.
      metric: ownMetric(settings, MEASURES.jobFaults.cloudWatch, 'Sum'),
      threshold: 10,
      periods: 2,
      meaning: "Jobs fail for reasons other than the user's code, and are retried.",
    },
    {
      id: 'MissingPacks',
      metric: ownMetric(settings, MEASURES.missingPacks.cloudWatch, 'Sum'),
      threshold: 0,
      // A pack that is missed once may belong to code that was just pruned.
      periods: 3,
      meaning: 'Packs of code are missing or damaged: cold compiles read their files one by one.',
    },
    ...edgeRules(settings),
    ...authorityRules(settings),
    ...orchestratorRules(settings),
    ...inventoryRules(settings),
    ...probeRules(settings),
    {
      id: 'RingLag',
      metric: ownMetric(settings, MEASURES.ringLag.cloudWatch),
      threshold: settings.ringLagSeconds,
      periods: 3,
      meaning: 'The node least recently compiled or verified has waited too long, or nothing feeds the ring.',
      // The feeder writes the metric every minute.
      missing: TreatMissingData.BREACHING,
    },
  ];
}

/** The stream of the exports table behaves like a queue. */
function streamRules({ queues, workers }: AlarmsSettings): AlarmRule[] {
  const { exportsDeadLetters: dead } = queues;
  return [
    {
      id: 'ExportsAge',
      metric: workers.exports.metric('IteratorAge', { period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: Duration.minutes(15).toMilliseconds(),
      periods: 3,
      meaning: 'Changes of exported resources wait too long until the collecting nodes are queued.',
    },
    {
      id: 'ExportsDeadLetters',
      metric: toVisibleMessages(dead.metricApproximateNumberOfMessagesVisible.bind(dead)),
      threshold: 0,
      periods: 1,
      meaning: 'Changes of exported resources could not be processed; the collecting nodes were not queued.',
    },
  ];
}

function errorRules({ workers, frontDoor }: AlarmsSettings): AlarmRule[] {
  const errors = (id: string, { handler, periods, meaning, hours = 0 }: ErrorRule): AlarmRule => ({
    id,
    metric: handler.metricErrors({ period: hours > 0 ? Duration.hours(hours) : Duration.minutes(5), statistic: 'Sum' }),
    threshold: 0,
    periods,
    meaning,
  });
  return [
    errors('ApiErrors', {
      handler: frontDoor.handler,
      periods: 2,
      meaning: 'The function behind the HTTP API fails, or does not answer in time.',
    }),
    errors('CompileErrors', {
      handler: workers.compile,
      periods: 1,
      meaning: 'The compile function itself failed (manifest errors are stored results and do not count).',
    }),
    {
      id: 'CompileThrottles',
      // Lambda counts no error; a job that is refused five times becomes a dead letter.
      metric: workers.compile.metricThrottles({ period: Duration.minutes(5), statistic: 'Sum' }),
      threshold: 0,
      periods: 3,
      meaning: 'Lambda refuses to start compiles: the functions of this account use all of its concurrency.',
    },
    errors('ExportsErrors', {
      handler: workers.exports,
      periods: 2,
      meaning: 'The exports function fails; its batches are retried.',
    }),
    errors('FanOutErrors', {
      handler: workers.fanOut,
      periods: 2,
      meaning: 'The fan-out function fails: nodes that a deploy affects are invalidated late.',
    }),
    errors('FeedErrors', { handler: workers.feed, periods: 3, meaning: 'The ring is not fed.' }),
    errors('PruneErrors', {
      handler: workers.prune,
      hours: 6,
      periods: 2,
      meaning: 'Pruning fails: expired code, reports and bucket files are not deleted.',
    }),
  ];
}

function inventoryRules({ inventory }: AlarmsSettings): AlarmRule[] {
  if (inventory === null) return [];
  const { feed, maintenance, deadLetters } = inventory;
  return [
    {
      id: 'InventoryAge',
      metric: feed.metric('IteratorAge', { period: Duration.minutes(5), statistic: 'Maximum' }),
      threshold: Duration.hours(1).toMilliseconds(),
      periods: 3,
      meaning: 'Changes of nodes wait for the inventory for more than an hour; after a day they are lost for it.',
    },
    {
      id: 'InventoryDeadLetters',
      metric: toVisibleMessages(deadLetters.metricApproximateNumberOfMessagesVisible.bind(deadLetters)),
      threshold: 0,
      periods: 1,
      meaning: 'Changes of nodes did not reach the inventory within a day.',
    },
    {
      id: 'InventoryErrors',
      metric: maintenance.metricErrors({ period: Duration.hours(1), statistic: 'Sum' }),
      threshold: 0,
      periods: 3,
      meaning: 'The inventory is not cleaned, and passes over all nodes do not go on.',
    },
  ];
}

interface ErrorRule extends Pick<AlarmRule, 'periods' | 'meaning'> {
  readonly handler: IFunction;
  /** Errors are summed over this many hours; over five minutes by default. */
  readonly hours?: number;
}

function edgeRules({ edge }: AlarmsSettings): AlarmRule[] {
  return [
    {
      id: 'EdgeGone',
      metric: edge.agents.metrics.healthyHostCount({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: 1,
      periods: 3,
      meaning: 'No container of the edge answers.',
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      // Without any container there is no count.
      missing: TreatMissingData.BREACHING,
    },
    unhealthyRule('EdgeUnhealthy', edge.agents, 'A container of the edge does not answer.'),
    {
      id: 'EdgeLoad',
      metric: edge.service.metricCpuUtilization({ period: Duration.minutes(5) }),
      threshold: 80,
      periods: 3,
      meaning: 'The edge has reached its largest number of containers and is busy.',
    },
  ];
}

function authorityRules(settings: AlarmsSettings): AlarmRule[] {
  const { operators } = settings.edge.authority;
  const { metrics } = operators;
  return [
    unhealthyRule('AuthorityUnhealthy', operators, 'A container of the authority service does not answer.'),
    {
      id: 'AuthorityGone',
      metric: metrics.healthyHostCount({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: 1,
      periods: 5,
      meaning: 'The authority service does not answer: nothing is signed, revoked or deployed over HTTPS.',
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
    },
    {
      id: 'AuthorityKey',
      metric: ownMetric(settings, MEASURES.authorityKeyFailures.cloudWatch, 'Sum'),
      threshold: 0,
      periods: 1,
      meaning: "KMS does not seal or open the certificate authority's key.",
    },
    {
      id: 'RevocationListAge',
      metric: ownMetric(settings, MEASURES.revocationListAge.cloudWatch),
      threshold: Duration.minutes(15).toSeconds(),
      periods: 1,
      meaning: 'The upstream certificate authority has not confirmed its revocation lists.',
    },
  ];
}

function probeRules(settings: AlarmsSettings): AlarmRule[] {
  if (!settings.hasProbe) return [];
  return [
    {
      id: 'Probe',
      metric: ownMetric(settings, MEASURES.probeFailures.cloudWatch, 'Sum'),
      threshold: 0,
      periods: 2,
      meaning: "An agent's whole run fails, or nobody tries one.",
      missing: TreatMissingData.BREACHING,
    },
  ];
}

/** A metric that our functions and containers write to their logs. */
function ownMetric(
  { namespace }: Pick<AlarmsSettings, 'namespace'>,
  metricName: string,
  statistic: 'Maximum' | 'Sum' = 'Maximum',
): Metric {
  return new Metric({ namespace, metricName, period: Duration.minutes(5), statistic });
}

function queueRules(id: string, { queue, deadLetters }: QueueWithDeadLetters, age: number, depth: number): AlarmRule[] {
  return [
    {
      id: `${id}Age`,
      metric: queue.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1), statistic: 'Maximum' }),
      threshold: age,
      periods: 3,
      meaning: 'Jobs wait too long.',
    },
    {
      id: `${id}Depth`,
      metric: toVisibleMessages(queue.metricApproximateNumberOfMessagesVisible.bind(queue)),
      threshold: depth,
      periods: 5,
      meaning: 'Jobs arrive faster than the compilers finish them.',
    },
    // The age of the oldest message ignores messages received three times or more; the alarm on
    // dead letters covers those.
    {
      id: `${id}DeadLetters`,
      metric: toVisibleMessages(deadLetters.metricApproximateNumberOfMessagesVisible.bind(deadLetters)),
      threshold: 0,
      periods: 1,
      meaning: 'Jobs were given up.',
    },
  ];
}

type MetricMethod = (options: { period: Duration; statistic: (typeof Stats)['MAXIMUM'] }) => Metric;

function toVisibleMessages(metric: MetricMethod): Metric {
  return metric({ period: Duration.minutes(1), statistic: 'Maximum' });
}
