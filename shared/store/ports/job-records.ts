/** Stored records of jobs, plan jobs, scheduled jobs and task targets. */

export type JobState = 'new' | 'ready' | 'running' | 'stopping' | 'stopped' | 'finished' | 'failed';
export type NodeRunState = 'new' | 'ready' | 'running' | 'finished' | 'failed' | 'errored' | 'skipped';

/** A JSON value; a large one is in a blob. */
export type KeptValue = { readonly value: unknown } | { readonly blob: string };

/** The user who made something, as he was then. */
export interface JobOwner {
  /** A UUID. */
  readonly id: string;
  readonly login: string;
  readonly email: string;
  readonly displayName: string;
  readonly isGroup: boolean;
  /** From a directory service. */
  readonly isRemote: boolean;
  /** May do everything. */
  readonly isSuperuser: boolean;
  readonly isRevoked: boolean;
  /** Milliseconds since the epoch; null before the first log-in. */
  readonly lastLogin: number | null;
  readonly roleIds: readonly number[];
}

/** Types of the jobs of plans. */
export type PlanCommand =
  | 'plan_task'
  | 'plan_command'
  | 'plan_script'
  | 'plan_upload'
  | 'plan_apply'
  | 'plan_apply_prep';

/** A state that a job was in, and when it was left. */
interface JobStay {
  readonly state: JobState;
  readonly enteredAt: number;
  readonly leftAt: number | null;
}

export interface JobRecord {
  readonly command: 'deploy' | 'task' | PlanCommand;
  /** Empty when the agents keep their environments. */
  readonly environment: string;
  readonly owner: JobOwner;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** In the order in which they were entered; the last is the present one. */
  readonly stays: readonly JobStay[];
  /** The request as it is shown, and its user data: `ShownRequest`. No secrets. */
  readonly options: KeptValue;
  /** The request to agents: `JobOrder`. Secrets in it are sealed. */
  readonly order: KeptValue;
  /** The blob with the nodes, and the order in which they run. */
  readonly targets: string;
  readonly nodeCount: number;
  /** Number of nodes in each state; absent: none. Nodes that began no state are `new`. */
  readonly nodeStates: Readonly<Partial<Record<NodeRunState, number>>>;
  /** The task's name, for lists; null for others. */
  readonly task: string | null;
  readonly description: string;
  /** Nodes that may run at a time; null: no bound of the job's own. */
  readonly concurrency: number | null;
  readonly planJob: number | null;
}

/** A node of a job that left the state `new`. */
export interface NodeRun {
  readonly name: string;
  readonly state: NodeRunState;
  /** From 1; 0 for a node that was never asked. */
  readonly attempt: number;
  /** Id of the PXP request; null for a node that was never asked. */
  readonly transactionId: string | null;
  /** Whether the agent said that it has the request. */
  readonly isAccepted: boolean;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly message: string;
  /** Further facts that are shown beside the message. */
  readonly details: Readonly<Record<string, unknown>>;
  /** Null until the node ends. */
  readonly result: KeptValue | null;
  /** UUID of the Puppet run. */
  readonly transactionUuid: string | null;
  readonly latestEvent: number;
}

/** Something that happened in a job or plan job. */
export interface LedgerEvent {
  readonly id: number;
  readonly type: string;
  readonly at: number;
  readonly details: Readonly<Record<string, unknown>>;
  readonly message: string;
}

export interface PlanRecord {
  readonly state: 'running' | 'success' | 'failure';
  readonly planName: string;
  readonly description: string;
  readonly owner: JobOwner;
  readonly createdAt: number;
  readonly finishedAt: number | null;
  /** Without sensitive values. */
  readonly parameters: KeptValue;
  /** Names of the parameters that are sensitive. */
  readonly sensitive: readonly string[];
  readonly result: KeptValue | null;
  readonly userdata: Readonly<Record<string, unknown>>;
  readonly environment: string | null;
  /** Numbers of the jobs that the plan started. */
  readonly jobs: readonly number[];
  /** Whether a server runs the plan; absent: Bolt does. */
  readonly isOurs?: boolean;
  /** The scheduled job that ran it; absent: a user did. */
  readonly scheduledJob?: number;
}

/** When something runs: once, or again after each interval. */
export interface JobSchedule {
  readonly startAt: number;
  /** Milliseconds; null: once. */
  readonly intervalMs: number | null;
}

export interface ScheduleRecord {
  readonly type: 'deploy' | 'task' | 'plan';
  readonly isEnabled: boolean;
  readonly environment: string;
  readonly owner: JobOwner;
  /** The user who changed it last, when that is another one: it runs with what both may do. */
  readonly changer?: JobOwner;
  readonly description: string;
  /** The body of the command that is run; secrets in it are sealed. */
  readonly input: KeptValue;
  readonly userdata: Readonly<Record<string, unknown>>;
  readonly schedule: JobSchedule;
  /** Null when it does not run again. */
  readonly nextRunAt: number | null;
  readonly lastRun: { readonly at: number; readonly job: number | null; readonly error: string | null } | null;
}

export interface TaskTargetRecord {
  readonly displayName: string;
  readonly tasks: readonly string[];
  readonly isForAllTasks: boolean;
  readonly nodes: readonly string[];
  readonly nodeGroups: readonly string[];
  readonly query: unknown;
}

/** Records that are stored under a number, by their kind. */
export interface LedgerBodies {
  readonly job: JobRecord;
  readonly plan: PlanRecord;
  readonly schedule: ScheduleRecord;
  readonly target: TaskTargetRecord;
}

export type LedgerKind = keyof LedgerBodies;
