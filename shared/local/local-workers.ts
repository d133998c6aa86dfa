import type { RubyChoice } from '../cli/commands/ruby-choice.ts';
import { exportTiming } from '../fleet/compiles/export-interval.ts';
import { retryAfterFault } from '../fleet/compiles/work-off.ts';
import type { ServerMetrics } from '../http/server-metrics.ts';
import type { CompileJobCounters } from './compile-job-counters.ts';
import type { LocalInventory } from './local-inventory.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';
import type { WorkerMessage, WorkerSettings } from './worker-message.ts';
import { WorkerPool } from './worker-pool.ts';

interface WorkerParts {
  readonly stores: ServerStores;
  /** Null without an inventory. */
  readonly inventory: LocalInventory | null;
  readonly metrics: ServerMetrics;
  readonly counters: CompileJobCounters;
  readonly log: LocalLog;
  /** Time limit of a job. */
  readonly limitMs: number;
}

interface WorkerHost {
  readonly hostname: string;
  /** The module of a compile worker. */
  readonly workerModule: URL;
}

const MEGABYTE = 2 ** 20;

/** Starts the compile workers, whose reports are counted and logged. */
export function startLocalWorkers(options: LocalOptions, host: WorkerHost, parts: WorkerParts): WorkerPool {
  const { stores, inventory, metrics, counters, log, limitMs } = parts;
  return new WorkerPool({
    module: host.workerModule,
    count: options.workers,
    settings: workerSettings(options, host.hostname, limitMs),
    connect: () => stores.connect(),
    connectInventory: () => inventory?.connect() ?? null,
    clock: stores.clock,
    limitMs,
    onMessage: (message: WorkerMessage) => {
      if (message.kind === 'report') metrics.countCompileJob(message.report, message.missingPacks);
      else metrics.countJobFault();
      counters.count(message);
      log.logWorkerMessage(message);
    },
    onCrash: (error, job) => {
      log.logError('A compile worker ended and is restarted', error);
      if (job === null) return;
      // The job is received after the same pause as in AWS, and continues with its own lease.
      retryAfterFault(job, error, stores).catch((fault) => log.logError('A job will be retried late', fault));
    },
  });
}

/** Reads from the options which Ruby host runs the code of modules, and its limits. */
export function readRubySettings({ ruby, rubyUser, rubyCommand, rubyMemory }: LocalOptions): RubyChoice {
  return {
    host: ruby,
    user: rubyUser ?? null,
    commands: rubyCommand,
    memoryLimitBytes: rubyMemory === undefined ? null : rubyMemory * MEGABYTE,
  };
}

/** The settings that workers of all kinds get. */
export function workerSettings(options: LocalOptions, name: string, limitMs: number): WorkerSettings {
  const { language, strict, strictVariables, disableWarnings } = options;
  return {
    server: { name, ip: options.serverAddress ?? options.host },
    ruby: readRubySettings(options),
    strictness: { language, strict, strictVariables, disableWarnings },
    limitMs,
    timing: exportTiming(options),
    maxLoad: options.maxLoad ?? null,
  };
}
