import type { Clock } from '../../shared/store/ports/clock.ts';
import { digestSha256 } from '../../shared/util/digest.ts';
import { type Footprint, footprintOf } from './footprint.ts';

/** A step that the scheduler can take next. */
export interface Step {
  /** Names the step in every schedule with the same past of its process: `worker 1#7`. */
  readonly id: string;
  readonly process: string;
  /** The call: `nodes.commit`, `clock.sleep`. */
  readonly call: string;
  readonly footprint: Footprint;
}

interface PendingStep extends Step {
  readonly args: readonly unknown[];
  /** Makes the call. */
  readonly make: () => Promise<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When a sleeper wakes up; absent for calls. */
  readonly at?: number;
  /**
   * False while the step is not worth taking as long as there is another one; absent: always true.
   */
  readonly isReady?: () => boolean;
}

/** The outcome of a step: `crash` performs the call and ends the process before it learns of it. */
export type StepOutcome = 'done' | 'crash' | { readonly fault: Error; readonly isDone: boolean };

/** Picks one of the steps that can be taken next, at least one; null ends the run. */
export type Decide = (steps: readonly Step[], taken: number) => { step: Step; outcome?: StepOutcome } | null;

/** Whether the step is a call of a store, and not one of the simulation's own. */
export function canFail(call: string): boolean {
  return call !== 'clock.sleep' && call !== 'queue.wait' && !call.startsWith('*');
}

/** A call that was made, or failed. */
export interface TakenStep {
  readonly step: Step;
  readonly outcome: StepOutcome;
  readonly args: readonly unknown[];
  /** Undefined when the call was not made, or threw. */
  readonly result: unknown;
}

const LONGEST_TRACE = 300;

/** One line: the call with its arguments and its result. */
export function describeTaken({ step, outcome, args, result }: TakenStep): string {
  const print = (value: unknown) => (JSON.stringify(value) ?? 'undefined').slice(0, LONGEST_TRACE);
  const end =
    outcome === 'done' ? '' : outcome === 'crash' ? ', dies' : `, fails ${outcome.isDone ? 'after' : 'before'}`;
  return `${step.id} ${step.call}(${args.map(print).join(', ')}) = ${print(result)}${end}`;
}

/** Called after each step, before its caller goes on. */
export type StepObserver = (taken: TakenStep) => void;

/** The tasks of a run wait for something that the scheduler does not own. */
export class RunIsStuck extends Error {
  constructor(processes: readonly string[]) {
    super(`nothing can be done next, and these have not ended: ${processes.join(', ')}`);
    this.name = 'RunIsStuck';
  }
}

const randoms = new Map<string, number>();

/**
 * Runs tasks of simulated processes one port call at a time. Each call of a wrapped store, and each
 * sleep, waits until it is picked; between two steps all code runs until it waits for its next
 * calls. So a run is a function of the decisions. Time stands still but for sleeps and `stepClock`.
 */
export class Scheduler {
  readonly #pending: PendingStep[] = [];
  readonly #counts = new Map<string, number>();
  readonly #dead = new Set<string>();
  readonly #running = new Map<object, string>();
  readonly #observe: StepObserver;
  readonly #tickMs: number;
  #time: number;
  #failure: { readonly error: unknown } | null = null;

  /** `tickMs`: the time that each step takes. */
  constructor(time: number, observe: StepObserver = () => undefined, tickMs = 0) {
    this.#time = time;
    this.#tickMs = tickMs;
    this.#observe = observe;
  }

  now(): number {
    return this.#time;
  }

  /** Moves the clock on, or back, as an NTP step or a long stop of all processes does. */
  stepClock(milliseconds: number): void {
    this.#time += milliseconds;
  }

  /**
   * The clock of a process. Its `random` is one number, another one for each process: the decisions
   * are the only chance of a run.
   */
  clockOf(process: string): Clock {
    const random = randoms.get(process) ?? Number.parseInt(digestSha256(process).slice(0, 6), 16) / 2 ** 24;
    randoms.set(process, random);
    return {
      now: () => this.#time,
      random: () => random,
      sleep: (milliseconds, signal) => this.#sleep(process, Math.max(0, Math.ceil(milliseconds)), signal),
    };
  }

  /** Returns the store as a process sees it. Calls without a footprint are made at once. */
  wrap<T extends object>(process: string, port: string, store: T): T {
    const calls = new Map<string | symbol, unknown>();
    return new Proxy(store, {
      get: (_, name) => {
        const known = calls.get(name);
        if (known !== undefined) return known;
        const method: unknown = Reflect.get(store, name, store);
        if (typeof method !== 'function') return method;
        const call = `${port}.${String(name)}`;
        const take = (...args: readonly unknown[]) =>
          this.#call(process, call, footprintOf(port, String(name), args), args, async () => method.apply(store, args));
        calls.set(name, take);
        return take;
      },
    });
  }

  /** Waits until `isReady`, or until nothing else can be done: `footprint` says what it reads. */
  wait(process: string, what: string, footprint: Footprint, isReady: () => boolean): Promise<void> {
    if (this.#dead.has(process)) return new Promise(() => undefined);
    return new Promise((resolve, reject) => {
      const make = async () => undefined;
      this.#add(process, what, footprint, { args: [], make, resolve: () => resolve(), reject, isReady });
    });
  }

  /** Starts a task of a process; it runs until its first call. Its error ends the run. */
  start(process: string, task: () => Promise<void>): void {
    const key = {};
    this.#running.set(key, process);
    const end = () => this.#running.delete(key);
    task().then(end, (error: unknown) => {
      end();
      if (!this.#dead.has(process)) this.#failure ??= { error };
    });
  }

  /** Ends a process: what it waits for never happens. */
  kill(process: string): void {
    this.#dead.add(process);
    for (const [key, name] of this.#running) if (name === process) this.#running.delete(key);
    const left = this.#pending.filter((step) => step.process !== process);
    this.#pending.splice(0, this.#pending.length, ...left);
  }

  /**
   * Runs the started tasks until all have ended; returns false when `decide` ended the run before.
   */
  async run(decide: Decide): Promise<boolean> {
    for (let taken = 0; ; taken += 1) {
      await drainMicrotasks();
      if (this.#failure) throw this.#failure.error;
      const steps = this.#listSteps();
      if (steps.length === 0) {
        if (this.#running.size === 0) return true;
        throw new RunIsStuck([...this.#running.values()]);
      }
      const decision = decide(steps, taken);
      if (decision === null) return false;
      await this.#take(decision.step.id, decision.outcome ?? 'done');
    }
  }

  async #take(id: string, outcome: StepOutcome): Promise<void> {
    const index = this.#pending.findIndex((step) => step.id === id);
    const step = this.#pending[index];
    if (step === undefined) throw new Error(`there is no step ${id}`);
    this.#pending.splice(index, 1);
    this.#time = Math.max(this.#time + this.#tickMs, step.at ?? 0);
    if (outcome === 'crash') this.kill(step.process);
    const isMade = typeof outcome === 'string' || outcome.isDone;
    const made = await attempt(isMade ? step.make : null);
    this.#observe({ step, outcome, args: step.args, result: 'result' in made ? made.result : undefined });
    if (outcome === 'crash') return;
    if (outcome !== 'done') step.reject(outcome.fault);
    else if ('error' in made) step.reject(made.error);
    else step.resolve(made.result);
  }

  /** All calls, and of the sleepers the one that wakes up first. */
  #listSteps(): readonly PendingStep[] {
    const calls = this.#pending.filter((step) => step.at === undefined);
    const sleepers = this.#pending.filter((step) => step.at !== undefined);
    const first = sleepers.reduce<PendingStep | null>(
      (least, step) => (least === null || (step.at ?? 0) < (least.at ?? 0) ? step : least),
      null,
    );
    const steps = first === null ? calls : [...calls, first];
    const ready = steps.filter((step) => step.isReady?.() ?? true);
    return ready.length > 0 ? ready : steps;
  }

  #call(
    process: string,
    call: string,
    footprint: Footprint,
    args: readonly unknown[],
    work: () => Promise<unknown>,
  ): Promise<unknown> {
    if (this.#dead.has(process)) return new Promise(() => undefined);
    if (footprint.length === 0) return work();
    return new Promise((resolve, reject) => {
      this.#add(process, call, footprint, { args, make: work, resolve, reject });
    });
  }

  #sleep(process: string, milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    if (this.#dead.has(process)) return new Promise(() => undefined);
    return new Promise((resolve) => {
      const end = () => {
        // Those who sleep again and again with one signal would have it search a long list.
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const wake = () => {
        const index = this.#pending.indexOf(step);
        if (index >= 0) this.#pending.splice(index, 1);
        end();
      };
      const step = this.#add(process, 'clock.sleep', TIME, {
        args: [milliseconds],
        make: async () => undefined,
        resolve: end,
        reject: end,
        at: this.#time + milliseconds,
      });
      signal?.addEventListener('abort', wake);
    });
  }

  #add(process: string, call: string, footprint: Footprint, more: Omit<PendingStep, keyof Step>): PendingStep {
    const count = this.#counts.get(process) ?? 0;
    this.#counts.set(process, count + 1);
    const step = { id: `${process}#${count}`, process, call, footprint, ...more };
    this.#pending.push(step);
    return step;
  }
}

type Made = { readonly result: unknown } | { readonly error: unknown };

async function attempt(make: (() => Promise<unknown>) | null): Promise<Made> {
  try {
    return { result: await make?.() };
  } catch (error) {
    return { error };
  }
}

/** Time passes for everybody. */
const TIME: Footprint = [{ key: '*', isWrite: true }];

/** All code that is not waiting for a step runs until it waits for one. */
function drainMicrotasks(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
