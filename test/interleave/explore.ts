import { SeededChance } from '../fuzz/seeded-chance.ts';
import { KeyMasks, type Masks } from './key-masks.ts';
import { canFail, type Decide, type Scheduler, type Step, type StepOutcome } from './scheduler.ts';
import { Trail } from './trail.ts';

/** One run of a world, from its beginning. */
export interface WorldRun {
  readonly scheduler: Scheduler;
  /** Checks what must hold in the end. Throws Violation. */
  finish(): Promise<void>;
  /** What happens to a step; `done` for most. */
  outcomeOf?(step: Step): StepOutcome;
  /** Undoes the run. */
  close(): void;
}

/** A small world whose runs are functions of the decisions. */
export interface World {
  readonly name: string;
  /** With a trail, the run takes from it what it has in common with the one before. */
  begin(trail?: Trail): Promise<WorldRun>;
  /** A step that its faults are about: a world whose first run has no such step is none. */
  readonly needs?: string;
}

/** Something happened that must never happen; the schedule shows how. */
export class Violation extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'Violation';
  }
}

/**
 * A world with each of its faults: the first without the step that its fault is about ends them.
 */
export interface WorldFamily {
  readonly name: string;
  readonly worlds: readonly World[];
  /** Its jobs verify, and do not compile. */
  readonly isLight: boolean;
  /** Runs at most, unless it is explored alone; absent: its share. */
  readonly mostRuns?: number;
}

export interface Exploration {
  /** Complete runs, no two of which are equivalent where the world was explored depth-first. */
  readonly runs: number;
  /** Runs that were cut short because they were equivalent to an earlier one. */
  readonly redundant: number;
  readonly steps: number;
  /** Whether all schedules were covered. */
  readonly isComplete: boolean;
  readonly failure: Failure | null;
}

export interface Failure {
  readonly error: unknown;
  /** The ids of the steps, with their outcome where it is not `done`: input of `replay`. */
  readonly schedule: readonly string[];
}

/** The state before a step of the current run. */
interface State {
  readonly steps: readonly Step[];
  /** Steps whose exploration here would repeat earlier runs. */
  readonly sleep: readonly Step[];
  readonly done: Step[];
  readonly backtrack: Set<string>;
  chosen: Step;
}

/**
 * Explores all schedules of a world depth-first, but for those that differ from an earlier one only
 * in the order of steps that commute (dynamic partial-order reduction with source sets and sleep
 * sets: Abdulla et al., "Optimal dynamic partial order reduction", POPL 2014). Ends after
 * `mostRuns`, or with the first failure.
 */
export async function exploreAll(world: World, mostRuns: number): Promise<Exploration> {
  const trail = new Trail();
  try {
    return await exploreOnTrail(world, mostRuns, trail);
  } finally {
    await trail.end();
  }
}

/**
 * SQLite keeps what it set back as long as there is an older savepoint, and reads it again at each
 * further one.
 */
const RUNS_A_TRAIL = 100;

async function exploreOnTrail(world: World, mostRuns: number, trail: Trail): Promise<Exploration> {
  const stack: State[] = [];
  const masks = new KeyMasks();
  let runs = 0;
  let redundant = 0;
  let steps = 0;
  while (runs + redundant < mostRuns) {
    const run = await world.begin(trail);
    try {
      const isWhole = await run.scheduler.run((enabled, taken) => {
        trail.mark(taken);
        const state = stack[taken] ?? pushState(stack, enabled, masks);
        if (state === null) return null;
        const step = enabled.find(({ id }) => id === state.chosen.id);
        if (step === undefined) throw new Error(`${world.name} is not deterministic: ${state.chosen.id} is missing`);
        return { step, outcome: run.outcomeOf?.(step) ?? 'done' };
      });
      await trail.endRun();
      if (isWhole) await run.finish();
      if (isWhole) runs += 1;
      else redundant += 1;
      const { needs } = world;
      const isFirst = runs + redundant === 1;
      if (isFirst && needs !== undefined && !stack.some(({ chosen }) => chosen.id === needs))
        return { runs: 0, redundant: 0, steps: 0, isComplete: true, failure: null };
    } catch (error) {
      const schedule = stack.map(({ chosen }) => describe({ step: chosen }));
      return { runs: runs + 1, redundant, steps, isComplete: false, failure: { error, schedule } };
    } finally {
      run.close();
    }
    steps += stack.length;
    addBacktracks(stack, masks);
    if (!moveOn(stack, masks)) return { runs, redundant, steps, isComplete: true, failure: null };
    if ((runs + redundant) % RUNS_A_TRAIL === 0) await trail.end();
    else await trail.rewind(stack.length - 1);
  }
  return { runs, redundant, steps, isComplete: false, failure: null };
}

/** Adds the state after the last step; null when each step here would repeat an earlier run. */
function pushState(stack: State[], steps: readonly Step[], masks: KeyMasks): State | null {
  const last = stack.at(-1);
  const slept = last ? [...last.sleep, ...last.done] : [];
  const sleep = last ? slept.filter((step) => !masks.doConflict(step, last.chosen) && isOther(step, last.chosen)) : [];
  const awake = steps.filter(({ id }) => !sleep.some((step) => step.id === id));
  const chosen = awake.find(({ process }) => process === last?.chosen.process) ?? awake[0];
  if (chosen === undefined) return null;
  const state = { steps, sleep, done: [], backtrack: new Set([chosen.id]), chosen };
  stack.push(state);
  return state;
}

function isOther(one: Step, other: Step): boolean {
  return one.process !== other.process;
}

/** Finds the races of the run, and has each explored in the other order, too. */
function addBacktracks(stack: readonly State[], masks: KeyMasks): void {
  const processes = [...new Set(stack.map(({ chosen }) => chosen.process))];
  const lanes = stack.map(({ chosen }) => processes.indexOf(chosen.process));
  const sets: Masks[] = stack.map(({ chosen }) => masks.masksOf(chosen.footprint));
  const clocks: Int32Array[] = [];
  const last = new Int32Array(processes.length).fill(-1);
  for (let j = 0; j < stack.length; j += 1) {
    const lane = lanes[j] ?? 0;
    const before = clocks[last[lane] ?? -1];
    const clock = before ? before.slice() : new Int32Array(processes.length).fill(-1);
    for (let i = j - 1; i >= 0; i -= 1) {
      const other = lanes[i] ?? 0;
      if (other === lane || !masks.overlap(sets[i], sets[j])) continue;
      if ((clock[other] ?? -1) < i) {
        reverse(stack, i, j, lanes, clocks);
        join(clock, clocks[i]);
      }
    }
    clock[lane] = j;
    clocks.push(clock);
    last[lane] = j;
  }
}

/** Has a run explored in which step `j` does not come after step `i`. */
function reverse(
  stack: readonly State[],
  i: number,
  j: number,
  lanes: readonly number[],
  clocks: readonly Int32Array[],
): void {
  const state = stack[i];
  const lane = lanes[i] ?? 0;
  if (!state) return;
  // The steps after i that do not follow from it, and j: those without a predecessor among them
  // can begin.
  const rest: number[] = [];
  for (let k = i + 1; k < j; k += 1) if ((clocks[k]?.[lane] ?? -1) < i) rest.push(k);
  const initials = rest.filter((k) => !rest.some((m) => m < k && (clocks[k]?.[lanes[m] ?? 0] ?? -1) >= m));
  const follows = rest.some((m) => (lanes[m] ?? 0) === (lanes[j] ?? 0));
  const ids = [...initials, ...(follows ? [] : [j])].flatMap((k) => stack[k]?.chosen.id ?? []);
  const possible = ids.filter((id) => state.steps.some((step) => step.id === id));
  if (possible.some((id) => state.backtrack.has(id))) return;
  const [first] = possible;
  if (first !== undefined) state.backtrack.add(first);
  else for (const { id } of state.steps) state.backtrack.add(id);
}

function join(clock: Int32Array, other: Int32Array | undefined): void {
  other?.forEach((value, index) => {
    if (value > (clock[index] ?? -1)) clock[index] = value;
  });
}

/** Cuts the stack to the deepest state with a step to explore; false when none is left. */
function moveOn(stack: State[], masks: KeyMasks): boolean {
  for (let state = stack.at(-1); state; state = stack.at(-1)) {
    state.done.push(state.chosen);
    const current = state;
    const next = current.steps.find(
      ({ id }) =>
        current.backtrack.has(id) &&
        !current.done.some((step) => step.id === id) &&
        !current.sleep.some((step) => step.id === id),
    );
    if (next) {
      state.chosen = next;
      return true;
    }
    stack.pop();
  }
  masks.forget();
  return false;
}

/** How faults hit a random run. */
export interface Chance {
  /** The share of steps that end their process, after the call was made. */
  readonly crashes: number;
  /** The share of calls that fail, made or not. */
  readonly faults: number;
  /** Makes the error of a call that fails. */
  readonly makeFault: (step: Step) => Error;
}

/**
 * Explores schedules of a world at random: each process has a priority, which a few steps change
 * (probabilistic concurrency testing: Burckhardt et al., ASPLOS 2010), and every fourth run picks
 * each step alone. Run n has the seed `seed + n`.
 */
export async function exploreAtRandom(
  begin: (seed: number) => Promise<WorldRun>,
  seed: number,
  mostRuns: number,
  chanceOf: (seed: number) => Chance,
): Promise<Exploration & { readonly seed: number }> {
  let steps = 0;
  for (let runs = 0; runs < mostRuns; runs += 1) {
    const run = await begin(seed + runs);
    const schedule: string[] = [];
    try {
      const decide = decideAtRandom(new SeededChance(seed + runs), chanceOf(seed + runs));
      await run.scheduler.run((enabled, taken) => {
        const decision = decide(enabled, taken);
        if (decision === null) return null;
        const planned = run.outcomeOf?.(decision.step) ?? 'done';
        const one = planned === 'done' ? decision : { ...decision, outcome: planned };
        schedule.push(describe(one));
        return one;
      });
      await run.finish();
    } catch (error) {
      const failure = { error, schedule };
      return { runs: runs + 1, redundant: 0, steps, isComplete: false, failure, seed: seed + runs };
    } finally {
      run.close();
    }
    steps += schedule.length;
  }
  return { runs: mostRuns, redundant: 0, steps, isComplete: false, failure: null, seed: seed + mostRuns - 1 };
}

function describe({ step, outcome = 'done' }: { step: Step; outcome?: StepOutcome }): string {
  if (outcome === 'done') return `${step.id} ${step.call}`;
  const how = outcome === 'crash' ? 'then its process dies' : `fails ${outcome.isDone ? 'after' : 'before'} it is done`;
  return `${step.id} ${step.call}, ${how}`;
}

const USUAL_LENGTH = 150;
const CHANGES = 4;

function decideAtRandom(random: SeededChance, chance: Chance): Decide {
  const isUniform = random.often(0.25);
  const priorities = new Map<string, number>();
  const changes = new Set(Array.from({ length: CHANGES }, () => random.below(USUAL_LENGTH)));
  const priorityOf = (process: string) => {
    const priority = priorities.get(process) ?? random.next();
    priorities.set(process, priority);
    return priority;
  };
  return (steps, taken) => {
    const ranked = [...steps].sort((a, b) => priorityOf(b.process) - priorityOf(a.process));
    const best = ranked[0];
    if (best && changes.has(taken % USUAL_LENGTH)) priorities.set(best.process, -random.next());
    const step = isUniform ? random.of(steps) : best;
    if (!step) return null;
    return { step, outcome: outcomeOf(step, random, chance) };
  };
}

function outcomeOf(step: Step, random: SeededChance, { crashes, faults, makeFault }: Chance): StepOutcome {
  if (random.often(crashes)) return 'crash';
  return canFail(step.call) && random.often(faults) ? { fault: makeFault(step), isDone: random.often(0.5) } : 'done';
}
