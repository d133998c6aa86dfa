/** The answers of `/understudy/v1` that more than one page reads. Times are in ms since 1970. */

export type FleetState = 'current' | 'stale' | 'failing' | 'volatile' | 'silent';

export interface Deploy {
  readonly id: string;
  readonly environment: string;
  readonly codeId: string | null;
  readonly previous: string | null;
  readonly at: number;
  readonly user: string | null;
  readonly status: string;
  readonly nodes: number | null;
}

export interface Change {
  readonly id: string;
  readonly at: number;
  readonly kind: string;
  readonly environment: string | null;
  readonly summary: string;
  readonly user: string | null;
  /** How many nodes it touched, and how many of these are not current yet. */
  readonly nodes: number;
  readonly pending: number;
}

export interface Overview {
  readonly at: number;
  readonly total: number;
  readonly states: Readonly<Record<FleetState, number>>;
  /** Catalogs by their age; `upTo` in seconds, null for all older ones. */
  readonly ages: readonly { readonly upTo: number | null; readonly nodes: number }[];
  readonly requests: { readonly hits: number; readonly stale: number; readonly misses: number; readonly since: number };
  readonly queue: { readonly depth: number; readonly oldestAt: number | null; readonly deadLetters: number };
  readonly ring: { readonly position: number | null; readonly lagSeconds: number };
  readonly deploys: readonly Deploy[];
  readonly changes: readonly Change[];
}
