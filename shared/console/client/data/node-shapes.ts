import type { ApiSchema } from '../../../api/described-answers.ts';

export type NodePage = ApiSchema<'NodePage'>;
export type NodeListRow = NodePage['nodes'][number];
export type NodeDetails = ApiSchema<'Node'>;
export type NodeInputs = ApiSchema<'DescribedInputs'>;
export type ShownInput = NodeInputs['inputs'][number];
export type ReportRow = ApiSchema<'ReportSummary'>;

/** A report in Puppet's format: what the page shows of it. */
export interface PuppetReport {
  readonly host?: string;
  readonly time?: string;
  readonly status?: string;
  readonly noop?: boolean;
  readonly environment?: string;
  readonly configuration_version?: string | number;
  readonly code_id?: string | null;
  readonly catalog_uuid?: string | null;
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
