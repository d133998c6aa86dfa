import { Duration, Stack } from 'aws-cdk-lib';
import {
  Dashboard,
  GraphWidget,
  type IMetric,
  type IWidget,
  MathExpression,
  Metric,
  SingleValueWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { MEASURES } from '../shared/config/metrics.ts';
import type { Broker } from './broker.ts';
import type { Edge } from './edge.ts';
import type { Inventory } from './inventory.ts';
import type { Workers } from './job-functions.ts';
import type { Queues } from './queues.ts';

interface DashboardSettings {
  readonly queues: Queues;
  readonly workers: Workers;
  readonly edge: Edge;
  /** Null: there is none. */
  readonly inventory: Inventory | null;
  /** The namespace of our own metrics. */
  readonly namespace: string;
}

const PERIOD = Duration.minutes(5);
/** Prices in us-east-1 by second and gigabyte, and by hour: see test/cost/prices.ts. */
const PRICES = { lambdaGigabyteSecond: 0.0000133334, containerHour: 0.03238 + 2 * 0.00356 } as const;

/** Work and cost of the service, on one page. */
export class Overview extends Construct {
  readonly #settings: DashboardSettings;

  constructor(scope: Construct, id: string, settings: DashboardSettings) {
    super(scope, id);
    this.#settings = settings;
    new Dashboard(this, 'Dashboard', {
      dashboardName: Stack.of(this).stackName,
      defaultInterval: Duration.hours(12),
      widgets: [
        [this.#graphJobs('Jobs that wait', 'visible'), this.#graphJobs('Age of the oldest job (s)', 'age')],
        [this.#graphFanOut(), this.#graphDeadLetters()],
        [this.#graphAnswers(), this.#graphCompiles()],
        [this.#graphRing(), this.#graphEdge()],
        ...(settings.edge.broker ? [[this.#graphAgents(settings.edge.broker), this.#graphJobsOfAgents()]] : []),
        ...(settings.inventory ? [[this.#graphFeed(settings.inventory), this.#graphDatabase(settings.inventory)]] : []),
        [this.#showCost()],
      ],
    });
  }

  #graphJobs(title: string, what: 'visible' | 'age'): IWidget {
    const { waiting, express, background, fanOut } = this.#settings.queues;
    const metricOf = ({ queue }: typeof waiting, label: string): IMetric => {
      const options = { period: Duration.minutes(1), statistic: 'Maximum', label };
      return what === 'age'
        ? queue.metricApproximateAgeOfOldestMessage(options)
        : queue.metricApproximateNumberOfMessagesVisible(options);
    };
    const left = [metricOf(waiting, 'waiting'), metricOf(express, 'express'), metricOf(background, 'background')];
    return new GraphWidget({ title, left, right: [metricOf(fanOut, 'chains of deploys')], width: 12 });
  }

  /** Progress of deploy fan-outs. */
  #graphFanOut(): IWidget {
    const { queues, workers } = this.#settings;
    const { queue } = queues.fanOut;
    const options = { period: Duration.minutes(1), statistic: 'Maximum' } as const;
    return new GraphWidget({
      title: 'Fan-outs of deploys: chains, and the age of the oldest (s)',
      left: [
        queue.metricApproximateNumberOfMessagesVisible({ ...options, label: 'waiting chains' }),
        queue.metricApproximateNumberOfMessagesNotVisible({ ...options, label: 'chains in progress' }),
        workers.fanOut.metricErrors({ period: PERIOD, statistic: 'Sum', label: 'errors' }),
      ],
      right: [queue.metricApproximateAgeOfOldestMessage({ ...options, label: 'age' })],
      width: 12,
    });
  }

  #graphDeadLetters(): IWidget {
    const { waiting, express, background, fanOut } = this.#settings.queues;
    const all = { waiting, express, background, 'chains of deploys': fanOut };
    const left = Object.entries(all).map(([label, { deadLetters }]) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ period: PERIOD, statistic: 'Maximum', label }),
    );
    return new GraphWidget({ title: 'Given up: messages in dead-letter queues', left, width: 12 });
  }

  #own(metricName: string, label: string, statistic: 'Sum' | 'Maximum' | 'Average' = 'Sum'): Metric {
    const { namespace } = this.#settings;
    return new Metric({ namespace, metricName, statistic, label, period: PERIOD });
  }

  #graphAnswers(): IWidget {
    const { hit, miss, stale, failed, unavailable } = MEASURES.catalogAnswers.cloudWatch;
    const counts = { hit, miss, stale, failed, unavailable };
    const usingMetrics = Object.fromEntries(
      Object.entries(counts).map(([answer, name]) => [answer, this.#own(name, answer)]),
    );
    const rate = new MathExpression({
      expression: '100 * hit / SUM(METRICS())',
      label: 'hit rate (%)',
      period: PERIOD,
      usingMetrics,
    });
    return new GraphWidget({ title: 'Catalogs', left: Object.values(usingMetrics), right: [rate], width: 12 });
  }

  #graphCompiles(): IWidget {
    const { compile } = this.#settings.workers;
    const { compiled, failed, verified } = MEASURES.compileJobs.cloudWatch;
    return new GraphWidget({
      title: 'Compiles, and their time (ms)',
      left: [this.#own(compiled, 'compiled'), this.#own(failed, 'failed'), this.#own(verified, 'verified')],
      right: ['p50', 'p99'].map((statistic) => compile.metricDuration({ statistic, label: statistic, period: PERIOD })),
      width: 12,
    });
  }

  #graphRing(): IWidget {
    const { exports } = this.#settings.workers;
    return new GraphWidget({
      title: 'Ring (s), and the stream of exports (ms)',
      left: [this.#own(MEASURES.ringLag.cloudWatch, 'lag of the ring', 'Maximum')],
      right: [exports.metric('IteratorAge', { statistic: 'Maximum', label: 'age of the stream', period: PERIOD })],
      width: 12,
    });
  }

  #graphEdge(): IWidget {
    const { edge } = this.#settings;
    return new GraphWidget({
      title: 'Edge',
      left: [
        this.#own(MEASURES.requestsWaiting.cloudWatch, 'held requests a container', 'Average'),
        this.#own(MEASURES.openConnections.cloudWatch, 'connections a container', 'Average'),
      ],
      right: [edge.service.metricCpuUtilization({ label: 'CPU (%)', period: PERIOD })],
      width: 12,
    });
  }

  /** Connections of PXP agents: each container writes its number once a minute. */
  #graphAgents({ service }: Broker): IWidget {
    const all = new Metric({
      namespace: this.#settings.namespace,
      metricName: MEASURES.brokerConnections.cloudWatch,
      statistic: 'Sum',
      label: 'connected agents',
      period: Duration.minutes(1),
    });
    return new GraphWidget({
      title: 'PXP agents, and what ends or is turned away',
      left: [all],
      right: [
        this.#own(MEASURES.brokerDisconnects.cloudWatch, 'connections that ended'),
        this.#own(MEASURES.brokerShed.cloudWatch, 'connections turned away'),
        service.metricCpuUtilization({ label: 'CPU of the broker (%)', period: PERIOD }),
      ],
      width: 12,
    });
  }

  #graphJobsOfAgents(): IWidget {
    return new GraphWidget({
      title: 'Jobs, nodes to be notified, and messages (s)',
      left: [
        this.#own(MEASURES.activeJobs.cloudWatch, 'jobs that run', 'Maximum'),
        this.#own(MEASURES.jobsPutOff.cloudWatch, 'jobs that cannot go on', 'Maximum'),
        this.#own(MEASURES.notifyNodes.cloudWatch.due, 'nodes to be notified', 'Maximum'),
      ],
      right: [this.#own(MEASURES.brokerMailWait.cloudWatch, 'longest wait of a message', 'Maximum')],
      width: 12,
    });
  }

  #graphFeed({ feed, query, deadLetters }: Inventory): IWidget {
    return new GraphWidget({
      title: 'Inventory: age of changes (ms), and what fails',
      left: [feed.metric('IteratorAge', { label: 'oldest change', statistic: 'Maximum', period: PERIOD })],
      right: [
        query.metricInvocations({ label: 'queries', period: PERIOD }),
        query.metricErrors({ label: 'queries that failed', period: PERIOD }),
        deadLetters.metricApproximateNumberOfMessagesVisible({ label: 'batches given up', period: PERIOD }),
      ],
      width: 12,
    });
  }

  #graphDatabase({ database }: Inventory): IWidget {
    return new GraphWidget({
      title: "Inventory: the database's capacity and connections",
      left: [database.metric('ServerlessDatabaseCapacity', { label: 'capacity units', period: PERIOD })],
      right: [database.metricDatabaseConnections({ label: 'connections', period: PERIOD })],
      width: 12,
    });
  }

  /** Cost of the two things that grow with use: compiles and containers. */
  #showCost(): IWidget {
    const { workers, edge } = this.#settings;
    const period = Duration.days(1);
    const gigabytes = 1769 / 1024;
    const compiles = new MathExpression({
      expression: `milliseconds / 1000 * ${gigabytes * PRICES.lambdaGigabyteSecond}`,
      label: 'compiles ($ a day)',
      period,
      usingMetrics: { milliseconds: workers.compile.metricDuration({ statistic: 'Sum', period }) },
    });
    const containers = new MathExpression({
      expression: `containers * ${24 * PRICES.containerHour}`,
      label: 'containers ($ a day)',
      period,
      usingMetrics: { containers: edge.agents.metrics.healthyHostCount({ statistic: 'Average', period }) },
    });
    return new SingleValueWidget({ title: 'Estimated cost', metrics: [compiles, containers], width: 24 });
  }
}
