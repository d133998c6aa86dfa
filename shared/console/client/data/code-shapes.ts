import type { Deploy } from './overview-shapes.ts';

/** The answers of `/understudy/v1` about code. Times are in ms since 1970. */

export interface EnvironmentRow {
  readonly name: string;
  readonly codeId: string | null;
  readonly deployedAt: number | null;
  readonly nodes: number | null;
  /** Whether all nodes that the last deploy affects know of it. */
  readonly settled: boolean;
}

export interface EnvironmentList {
  readonly environments: readonly EnvironmentRow[];
}

export interface DeployList {
  readonly deploys: readonly Deploy[];
  readonly next: string | null;
}

export interface PreviewDifference {
  readonly resource: string;
  readonly kind: 'added' | 'removed' | 'changed';
  /** Absent for a whole resource or an order. */
  readonly parameter?: string;
  readonly from?: string;
  readonly to?: string;
}

export interface ShownPreview {
  readonly environment: string;
  readonly codeId: string;
  readonly inForce: string | null;
  /** Changed manifests that Puppet does not accept. */
  readonly faults: readonly { readonly message: string }[];
  /** How many nodes use what changed, and how many of these were compiled. */
  readonly touched: number;
  readonly compared: number;
  readonly unchanged: number;
  readonly failures: readonly { readonly certname: string; readonly message: string; readonly isNew: boolean }[];
  readonly fixed: number;
  readonly groups: readonly {
    readonly nodes: readonly string[];
    readonly count: number;
    readonly differences: readonly PreviewDifference[];
  }[];
  /** Nodes for which the time was not enough. */
  readonly unanswered: number;
}
