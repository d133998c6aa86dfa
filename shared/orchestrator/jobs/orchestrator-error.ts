/** Error kinds of the orchestrator's API, each with its HTTP status. */
const ERROR_STATUS = {
  'validation-error': 400,
  'unknown-environment': 404,
  'empty-environment': 400,
  'empty-target': 400,
  'dependency-cycle': 400,
  'invalid-environment-graph': 400,
  'puppetdb-error': 400,
  'query-error': 400,
  'not-permitted': 403,
  'unknown-node-group': 404,
  'unknown-job': 404,
  'unknown-task': 404,
  'unknown-plan': 404,
  'unknown-task-target': 404,
  'unknown-scheduled-job': 404,
  'mismatched-job-event-id': 404,
  'invalid-time': 400,
  'disabled-scheduled-job': 400,
  'plan-already-finished': 400,
  'too-many-plans': 503,
  'not-available': 501,
  'unknown-error': 500,
  'user-unauthenticated': 401,
  'permission-denied': 403,
} as const;

type OrchestratorErrorName = keyof typeof ERROR_STATUS;

/** Errors whose kinds are those of the access service. */
const OF_ACCESS: readonly OrchestratorErrorName[] = ['user-unauthenticated', 'permission-denied'];

/** A request to the orchestrator cannot be served. */
export class OrchestratorError extends Error {
  /** Such as `puppetlabs.orchestrator/validation-error`. */
  readonly kind: string;
  readonly status: number;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(name: OrchestratorErrorName, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'OrchestratorError';
    this.kind = `puppetlabs.${OF_ACCESS.includes(name) ? 'rbac' : 'orchestrator'}/${name}`;
    this.status = ERROR_STATUS[name];
    this.details = details;
  }
}
