import type { ApiSchema } from '../../../api/described-answers.ts';

<<<<<<< HEAD
/** The answers about nodes of `/understudy/v1`. Times are in ms since 1970. */

export interface NodeListRow {
  readonly certname: string;
  readonly environment: string;
  readonly state: ShownState;
  readonly isStale?: boolean;
  readonly isVolatile?: boolean;
  /** The beginning of why the last compile failed. */
  readonly failure: string | null;
  /** The status of the last run, as far as it is known. */
  readonly reportStatus: string | null;
  readonly lastSeen: number | null;
  readonly compiledAt: number | null;
}

export interface NodePage {
  readonly nodes: readonly NodeListRow[];
  readonly next: string | null;
  readonly total: number | null;
  readonly isComplete?: boolean;
}

export interface NodeDetails {
  readonly certname: string;
  readonly environment: string;
  readonly state: ShownState;
  /** The status of the last run. */
  readonly reportStatus: string | null;
  readonly wanted: number;
  readonly built: number;
  readonly reasons: readonly string[];
  readonly wantedAt: number | null;
  readonly classification: unknown;
  readonly grouping: { readonly classification: unknown } | null;
  readonly catalog: {
    readonly hash: string;
    readonly codeId: string | null;
    readonly compiledAt: number;
    readonly durationMs: number;
  } | null;
  readonly failure: {
    readonly message: string;
    readonly at: number;
    /** Lines of module Ruby, innermost first. */
    readonly backtrace?: readonly string[];
  } | null;
  readonly inputs: { readonly volatile: readonly string[] } | null;
  readonly lastSeen: number | null;
  readonly ringPosition: number | null;
  readonly compiles: number;
  readonly verifications: number;
}

export interface ShownFacts {
  readonly at: number | null;
  readonly facts: Readonly<Record<string, unknown>>;
  readonly trusted: Readonly<Record<string, unknown>>;
}

export interface ReaderPlace {
  readonly file: string | null;
  readonly line: number | null;
  /** The line itself. */
  readonly text?: string | null;
  /** Whether the compile recorded this expression as the first that read it. */
  readonly isFirst?: boolean;
}

export interface ShownInput {
  readonly kind: string;
  readonly name: string;
  readonly value?: string | null;
  readonly readers: readonly ReaderPlace[];
  readonly why: string;
}

export interface NodeInputs {
  readonly compiledAt: number | null;
  readonly codeId: string | null;
  readonly inputs: readonly ShownInput[];
  /** Number of further ones that the answer does not hold. */
  readonly omitted: number;
}

export interface NodeHistory {
  /** The last ones that are kept, newest first. */
  readonly compiles: readonly {
    readonly outcome: string;
    readonly at: number;
    readonly codeId: string | null;
    readonly hash: string | null;
    readonly durationMs: number | null;
    readonly message: string | null;
    /** The changed inputs that it was for, where they are known. */
    readonly reasons?: readonly string[];
  }[];
  /** The latest reasons for a compile, newest last. */
  readonly reasons: readonly string[];
  readonly compileCount: number;
  readonly verificationCount: number;
}

export interface ReportRow {
  readonly certname: string;
  readonly receivedAt: number;
  readonly status: string;
  readonly environment: string | null;
  readonly time: string | null;
  readonly puppetVersion: string | null;
  readonly transactionUuid: string | null;
  readonly noop: boolean;
  readonly blob: string | null;
  /** Leads to the reports behind this one; absent where the server pages by time alone. */
  readonly cursor?: string;
}
=======
export type NodePage = ApiSchema<'NodePage'>;
export type NodeListRow = NodePage['nodes'][number];
export type NodeDetails = ApiSchema<'Node'>;
export type NodeInputs = ApiSchema<'DescribedInputs'>;
export type ShownInput = NodeInputs['inputs'][number];
export type ReportRow = ApiSchema<'ReportSummary'>;
>>>>>>> de4cf17d (Take the console's shapes from docs/openapi.yaml)

/** A report in Puppet's format: what the page shows of it. */
export interface PuppetReport {
  readonly host?: string;
  readonly time?: string;
  readonly status?: string;
  readonly noop?: boolean;
  readonly environment?: string;
  readonly configuration_version?: string | number;
  readonly puppet_version?: string;
  readonly logs?: readonly ReportLog[];
  readonly metrics?: Readonly<Record<string, { readonly values?: readonly (readonly [string, string, number])[] }>>;
  readonly resource_statuses?: Readonly<Record<string, ResourceStatus>>;
}

export interface ReportLog {
  readonly level: string;
  readonly message: string;
  readonly source: string;
  readonly time: string;
  readonly file?: string | null;
  readonly line?: number | null;
}

export interface ResourceStatus {
  readonly resource_type?: string;
  readonly title?: string;
  readonly file?: string | null;
  readonly line?: number | null;
  readonly failed?: boolean;
  readonly changed?: boolean;
  readonly skipped?: boolean;
  readonly evaluation_time?: number | null;
  readonly events?: readonly ResourceEvent[];
}

export interface ResourceEvent {
  readonly property?: string | null;
  readonly previous_value?: unknown;
  readonly desired_value?: unknown;
  readonly message?: string | null;
  readonly status?: string;
  readonly time?: string;
}
