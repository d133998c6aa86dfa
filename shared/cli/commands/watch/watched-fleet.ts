import { FLEET_STATES, type FleetNodeState } from '../../../fleet/overview/fleet-states.ts';
import { isJsonObject } from '../../../util/json-object.ts';

type Json = Readonly<Record<string, unknown>>;

/** Counts by their names. */
type Counts = Readonly<Record<string, number>>;

/** The overview of a fleet, as the console's API gives it. Times are in ms since 1970. */
export interface WatchedFleet {
  readonly total: number;
  /** False while the server reads its nodes for the first time. */
  readonly isComplete: boolean;
  readonly states: Readonly<Record<FleetNodeState, number>>;
  readonly failing: { readonly compile: number; readonly run: number };
  readonly requests: number;
  readonly queues: readonly WatchedQueue[];
  /** The hour that goes on, then the one before. */
  readonly hours: readonly WatchedHour[];
  readonly environments: readonly WatchedEnvironment[];
  readonly failures: WatchedFailures | null;
  /** Empty where one server works alone. */
  readonly servers: readonly WatchedServer[];
}

interface WatchedQueue {
  readonly name: string;
  readonly waiting: number;
  readonly running: number;
  readonly oldestMs: number;
}

export interface WatchedHour {
  readonly runs: Counts;
  readonly compiles: Counts;
}

export interface WatchedEnvironment {
  readonly name: string;
  readonly codeId: string;
  readonly deployedAt: number;
  readonly user: string;
  /** `trial`, `held` or `ending`; null without a staged deploy. */
  readonly stage: { readonly state: string; readonly codeId: string; readonly canaries: number } | null;
  /** Nodes that its deploy has invalidated so far; null when all are. */
  readonly invalidating: number | null;
}

/** Null: the user may not see them. */
export interface WatchedFailures {
  readonly total: number;
  /** The failures of most nodes come first. */
  readonly first: readonly {
    readonly kind: string;
    readonly resource: string | null;
    readonly message: string;
    readonly nodes: number;
    readonly firstAt: number;
  }[];
}

interface WatchedServer {
  readonly name: string;
  readonly isAlive: boolean;
  readonly seenAt: number;
  readonly leads: readonly string[];
}

/** The answers of the API: overview, hours, environments, failures (null: they are forbidden). */
interface FleetAnswers {
  readonly overview: Json;
  readonly hours: Json;
  readonly environments: Json;
  readonly failures: Json | null;
}

const HOUR_MS = 3600_000;

/** Reads the answers; what a server of another release does not give counts as nothing. */
export function readWatchedFleet({ overview, hours, environments, failures }: FleetAnswers, now: number): WatchedFleet {
  const { states, failing, queue, sharing } = overview;
  return {
    total: numberOf(overview.total),
    isComplete: overview.isComplete !== false,
    states: readStates(states),
    failing: { compile: numberOf(memberOf(failing, 'compile')), run: numberOf(memberOf(failing, 'run')) },
    requests: numberOf(overview.certificateRequests),
    queues: Object.entries(isJsonObject(queue) ? queue : {}).map(([name, depth]) => ({
      name,
      waiting: numberOf(memberOf(depth, 'visible')),
      running: numberOf(memberOf(depth, 'inFlight')),
      oldestMs: numberOf(memberOf(depth, 'oldestAgeMs')),
    })),
    hours: readHours(hours, now),
    environments: recordsOf(environments.environments).map(readEnvironment),
    failures: failures && readFailures(failures),
    servers: recordsOf(memberOf(sharing, 'servers')).map(({ name, isAlive, seenAt, leads }) => ({
      name: String(name),
      isAlive: isAlive === true,
      seenAt: numberOf(seenAt),
      leads: Array.isArray(leads) ? leads.map(String) : [],
    })),
  };
}

function readStates(states: unknown): WatchedFleet['states'] {
  const count = (name: FleetNodeState) => numberOf(memberOf(states, name));
  const [failing, silent, fresh, stale, volatile, current] = FLEET_STATES.map(count);
  return {
    ...{ failing: failing ?? 0, silent: silent ?? 0, new: fresh ?? 0 },
    ...{ stale: stale ?? 0, volatile: volatile ?? 0, current: current ?? 0 },
  };
}

function readHours({ hours }: Json, now: number): readonly WatchedHour[] {
  const present = now - (now % HOUR_MS);
  const known = recordsOf(hours);
  return [present, present - HOUR_MS].map((at) => {
    const found = known.find((hour) => hour.at === at);
    return { runs: countsOf(found?.runs), compiles: countsOf(found?.compiles) };
  });
}

function readEnvironment({ name, codeId, deployedAt, user, stage, invalidating }: Json): WatchedEnvironment {
  return {
    name: String(name),
    codeId: String(codeId),
    deployedAt: numberOf(deployedAt),
    user: String(user),
    stage: isJsonObject(stage)
      ? { state: String(stage.state), codeId: String(stage.codeId), canaries: numberOf(stage.canaries) }
      : null,
    invalidating: isJsonObject(invalidating) ? numberOf(invalidating.nodes) : null,
  };
}

function readFailures({ failures, total }: Json): WatchedFailures {
  const first = recordsOf(failures).map(({ kind, resource, message, count, firstAt }) => ({
    kind: String(kind),
    resource: typeof resource === 'string' ? resource : null,
    message: String(message),
    nodes: numberOf(count),
    firstAt: numberOf(firstAt),
  }));
  return { total: numberOf(total), first };
}

function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : 0;
}

function countsOf(value: unknown): Counts {
  const entries = Object.entries(isJsonObject(value) ? value : {});
  return Object.fromEntries(entries.map(([name, count]) => [name, numberOf(count)]));
}

function memberOf(value: unknown, name: string): unknown {
  return isJsonObject(value) ? value[name] : undefined;
}

function recordsOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}
