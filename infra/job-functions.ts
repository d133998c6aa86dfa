import { Duration } from 'aws-cdk-lib';
import { Rule, RuleTargetInput, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Alias, FilterCriteria, FilterRule, type IFunction, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { DynamoEventSource, SqsDlq, SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { compileJobSeconds } from '../shared/config/compile-limit.ts';
import { ENVIRONMENT_VARIABLES, PREFIXES, QUEUES } from '../shared/config/deployment.ts';
import { settingVariables, variableOf } from '../shared/config/read-setting.ts';
import type { SettingValues } from '../shared/config/settings.ts';
import type { OperatorContext } from './context/operator-context.ts';
import { type UnderstudyFunction, understudyFunction } from './function.ts';
import {
  type DocumentAccess,
  grantCompileFaults,
  grantDocuments,
  grantExports,
  grantKeptValues,
  grantObjects,
  grantSending,
  grantTable,
  type WorkerEnvironment,
} from './grants.ts';
import type { Queues } from './queues.ts';
import type { Storage } from './storage.ts';
import type { Tables } from './tables.ts';

interface WorkersSettings extends OperatorContext {
  readonly tables: Tables;
  readonly storage: Storage;
  readonly queues: Queues;
  readonly environment: WorkerEnvironment;
  /** The server's name in `$server_facts`. */
  readonly serverName: string;
  /** The server's IP address in `$server_facts`, or a name that resolves to it. */
  readonly serverAddress: string;
  /** Whether X-Ray gets traces. */
  readonly tracing: boolean;
  /** Whether the queues call an alias of the compile function, moved gradually to a new version. */
  readonly gradualDeploy: boolean;
}

/** Lambda's maximum: one change may affect every node. */
const LONGEST = Duration.minutes(15);
const FAN_OUT_CONCURRENCY = 20;

/**
 * The functions that process compile jobs, invalidate nodes, queue the least recently verified ones
 * (`feed`) and delete what is no longer needed (`prune`).
 */
export class Workers extends Construct {
  readonly compile: UnderstudyFunction;
  /** The alias that the queues call when deploys are gradual. */
  readonly compileAlias: Alias | null;
  readonly exports: UnderstudyFunction;
  readonly fanOut: UnderstudyFunction;
  readonly feed: UnderstudyFunction;
  readonly prune: UnderstudyFunction;

  constructor(scope: Construct, id: string, settings: WorkersSettings) {
    super(scope, id);
    this.compile = this.#compile(settings);
    this.compileAlias = settings.gradualDeploy
      ? new Alias(this, 'CompileAlias', { aliasName: 'live', version: this.compile.currentVersion })
      : null;
    this.#takeJobs(this.compileAlias ?? this.compile, settings);
    this.exports = this.#exports(settings);
    this.fanOut = this.#fanOut(settings);
    this.feed = this.#feed(settings);
    this.prune = this.#prune(settings);
  }

  #compile(settings: WorkersSettings): UnderstudyFunction {
    const { tables, storage, environment, compileTimeLimit } = settings;
    const compile = understudyFunction(this, 'Compile', {
      entry: 'compile',
      runsRuby: true,
      description: 'Takes compile jobs from the waiting, the express and the background queue and commits catalogs',
      // This memory gives one vCPU.
      memoryMegabytes: 1769,
      timeout: Duration.seconds(compileJobSeconds(compileTimeLimit)),
      environment: {
        ...environment.withCompileQueue,
        ...compileVariables(settings),
        [ENVIRONMENT_VARIABLES.serverAddress]: settings.serverAddress,
        ...exportVariables(settings),
      },
      secrets: settings.eyamlKeys,
      tracing: settings.tracing,
    });
    grantTable(compile, tables, 'nodes', ['GetItem', 'UpdateItem']);
    grantTable(compile, tables, 'exports', ['GetItem', 'BatchGetItem', 'Query', 'PutItem', 'DeleteItem']);
    grantTable(compile, tables, 'collectors', ['GetItem', 'PutItem', 'DeleteItem']);
    grantTable(compile, tables, 'environments', ['GetItem']);
    grantKeptValues(compile, tables);
    grantCompileFaults(compile, tables);
    grantTable(compile, tables, 'dependencies', ['GetItem', 'PutItem', 'BatchGetItem', 'BatchWriteItem']);
    const { catalogs, dependencies: sets, readers, facts, files, packs, damaged, snapshots, requests } = PREFIXES;
    const read = [catalogs, sets, readers, facts, files, packs, damaged, snapshots, requests];
    grantObjects(compile, storage.bucket, 'read', read);
    grantObjects(compile, storage.bucket, 'write', [catalogs, sets, readers, requests, damaged]);
    return compile;
  }

  #takeJobs(worker: IFunction, { queues, ...concurrency }: WorkersSettings): void {
    worker.addEventSource(createQueueSource(queues.waiting.queue, concurrency.waitingConcurrency));
    worker.addEventSource(createQueueSource(queues.express.queue, concurrency.expressConcurrency));
    worker.addEventSource(createQueueSource(queues.background.queue, concurrency.backgroundConcurrency));
  }

  #exports(settings: WorkersSettings): UnderstudyFunction {
    const { tables, queues, environment, tracing } = settings;
    const exports = understudyFunction(this, 'Exports', {
      entry: 'exports',
      tracing,
      description: 'Queues the nodes that collect a changed export',
      memoryMegabytes: 512,
      timeout: LONGEST,
      environment: { ...environment.withQueues, ...exportVariables(settings) },
    });
    exports.addEventSource(
      new DynamoEventSource(tables.byName.exports, {
        startingPosition: StartingPosition.TRIM_HORIZON,
        batchSize: 2000,
        maxBatchingWindow: Duration.seconds(settings.exportDelay),
        // Only exports have a `resource`; the table's other rows index and summarise them.
        filters: ['NewImage', 'OldImage'].map((image) =>
          FilterCriteria.filter({ dynamodb: { [image]: { resource: { S: FilterRule.exists() } } } }),
        ),
        bisectBatchOnError: true,
        reportBatchItemFailures: true,
        retryAttempts: 10,
        onFailure: new SqsDlq(queues.exportsDeadLetters),
      }),
    );
    grantTable(exports, tables, 'nodes', ['GetItem', 'UpdateItem']);
    grantTable(exports, tables, 'exports', ['UpdateItem']);
    grantTable(exports, tables, 'collectors', ['BatchGetItem', 'Query']);
    grantExports(exports, tables);
    grantSending(exports, queues.express);
    return exports;
  }

  /** Many invocations may work on one deploy. */
  #fanOut({ tables, storage, queues, environment, tracing }: WorkersSettings): UnderstudyFunction {
    const fanOut = understudyFunction(this, 'FanOut', {
      entry: 'fan-out',
      tracing,
      description: 'Queues the nodes that a deploy affects',
      memoryMegabytes: 512,
      timeout: Duration.seconds(QUEUES.fanOutSeconds),
      isRecursive: true,
      environment: environment.withQueues,
    });
    fanOut.addEventSource(createQueueSource(queues.fanOut.queue, FAN_OUT_CONCURRENCY));
    grantTable(fanOut, tables, 'nodes', ['GetItem', 'UpdateItem', 'BatchGetItem']);
    grantTable(fanOut, tables, 'dependencies', ['Query']);
    grantTable(fanOut, tables, 'environments', ['GetItem', 'PutItem']);
    const chains = ['fan-outs'];
    grantDocuments(fanOut, tables, { read: chains, write: [...chains, 'work-hours'], delete: chains });
    grantObjects(fanOut, storage.bucket, 'read', [PREFIXES.fanOuts]);
    grantObjects(fanOut, storage.bucket, 'delete', [PREFIXES.fanOuts]);
    grantSending(fanOut, queues.express, queues.fanOut);
    return fanOut;
  }

  #feed(settings: WorkersSettings): UnderstudyFunction {
    const { tables, storage, queues, environment, tracing } = settings;
    const feed = understudyFunction(this, 'Feed', {
      entry: 'feed',
      tracing,
      description: 'Fills the background queue with the nodes least recently compiled or verified',
      memoryMegabytes: 512,
      timeout: LONGEST,
      isScheduled: true,
      environment: {
        ...environment.withQueues,
        ...settingVariables(settings, ['ringTurn', 'volatileRest', 'alertUrl']),
      },
      secrets: settings.alertUrlSecret === undefined ? {} : { [variableOf('alertUrl')]: settings.alertUrlSecret },
    });
    new Rule(this, 'FeedSchedule', {
      schedule: Schedule.rate(Duration.minutes(1)),
      targets: [
        new LambdaFunction(feed, {
          retryAttempts: 2,
          maxEventAge: Duration.minutes(5),
          event: RuleTargetInput.fromObject({}),
        }),
      ],
    });
    grantTable(feed, tables, 'nodes', ['GetItem', 'UpdateItem', 'Query', 'Scan', 'BatchGetItem', 'DescribeTable']);
    grantDocuments(feed, tables, FEEDER_DOCUMENTS);
    // The feeder restarts the fan-out of an interrupted deploy, and completes a removal.
    grantTable(feed, tables, 'environments', ['GetItem', 'PutItem', 'DeleteItem', 'Scan']);
    // Query is for that fan-out; the rest deletes what no node depends on any more.
    grantTable(feed, tables, 'dependencies', ['Query', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);
    // Fan-outs compare data files by key. Reports of canary nodes count failed resources.
    const { snapshots, files, fanOuts, facts, groups, reports } = PREFIXES;
    grantObjects(feed, storage.bucket, 'read', [snapshots, files, fanOuts, facts, groups, reports]);
    grantObjects(feed, storage.bucket, 'write', [PREFIXES.fanOuts]);
    grantObjects(feed, storage.bucket, 'delete', [PREFIXES.fanOuts, PREFIXES.dependencies]);
    grantSending(feed, queues.express, queues.background, queues.fanOut);
    for (const { queue, deadLetters } of queues.all) {
      queue.grant(feed, 'sqs:GetQueueAttributes');
      deadLetters.grant(feed, 'sqs:GetQueueAttributes');
    }
    return feed;
  }

  /** The only function that deletes code; it reads everything that refers to code. */
  #prune(settings: WorkersSettings): UnderstudyFunction {
    const { tables, storage, environment, tracing } = settings;
    const prune = understudyFunction(this, 'Prune', {
      entry: 'prune',
      tracing,
      description: 'Deletes code, reports and bucket files whose retention has ended',
      memoryMegabytes: 1024,
      timeout: LONGEST,
      isScheduled: true,
      environment: {
        ...environment.withoutQueues,
        ...settingVariables(settings, ['keepHistory', 'keepCode', 'keepReports', 'keepBucket']),
      },
    });
    new Rule(this, 'PruneSchedule', {
      schedule: Schedule.rate(Duration.hours(6)),
      targets: [
        new LambdaFunction(prune, {
          retryAttempts: 0,
          maxEventAge: Duration.hours(1),
          event: RuleTargetInput.fromObject({}),
        }),
      ],
    });
    grantTable(prune, tables, 'nodes', ['Scan']);
    grantTable(prune, tables, 'environments', ['PutItem', 'Scan']);
    grantDocuments(prune, tables, PRUNER_DOCUMENTS);
    const { catalogs, facts, snapshots, files, packs, damaged, reports } = PREFIXES;
    grantObjects(prune, storage.bucket, 'read', [catalogs, facts, snapshots, files, packs, damaged, reports]);
    grantObjects(prune, storage.bucket, 'write', [snapshots]);
    grantObjects(prune, storage.bucket, 'delete', [snapshots, files, packs, damaged, reports, catalogs, facts]);
    return prune;
  }
}

/**
 * Documents of deploys, removals and changes of node groups, which the feeder completes, groups of
 * failures and the alerts about them, and what stages are judged by: policies, runs, and whether
 * who began them may still deploy. A lease keeps the feeder single: a new account's quota has no
 * room for a reservation.
 */
const FEEDER_WORK = [
  'code-work',
  'environment-removals',
  'fan-outs',
  'fan-outs-sent',
  'node-groups',
  'leases',
  'changes',
  'failing/*',
  'failures',
  'failure-events',
  'stage-progress',
  'alert-places',
  'alert-dead-letters',
];
const FEEDER_DOCUMENTS: DocumentAccess = {
  read: [
    ...FEEDER_WORK,
    ...['policies', 'reports/*', 'unchanged-runs/*'],
    ...['access', 'access-accounts', 'deploy-tokens'],
  ],
  write: FEEDER_WORK,
  delete: FEEDER_WORK,
};

/** Documents that refer to code, and those whose time has ended. */
const PRUNER_DOCUMENTS: DocumentAccess = {
  read: [
    ...['code-work', 'leases', 'staged-code', 'fan-outs-sent', 'report-index/*', 'reports/*', 'unchanged-runs/*'],
    ...['access-attempts', 'access-tokens', 'access-token-*', 'access-user-tokens'],
  ],
  write: ['code-work', 'leases'],
  delete: [
    ...['code-work', 'leases', 'report-index/*', 'reports/*', 'unchanged-runs/*'],
    ...['access-attempts', 'access-tokens', 'access-token-*', 'access-user-tokens'],
  ],
};

/** Environment variables of functions that invalidate nodes for changed exports or answers. */
export function exportVariables(
  settings: Pick<SettingValues, 'exportDelay' | 'exportInterval'>,
): Readonly<Record<string, string>> {
  return settingVariables(settings, ['exportDelay', 'exportInterval']);
}

/** Variables of whatever evaluates code of environments, beside the eyaml keys. */
export function compileVariables(settings: OperatorContext & { readonly serverName: string }): Record<string, string> {
  const { serverName, eyamlKeys } = settings;
  return {
    ...settingVariables(settings, ['compileTimeLimit', 'language', 'strict', 'strictVariables', 'disableWarnings']),
    [ENVIRONMENT_VARIABLES.serverName]: serverName,
    [ENVIRONMENT_VARIABLES.eyamlVariables]: Object.keys(eyamlKeys).join(','),
  };
}

function createQueueSource(queue: Queue, maxConcurrency: number): SqsEventSource {
  return new SqsEventSource(queue, { batchSize: QUEUES.batchSize, maxConcurrency, reportBatchItemFailures: true });
}
