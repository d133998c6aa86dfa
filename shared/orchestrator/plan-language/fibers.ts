import type { Value } from '../../puppet/types/values/values.ts';
import { BoltError } from './bolt-error.ts';
import type { PlanEffect, PlanHost, PlanOutcome } from './plan-effects.ts';

/**
 * Thrown when a block that runs in the background has to wait. Only the scheduler catches it: it
 * runs the block again from its start when the wait is over.
 */
class Suspension {}

/** The outcome of a call that is not a function of its arguments: a value, or an error. */
type Entry = { readonly value: unknown } | { readonly error: unknown };

interface Wait<T = unknown> {
  /** Whether the wait is over; called at each turn. */
  readonly isOver: () => boolean;
  /** Makes the value that the call returns; it may throw. */
  readonly finish: () => T;
  /** The time at which it is over at the latest; absent: none. */
  readonly until?: number | undefined;
  /** Whether the others get a turn even if it is over at once. */
  readonly yields?: boolean;
}

/** An error that ends the plan, whatever its code catches. */
export class PlanAborted extends Error {
  constructor(cause: unknown) {
    super('An error ended the plan', { cause });
    this.name = 'PlanAborted';
  }
}

type FutureState = 'running' | 'done' | 'error';

/** A block that runs in the background, or the plan itself. Follows lib/bolt/plan_future.rb. */
export class Fiber {
  readonly id: number;
  readonly name: string;
  readonly body: () => Value;
  /** Runs of plans that it is in, innermost first. */
  readonly planRuns: number[];
  state: FutureState = 'running';
  /** The value or, after an error, the error. */
  value: Value | BoltError = null;
  /** Outcomes of calls so far, for the next run of the block. */
  readonly log: Entry[] = [];
  cursor = 0;
  wait: Wait | null = null;

  constructor(id: number, planRun: number, body: () => Value, name: string | null) {
    this.id = id;
    this.name = name ?? String(id);
    this.body = body;
    this.planRuns = [planRun];
  }

  get isAlive(): boolean {
    return this.state === 'running';
  }

  get originalRun(): number | undefined {
    return this.planRuns.at(-1);
  }
}

/** An effect to begin, and what the rest of the call needs. */
interface Begun<P> {
  readonly effect: PlanEffect;
  readonly prepared: P;
}

interface FiberOptions {
  readonly host: PlanHost;
  /** Blocks that may run in the background at a time. */
  readonly mostFutures: number;
}

/**
 * Runs blocks in the background, in Bolt's order: each in turn goes on until it has to wait. The
 * evaluator is synchronous and cannot leave a block in the middle. So a block that waits is ended,
 * and run again later; the calls that it made are not made again but give their logged outcome.
 * Calls whose outcome depends on more than their arguments go through `once`, `run` or `waitFor`.
 * The plan itself is never run again: the others run while it waits. Follows
 * lib/bolt/fiber_executor.rb.
 */
export class Fibers {
  readonly #host: PlanHost;
  readonly #mostFutures: number;
  readonly #outcomes = new Map<number, PlanOutcome>();
  readonly #active: Fiber[];
  readonly #finished: Fiber[] = [];
  readonly #main: Fiber;
  #current: Fiber;
  #ids = 1;
  #effects = 0;
  #planRuns = 0;
  /** Nested calls of `once`: what they call is part of their outcome. */
  #depth = 0;

  constructor({ host, mostFutures }: FiberOptions) {
    this.#host = host;
    this.#mostFutures = mostFutures;
    this.#main = new Fiber(1, 0, () => null, null);
    this.#current = this.#main;
    this.#active = [this.#main];
  }

  get current(): Fiber {
    return this.#current;
  }

  get #isMain(): boolean {
    return this.#current === this.#main;
  }

  /** Calls something whose outcome depends on more than its arguments, and that does not wait. */
  once<T>(body: () => T): T {
    if (this.#isMain || this.#depth > 0) return body();
    const fiber = this.#current;
    const known = fiber.log[fiber.cursor];
    if (known) {
      fiber.cursor += 1;
      return read<T>(known);
    }
    this.#depth += 1;
    try {
      const value = body();
      fiber.log.push({ value });
      return value;
    } catch (error) {
      if (!(error instanceof Suspension)) fiber.log.push({ error });
      throw error;
    } finally {
      this.#depth -= 1;
      fiber.cursor = fiber.log.length;
    }
  }

  /**
   * Runs an effect. `prepare` is called once; with `done` it has no effect. `finish` makes the
   * value of the outcome. Both may throw.
   */
  run<T, P>(prepare: () => Begun<P> | { readonly done: T }, finish: (outcome: PlanOutcome, prepared: P) => T): T {
    return this.waitFor(() => {
      const begun = prepare();
      if ('done' in begun) return { isOver: () => true, finish: () => begun.done };
      this.#effects += 1;
      const id = this.#effects;
      this.#host.begin(id, begun.effect);
      const take = () => {
        const outcome = this.#outcomes.get(id);
        if (outcome === undefined) throw new Error(`invariant: effect ${id} has ended`);
        this.#outcomes.delete(id);
        return finish(outcome, begun.prepared);
      };
      return { isOver: () => this.#outcomes.has(id), finish: take, yields: true };
    });
  }

  /** Waits; `prepare` is called once. */
  waitFor<T>(prepare: () => Wait<T>): T {
    const fiber = this.#current;
    if (this.#isMain) {
      const wait = prepare();
      this.#drive(wait);
      return wait.finish();
    }
    const known = fiber.log[fiber.cursor];
    if (known) {
      fiber.cursor += 1;
      return read<T>(known);
    }
    const wait = this.once(prepare);
    // Only the outcome of the whole is logged.
    fiber.log.pop();
    fiber.cursor = fiber.log.length;
    if (wait.isOver() && wait.yields !== true) return this.once(wait.finish);
    fiber.wait = wait;
    throw new Suspension();
  }

  /** Waits without giving others a turn, as in Bolt. */
  sleep(ms: number): void {
    this.once(() => {
      const until = this.#host.now() + ms;
      while (this.#host.now() < until) this.#take(this.#host.await(until));
    });
  }

  /** Begins a block in the background. */
  create(planRun: number, body: () => Value, name: string | null): Fiber {
    return this.once(() => {
      const running = this.#active.length - 1;
      if (running >= this.#mostFutures) {
        throw new BoltError(`A plan may have ${this.#mostFutures} blocks in the background at a time`, 'bolt/limit');
      }
      this.#ids += 1;
      const fiber = new Fiber(this.#ids, planRun, body, name);
      this.#active.push(fiber);
      return fiber;
    });
  }

  /** Runs `body` as a run of a plan, of which `wait` without futures finds the futures. */
  inPlan<T>(body: () => T): T {
    const fiber = this.#current;
    const run = this.once(() => {
      this.#planRuns += 1;
      return this.#planRuns;
    });
    fiber.planRuns.unshift(run);
    try {
      return body();
    } finally {
      fiber.planRuns.shift();
    }
  }

  /** The futures of the run of a plan that the current block is in. */
  ofCurrentPlan(): readonly Fiber[] {
    const [run] = this.#current.planRuns;
    return [...this.#active, ...this.#finished].filter((one) => one !== this.#main && one.originalRun === run);
  }

  /** Ends a future that did not end in time. */
  fail(fiber: Fiber, error: BoltError): void {
    fiber.value = error;
    fiber.state = 'error';
  }

  now(): number {
    return this.#host.now();
  }

  /** Runs what is left in the background after the plan itself ended. */
  finishAll(): void {
    this.#remove(this.#main);
    while (this.#active.length > 0) {
      this.#turn();
      if (this.#active.length > 0) this.#collect(null);
    }
  }

  #drive(wait: Wait): void {
    if (this.#active.length === 1) {
      while (!wait.isOver()) this.#collect(wait);
      return;
    }
    let isFirst = wait.yields === true;
    while (isFirst || !wait.isOver()) {
      isFirst = false;
      this.#turn();
      if (!wait.isOver()) this.#collect(wait);
    }
  }

  /** Takes what ended; waits for it when no future can go on. */
  #collect(own: Wait | null): void {
    const waits = [own, ...this.#active.map(({ wait }) => wait)].filter((wait) => wait !== null);
    const canGoOn = this.#active.some((one) => one !== this.#main && (one.wait === null || one.wait.isOver()));
    const limits = waits.flatMap(({ until }) => until ?? []);
    const until = limits.length === 0 ? null : Math.min(...limits);
    this.#take(this.#host.await(canGoOn ? this.#host.now() : until));
  }

  #take(outcomes: readonly (readonly [number, PlanOutcome])[]): void {
    for (const [id, outcome] of outcomes) this.#outcomes.set(id, outcome);
  }

  /**
   * Gives each future a turn. Futures that the turn begins get theirs in the same turn. As in Bolt,
   * the one after a future that ended waits for the next turn.
   */
  #turn(): void {
    for (let place = 0; place < this.#active.length; place += 1) {
      const fiber = this.#active[place];
      if (fiber === undefined || fiber === this.#main) continue;
      if (fiber.isAlive) this.#resume(fiber);
      if (!fiber.isAlive) this.#remove(fiber);
    }
  }

  #remove(fiber: Fiber): void {
    const place = this.#active.indexOf(fiber);
    if (place >= 0) this.#active.splice(place, 1);
    this.#finished.push(fiber);
  }

  #resume(fiber: Fiber): void {
    const before = this.#current;
    const depth = this.#depth;
    this.#current = fiber;
    this.#depth = 0;
    try {
      if (fiber.wait !== null) {
        if (!fiber.wait.isOver()) return;
        const { finish } = fiber.wait;
        fiber.wait = null;
        fiber.log.push(attempt(finish));
      }
      fiber.cursor = 0;
      fiber.planRuns.splice(0, fiber.planRuns.length - 1);
      fiber.value = fiber.body();
      fiber.state = 'done';
    } catch (error) {
      if (error instanceof Suspension) return;
      fiber.state = 'error';
      if (error instanceof BoltError) fiber.value = error;
      else throw error instanceof PlanAborted ? error : new PlanAborted(error);
    } finally {
      this.#current = before;
      this.#depth = depth;
    }
  }
}

function attempt(body: () => unknown): Entry {
  try {
    return { value: body() };
  } catch (error) {
    return { error };
  }
}

function read<T>(entry: Entry): T {
  if ('error' in entry) throw entry.error;
  return entry.value as T;
}
