import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { AwsJobStore } from '../../shared/store/aws/job-store.ts';
import { Table } from '../../shared/store/aws/table.ts';
import type { JobStore } from '../../shared/store/ports/job-store.ts';
import { deployNames, startEmulators } from '../helpers/aws-emulators.ts';
import { DEPLOY_ORDER, Orchestration, TASK_ORDER } from '../helpers/orchestration.ts';
import { type Measure, measureOf } from './measure.ts';

const RUN = { transaction_uuid: 'u', environment: 'production', status: 'unchanged', metrics: {}, exitcode: 0 };

/** What a job asked of its stores and agents. */
export interface JobRun {
  readonly finished: number;
  readonly commits: number;
  /** Calls of the job store and the blob store, by all names. */
  readonly calls: number;
  /** Requests to agents. */
  readonly requests: number;
  /** Times that a node was run. */
  readonly runs: number;
  readonly isInOrder: boolean;
  readonly lastEvent: string | undefined;
  readonly eventCount: number;
  /** Nodes that ran at a time, at most. */
  readonly mostRunning: number;
  /** Simulated seconds. */
  readonly seconds: number;
}

/** Runs a job on so many simulated agents, each of which takes two seconds. */
export async function runLargeJob(nodes: number, kind: 'task' | 'deploy' = 'task', store?: JobStore): Promise<JobRun> {
  const counts = { commits: 0, calls: 0 };
  const count = (jobs: JobStore): JobStore =>
    new Proxy(jobs, {
      get: (target, key) => {
        const method: unknown = Reflect.get(target, key);
        if (typeof method !== 'function') return method;
        return (...args: readonly unknown[]) => {
          counts.calls += 1;
          if (key === 'commit') counts.commits += 1;
          return Reflect.apply(method, target, args);
        };
      },
    });
  // Without other jobs, all passes are this one's; a catalog is current for nine of ten nodes.
  const isCurrent = async (certname: string) => !certname.endsWith('7.example.com');
  const world = new Orchestration({ currency: { isCurrent }, wrap: (jobs) => count(store ?? jobs) });
  try {
    const names = Array.from({ length: nodes }, (_, index) => `n${index}.example.com`);
    world.network.addAgents(names, { runMs: 2000, ...(kind === 'deploy' ? { results: RUN } : {}) });
    const number = await world.createJob({ names }, kind === 'deploy' ? DEPLOY_ORDER : TASK_ORDER);
    let seconds = 0;
    let mostRunning = 0;
    while (world.engine.active.length > 0 && seconds < 100_000) {
      mostRunning = Math.max(mostRunning, world.network.countRunning());
      await world.pass(1);
      seconds += 1;
    }
    const events = await world.events(number);
    const agents = [...world.network.agents.values()];
    return {
      finished: (await world.job(number)).nodeStates.finished ?? 0,
      ...counts,
      requests: agents.reduce((sum, { requests }) => sum + requests.length, 0),
      runs: agents.reduce((sum, { runs }) => sum + runs, 0),
      isInOrder: events.every(({ id }, index) => index === 0 || id > (events[index - 1]?.id ?? 0)),
      lastEvent: events.at(-1)?.type,
      eventCount: events.length,
      mostRunning,
      seconds,
    };
  } finally {
    world.close();
  }
}

/** A table that counts its requests. */
class CountingTable extends Table {
  requests = 0;

  override get(...args: Parameters<Table['get']>): ReturnType<Table['get']> {
    this.requests += 1;
    return super.get(...args);
  }

  override put(...args: Parameters<Table['put']>): ReturnType<Table['put']> {
    this.requests += 1;
    return super.put(...args);
  }

  override update(...args: Parameters<Table['update']>): ReturnType<Table['update']> {
    this.requests += 1;
    return super.update(...args);
  }

  override query(...args: Parameters<Table['query']>): ReturnType<Table['query']> {
    this.requests += 1;
    return super.query(...args);
  }
}

/** Counts the requests to DynamoDB for each node of a job. */
export async function countTableRequests(nodes: number): Promise<number> {
  const emulators = await startEmulators();
  try {
    const names = await deployNames(emulators.clients, { visibilityMs: 1000, maxReceives: 1 });
    const client = DynamoDBDocumentClient.from(emulators.clients.dynamodb, {
      marshallOptions: { removeUndefinedValues: true },
    });
    const table = new CountingTable(client, names.UNDERSTUDY_JOBS_TABLE ?? '');
    const { finished } = await runLargeJob(nodes, 'task', new AwsJobStore(table));
    if (finished !== nodes) throw new Error(`only ${finished} of ${nodes} nodes finished`);
    return table.requests / nodes;
  } finally {
    await emulators.close();
  }
}

/** What jobs cost, as `npm run fleet` prints it. */
export async function measureJobs(nodes = 100_000): Promise<readonly Measure[]> {
  const task = await runLargeJob(nodes);
  const deploy = await runLargeJob(nodes / 10, 'deploy');
  const isRight = task.isInOrder && task.lastEvent === 'job_finished' && task.runs === nodes;
  return [
    measureOf(`jobs.finished.${nodes}`, task.finished, 'nodes'),
    measureOf(`jobs.in_order.${nodes}`, isRight ? 1 : 0, 'boolean'),
    measureOf(`jobs.events_per_node.${nodes}`, task.eventCount / nodes, 'events/node'),
    measureOf(`jobs.commits_per_node.${nodes}`, task.commits / nodes, 'commits/node'),
    measureOf(`jobs.pxp_requests_per_node.${nodes}`, task.requests / nodes, 'requests/node'),
    measureOf('jobs.dynamodb_requests_per_node.500', await countTableRequests(500), 'requests/node'),
    measureOf(`jobs.deploy_most_running.${nodes / 10}`, deploy.mostRunning, 'nodes'),
  ];
}
