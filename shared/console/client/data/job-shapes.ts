/** The name of the plan job in the answer of `command/plan_run`; null when there is none. */
export function planJobIn(data: unknown): string | null {
  return typeof data === 'object' && data !== null && 'name' in data ? String(data.name) : null;
}

/** The name of the job in the answer of a command; null when there is none. */
export function jobIdIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('job' in data)) return null;
  const { job } = data;
  if (typeof job !== 'object' || job === null) return null;
  const name: unknown = Reflect.get(job, 'name') ?? Reflect.get(job, 'id');
  return typeof name === 'string' || typeof name === 'number' ? String(name).replace(/^.*\//, '') : null;
}

/** Answers of `/orchestrator/v1`. Times are ISO 8601. */

export interface NodeStates {
  readonly new?: number;
  readonly ready?: number;
  readonly running?: number;
  readonly stopping?: number;
  readonly finished?: number;
  readonly failed?: number;
  readonly errored?: number;
  readonly skipped?: number;
}

export interface JobSummary {
  readonly name: string;
  readonly state: string;
  readonly command: string;
  readonly options: Readonly<Record<string, unknown>>;
  readonly owner: { readonly login: string };
  readonly description: string;
  readonly timestamp: string | null;
  readonly started_timestamp: string | null;
  readonly finished_timestamp: string | null;
  readonly duration: string;
  readonly environment: { readonly name: string };
  readonly node_count: number;
  readonly node_states: NodeStates | null;
}

export interface JobList {
  readonly items: readonly JobSummary[];
  readonly pagination: { readonly total: number; readonly limit: number; readonly offset: number };
}

export interface JobNodeRow {
  readonly name: string;
  readonly state: string;
  readonly start_timestamp: string | null;
  readonly finish_timestamp: string | null;
  readonly duration: number;
  readonly transaction_uuid: string | null;
  readonly details: { readonly message?: string };
  readonly result?: unknown;
}

export interface JobNodeList {
  readonly items: readonly JobNodeRow[];
  readonly pagination: { readonly total: number; readonly limit: number; readonly offset: number };
}

export interface JobEventList {
  readonly items: readonly {
    readonly id: string;
    readonly type: string;
    readonly timestamp: string;
    readonly message: string;
  }[];
}

export interface JobLevels {
  readonly levels: readonly { readonly level: number; readonly nodes: readonly string[] }[];
}

export interface TaskList {
  readonly items: readonly { readonly name: string; readonly permitted: boolean }[];
}

export interface ShownTaskParameter {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly sensitive?: boolean;
}

export interface ShownTask {
  readonly name: string;
  readonly permitted: boolean;
  readonly metadata: {
    readonly description?: string;
    readonly supports_noop?: boolean;
    readonly parameters?: Readonly<Record<string, ShownTaskParameter>>;
  };
}

export interface ShownPlan {
  readonly name: string;
  readonly permitted: boolean;
  readonly metadata: {
    readonly description?: string;
    readonly parameters?: Readonly<
      Record<string, Omit<ShownTaskParameter, 'default'> & { readonly default_value?: unknown }>
    >;
  };
}

export interface PlanJob {
  readonly name: string;
  readonly state: 'running' | 'success' | 'failure';
  readonly options: {
    readonly plan_name: string;
    readonly description: string;
    readonly parameters: unknown;
    readonly environment?: string;
  };
  readonly result?: unknown;
  readonly owner: { readonly login: string };
  readonly created_timestamp: string | null;
  readonly finished_timestamp: string | null;
  readonly duration: number;
  /** Numbers of the plan's jobs, with their states; only of a plan job alone. */
  readonly status?: Readonly<Record<string, readonly { readonly state: string }[]>>;
}

export interface PlanJobList {
  readonly items: readonly PlanJob[];
  readonly pagination: { readonly total: number; readonly limit: number; readonly offset: number };
}

export interface DeployPlan {
  readonly node_count: number;
  readonly levels: readonly {
    readonly level: number;
    readonly nodes: readonly { readonly name: string; readonly connected: boolean }[];
  }[];
}

export interface ScheduledJob {
  readonly name: string;
  readonly enabled: boolean;
  readonly environment: string;
  readonly owner: { readonly login: string };
  readonly description: string;
  readonly type: string;
  readonly input: unknown;
  readonly schedule: {
    readonly start_time: string | null;
    readonly interval: { readonly value: number; readonly units: string } | null;
  };
  readonly next_run: { readonly time: string | null } | null;
  readonly last_run: { readonly time: string | null; readonly submission_error?: string } | null;
}

/** Whether a job has ended. */
export function hasEnded(state: string): boolean {
  return ['finished', 'failed', 'stopped'].includes(state);
}
