import type { Requester } from './permissions.ts';
import type { JsonObject } from './request-body.ts';

/** A plan that a user may run, with its checked request. */
export interface PlanRequest {
  readonly plan: string;
  readonly params: JsonObject;
  readonly environment: string;
  readonly noop: boolean;
  readonly requester: Requester;
  /** Names of the parameters that are secrets. */
  readonly sensitive: readonly string[];
  readonly timeoutMs: number | null;
}

/** The end of a plan job. */
export interface PlanConclusion {
  readonly status: 'success' | 'failure';
  readonly result: unknown;
}

/** Runs plans on the server. */
export interface PlanRunner {
  /** Throws OrchestratorError when no further plan of the user can be run. */
  demandRoom(plan: string, requester: Pick<Requester, 'login'>): void;
  /** Runs a plan whose plan job was made. */
  begin(number: number, request: PlanRequest): Promise<void>;
  /** Ends what runs here of a plan that was stopped. */
  drop(number: number): void;
}
