import type { JobOrder } from './job-order.ts';
import {
  type BodyType,
  checkBody,
  invalidRequest,
  isSet,
  type JsonObject,
  numberOf,
  objectOf,
  textOf,
} from './request-body.ts';
import { readScope, type TargetScope } from './targets.ts';

/** A checked request to run Puppet. */
export interface DeployRequest {
  /** Empty: none is named. */
  readonly environment: string;
  readonly scope: TargetScope;
  readonly order: JobOrder;
  /** The request as the job shows it, defaults filled in. */
  readonly options: JsonObject;
  readonly concurrency: number | null;
  readonly description: string;
  readonly userdata: JsonObject;
}

/** Keys that are flags of the agent: a boolean sets them, a text or number is their value. */
const SWITCHES = ['debug', 'trace', 'evaltrace', 'use_cached_catalog', 'usecacheonfailure'] as const;
const TEXTS = ['tags', 'skip_tags', 'ordering'] as const;
const TIMES = ['filetimeout', 'http_connect_timeout', 'http_keepalive_timeout', 'http_read_timeout'] as const;

const keysOf = (keys: readonly string[], type: BodyType) => Object.fromEntries(keys.map((key) => [key, type]));

const KEYS: Readonly<Record<string, BodyType>> = {
  environment: 'string',
  scope: 'object',
  concurrency: 'integer',
  noop: 'boolean',
  no_noop: 'boolean',
  enforce_environment: 'boolean',
  ...keysOf(SWITCHES, 'boolean'),
  ...keysOf(TEXTS, 'string'),
  ...keysOf(TIMES, 'integer'),
  timeout: 'integer',
  description: 'string',
  userdata: 'object',
  target: 'string',
};

/** Checks the body of `command/deploy`. Throws OrchestratorError. */
export function readDeployRequest(given: JsonObject): DeployRequest {
  const body = checkBody(given, KEYS, ['environment']);
  const environment = textOf(body, 'environment');
  const isEnforced = body.enforce_environment !== false;
  const concurrency = readPositive(body, 'concurrency');
  const timeout = readPositive(body, 'timeout');
  if (isSet(body, 'noop') && isSet(body, 'no_noop')) throw invalidRequest('noop and no_noop exclude each other');
  if (environment === '' && isEnforced) {
    throw invalidRequest('enforce_environment must be false when environment is empty');
  }
  const order: JobOrder = {
    kind: 'puppet',
    module: 'pxp-module-puppet',
    action: 'run',
    params: { flags: listFlags(body, isEnforced ? environment : null) },
    sealed: null,
    noop: isSet(body, 'noop'),
    noNoop: isSet(body, 'no_noop'),
    environment: isEnforced ? environment : null,
    timeoutMs: timeout === null ? null : timeout * 1000,
  };
  const { userdata, ...shown } = body;
  return {
    environment,
    scope: requireGraph(readDeployScope(body, environment), environment),
    order,
    options: { ...DEFAULTS, ...shown },
    concurrency,
    description: textOf(body, 'description'),
    userdata: objectOf(body, 'userdata'),
  };
}

const DEFAULTS: JsonObject = {
  concurrency: null,
  noop: false,
  no_noop: false,
  enforce_environment: true,
  ...Object.fromEntries(SWITCHES.map((name) => [name, false])),
  target: null,
  description: '',
};

function readDeployScope(body: JsonObject, environment: string): TargetScope {
  if (body.scope !== undefined) return readScope(body.scope);
  if (body.target !== undefined) return { kind: 'application', name: textOf(body, 'target') };
  if (environment === '') throw invalidRequest('scope is required when environment is empty');
  return { kind: 'environment' };
}

/** The graph of an environment has the nodes of an application. */
function requireGraph(scope: TargetScope, environment: string): TargetScope {
  if (scope.kind !== 'application' || environment !== '') return scope;
  throw invalidRequest(`environment is required for the application ${scope.name}`);
}

function listFlags(body: JsonObject, environment: string | null): readonly string[] {
  return [
    ...(environment === null ? [] : ['--environment', environment]),
    ...(isSet(body, 'noop') ? ['--noop'] : []),
    ...(isSet(body, 'no_noop') ? ['--no-noop'] : []),
    ...SWITCHES.flatMap((name) => (isSet(body, name) ? [`--${name}`] : [])),
    ...[...TEXTS, ...TIMES].flatMap((name) => (body[name] === undefined ? [] : [`--${name}`, String(body[name])])),
  ];
}

/** A number above 0; null when it is absent. */
export function readPositive(body: JsonObject, key: string): number | null {
  const value = numberOf(body, key);
  if (value !== null && value < 1) throw invalidRequest(`${key} must be at least 1`, { [key]: value });
  return value;
}
