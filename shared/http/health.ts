import type { Clock } from '../store/ports/clock.ts';

/** The states of Puppet Server's status service. */
export type ServiceState = 'starting' | 'running' | 'stopping' | 'error';

interface ServiceHealth {
  readonly state: ServiceState;
  /** Descriptions of problems; empty without any. */
  readonly alerts: readonly string[];
}

/** Resolves when the dependency works. */
export type HealthCheck = () => Promise<unknown>;

/** Load balancers poll every few seconds, so results are cached for this long. */
const KEPT_MS = 5000;
/** Time-out of a check. */
const CHECK_TIMEOUT_MS = 3000;
/** A caller waits this long for a new result, if the last one may still be shown. */
const PATIENCE_MS = 20;
/** Maximum age of a result shown while a new check runs, from the start of its own check. */
const SHOWN_MS = 3 * KEPT_MS;

/**
 * The health of this process's services, from checks of their dependencies. Each check runs once at
 * a time and at most every five seconds, for any number of callers. A caller does not wait for a
 * slow check while the last result is at most 15 seconds old: a busy store must not make a load
 * balancer give up a process that works.
 */
export class Health {
  readonly #clock: Clock;
  readonly #services: ReadonlyMap<string, WatchedService>;
  #stopping = false;

  /** `services`: by name, the checks that must succeed for it to run. */
  constructor(services: Readonly<Record<string, Readonly<Record<string, HealthCheck>>>>, clock: Clock) {
    this.#clock = clock;
    const kept = new Map<HealthCheck, CachedCheck>();
    this.#services = new Map(
      Object.entries(services).map(([name, checks]) => {
        const parts = Object.entries(checks).map(([part, check]) => {
          const known = kept.get(check) ?? new CachedCheck(part, check, clock);
          kept.set(check, known);
          return known;
        });
        return [name, { parts, hasRun: false }];
      }),
    );
  }

  get names(): readonly string[] {
    return [...this.#services.keys()];
  }

  /** Reports every service as `stopping` from now on. */
  stop(): void {
    this.#stopping = true;
  }

  /** The state of one service. Throws for an unknown name. */
  async check(name: string): Promise<ServiceHealth> {
    const service = this.#services.get(name);
    if (!service) throw new Error(`invariant: there is no service ${name}`);
    if (this.#stopping) return { state: 'stopping', alerts: [] };
    const alerts = (await Promise.all(service.parts.map((part) => part.getAlerts(this.#clock.now())))).flat();
    if (alerts.length === 0) service.hasRun = true;
    return { state: alerts.length === 0 ? 'running' : service.hasRun ? 'error' : 'starting', alerts };
  }
}

/** A service and its checks. */
interface WatchedService {
  readonly parts: readonly CachedCheck[];
  /** Whether all checks have succeeded once. */
  hasRun: boolean;
}

/** A check with its last result. */
class CachedCheck {
  readonly #name: string;
  readonly #check: HealthCheck;
  readonly #clock: Clock;
  #cached: { readonly until: number; readonly alerts: Promise<readonly string[]> } | null = null;
  /** The last result that is complete. */
  #last: { readonly at: number; readonly alerts: readonly string[] } | null = null;

  constructor(name: string, check: HealthCheck, clock: Clock) {
    this.#name = name;
    this.#check = check;
    this.#clock = clock;
  }

  getAlerts(at: number): Promise<readonly string[]> {
    if (this.#cached === null || at >= this.#cached.until) {
      this.#cached = { until: at + KEPT_MS, alerts: this.#askAt(at) };
    }
    const { alerts } = this.#cached;
    return this.#last === null || at - this.#last.at > SHOWN_MS ? alerts : soonerOf(alerts, this.#last.alerts);
  }

  async #askAt(at: number): Promise<readonly string[]> {
    const alerts = await this.#ask();
    this.#last = { at, alerts };
    return alerts;
  }

  async #ask(): Promise<readonly string[]> {
    const late = new AbortController();
    const timeout = this.#clock.sleep(CHECK_TIMEOUT_MS, late.signal).then(() => {
      if (!late.signal.aborted) throw new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} seconds`);
    });
    try {
      await Promise.race([this.#check(), timeout]);
      return [];
    } catch (error) {
      return [`${this.#name}: ${error instanceof Error ? error.message : String(error)}`];
    } finally {
      late.abort();
    }
  }
}

/** The new result if it comes soon, else the last one. */
async function soonerOf<T>(next: Promise<T>, last: T): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(last), PATIENCE_MS);
  });
  const first = await Promise.race([next, patience]);
  clearTimeout(timer);
  return first;
}
