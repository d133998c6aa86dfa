import type { JobBarrier, JobTargets, Precedence } from './job-order.ts';
import { OrchestratorError } from './orchestrator-error.ts';

interface Barrier extends JobBarrier {
  readonly reason: string;
}

/**
 * Arranges nodes by their levels: a node's level is one more than the highest of those it waits
 * for. Throws OrchestratorError for a cycle, and names it. Takes time in proportion to the sizes of
 * the precedences.
 */
export function arrangeTargets(names: readonly string[], precedences: readonly Precedence[]): JobTargets {
  const barriers = precedences.flatMap((one) => placeBarriers(names, one));
  if (barriers.length === 0) return { names };
  const levels = sortByLevels(names, barriers);
  const order = levels.flat();
  if (order.length < names.length) throw describeCycle(names, barriers, new Set(order));
  const places = new Map(order.map((index, place) => [index, place]));
  const move = (indexes: readonly number[]) => indexes.map((index) => places.get(index) ?? 0);
  return {
    names: order.map((index) => names[index] ?? ''),
    levels: levels.map((level) => level.length),
    barriers: barriers.map(({ before, after }) => ({ before: move(before), after: move(after) })),
  };
}

/** The names of the nodes of each level, lowest first. */
export function listLevels({ names, levels }: JobTargets): readonly (readonly string[])[] {
  let start = 0;
  return (levels ?? [names.length]).map((count) => {
    start += count;
    return names.slice(start - count, start);
  });
}

/** The barriers of a precedence among the nodes of the job. A node does not wait for itself. */
function placeBarriers(names: readonly string[], { before, after, reason }: Precedence): readonly Barrier[] {
  const places = placesOf(names);
  const find = (wanted: readonly string[]) => [...new Set(wanted)].flatMap((name) => places.get(name) ?? []);
  const [first, then] = [find(before), find(after)];
  const isFirst = new Set(first);
  const both = then.filter((index) => isFirst.has(index));
  // Two nodes that wait for each other are a cycle, whatever else there is.
  const alone = both
    .slice(0, 2)
    .map((self) => ({ before: first.filter((one) => one !== self), after: [self], reason }));
  const others = { before: first, after: then.filter((index) => !isFirst.has(index)), reason };
  return [others, ...alone].filter((barrier) => barrier.before.length > 0 && barrier.after.length > 0);
}

const PLACES = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

function placesOf(names: readonly string[]): ReadonlyMap<string, number> {
  const known = PLACES.get(names) ?? new Map(names.map((name, index) => [name, index]));
  PLACES.set(names, known);
  return known;
}

/** The nodes that are in no cycle, level by level, within a level as given. */
function sortByLevels(names: readonly string[], barriers: readonly Barrier[]): readonly (readonly number[])[] {
  const waits = names.map(() => 0);
  const opens = barriers.map(({ before }) => before.length);
  const barriersOf = new Map<number, number[]>();
  for (const [at, { before, after }] of barriers.entries()) {
    for (const index of after) waits[index] = (waits[index] ?? 0) + 1;
    for (const index of before) {
      const behind = barriersOf.get(index);
      if (behind === undefined) barriersOf.set(index, [at]);
      else behind.push(at);
    }
  }
  const levels: number[][] = [];
  let level = names.flatMap((_, index) => (waits[index] === 0 ? [index] : []));
  while (level.length > 0) {
    levels.push(level);
    const next: number[] = [];
    for (const at of level.flatMap((index) => barriersOf.get(index) ?? [])) {
      opens[at] = (opens[at] ?? 0) - 1;
      if (opens[at] !== 0) continue;
      for (const index of barriers[at]?.after ?? []) {
        waits[index] = (waits[index] ?? 0) - 1;
        if (waits[index] === 0) next.push(index);
      }
    }
    level = next.sort((left, right) => left - right);
  }
  return levels;
}

/** Follows what is left backwards until it meets itself: each node there waits for another one. */
function describeCycle(
  names: readonly string[],
  barriers: readonly Barrier[],
  sorted: ReadonlySet<number>,
): OrchestratorError {
  const barrierOf = new Map<number, Barrier>();
  for (const barrier of barriers) {
    if (barrier.before.every((index) => sorted.has(index))) continue;
    for (const index of barrier.after) if (!barrierOf.has(index)) barrierOf.set(index, barrier);
  }
  const path: { readonly index: number; readonly reason: string }[] = [];
  const seen = new Map<number, number>();
  let index = names.findIndex((_, one) => !sorted.has(one));
  while (!seen.has(index)) {
    seen.set(index, path.length);
    const barrier = barrierOf.get(index);
    path.push({ index, reason: barrier?.reason ?? '' });
    index = barrier?.before.find((one) => !sorted.has(one)) ?? index;
  }
  const cycle = path.slice(seen.get(index));
  const nodes = cycle.map((step) => names[step.index] ?? '');
  const steps = cycle.map(({ reason }, at) => `${nodes[at]} waits for ${nodes[(at + 1) % nodes.length]} (${reason})`);
  return new OrchestratorError('dependency-cycle', `The run order has a cycle: ${steps.join(', ')}`, { nodes });
}
