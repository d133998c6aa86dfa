import type { BlobStore } from '../../store/ports/blob-store.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { JobRecord, NodeRun } from '../../store/ports/job-records.ts';
import type { JobStore } from '../../store/ports/job-store.ts';
import type { PxpGateway } from '../pxp/pxp-gateway.ts';
import type { TaskLibrary } from '../tasks/task-library.ts';
import type { ActiveJob } from './active-job.ts';
import type { RunReports } from './node-outcome.ts';
import type { Pacing } from './pacing.ts';
import type { StartGate } from './start-gate.ts';

/** Says whether a node's catalog is current, so that its run needs no compile. */
export interface CatalogCurrency {
  /** Null: the environment that the agent asks for by itself. */
  isCurrent(certname: string, environment: string | null): Promise<boolean>;
}

/** Registry of jobs by the transactions that they wait for. */
export interface JobMessages {
  expect(transactionId: string, job: ActiveJob, index: number, isQuery: boolean): void;
  forget(transactionIds: readonly string[]): void;
}

/** Changes of a committed step of a job. */
export interface JobProgress {
  readonly number: number;
  readonly body: JobRecord;
  /** The nodes that have another state, as many as a step changes: 90 at most. */
  readonly nodes: readonly Pick<NodeRun, 'name' | 'state'>[];
}

/** Services that the jobs of a process share. */
export interface JobContext {
  readonly jobs: JobStore;
  readonly blobs: Pick<BlobStore, 'get' | 'put'>;
  readonly clock: Clock;
  readonly gateway: PxpGateway;
  readonly tasks: Pick<TaskLibrary, 'readResult'>;
  readonly reports: RunReports;
  readonly currency: CatalogCurrency;
  readonly pacing: Pacing;
  readonly gate: StartGate;
  readonly messages: JobMessages;
  /** Names this process in leases and in ids of status queries. */
  readonly owner: string;
  readonly leaseMs: number;
  /** Delay of a new job before its first node, so that it can be stopped before it begins. */
  readonly startDelayMs: number;
  /** Called after each committed step that changed something. */
  readonly reportProgress?: ((progress: JobProgress) => void) | undefined;
  /** Has the job make a step. */
  readonly wake: (job: ActiveJob) => void;
}

/** Another process has the job, or changed it. */
export class JobLost extends Error {
  constructor(number: number) {
    super(`Another process has job ${number}`);
    this.name = 'JobLost';
  }
}
