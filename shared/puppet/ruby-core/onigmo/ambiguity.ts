import { overlaps, type Position } from './match-automaton.ts';

/** Larger loops count as ambiguous; the search takes the square of their size. */
const LARGEST_LOOP = 60;

/**
 * Whether some text leads from a position of a loop back to it in two ways. A matcher without
 * memory then takes exponential time. `follow` gives the positions of the loop that may follow one,
 * once for each way.
 */
export function isAmbiguousLoop(
  loop: readonly Position[],
  follow: (position: Position) => readonly Position[],
): boolean {
  if (loop.length > LARGEST_LOOP) return true;
  const numbers = new Map(loop.map((position, index) => [position, index]));
  const next = loop.map((position) => follow(position).map((each) => numbers.get(each) ?? 0));
  if (next.some((each) => new Set(each).size < each.length)) return true;
  if (loop.every((_, index) => isDeterministic(next[index] ?? [], loop))) return false;
  return new PairGraph(loop, next).hasDetour();
}

function isDeterministic(next: readonly number[], loop: readonly Position[]): boolean {
  return !next.some((one, at) => next.slice(at + 1).some((other) => isShared(loop[one], loop[other])));
}

function isShared(one: Position | undefined, other: Position | undefined): boolean {
  return one !== undefined && other !== undefined && overlaps(one, other);
}

/** Pairs of positions that the same text reaches. */
class PairGraph {
  readonly #size: number;
  readonly #forward: number[][] = [];
  readonly #backward: number[][] = [];

  constructor(loop: readonly Position[], next: readonly (readonly number[])[]) {
    this.#size = loop.length;
    for (let pair = 0; pair < this.#size ** 2; pair += 1) this.#backward.push([]);
    for (let pair = 0; pair < this.#size ** 2; pair += 1) {
      const [left, right] = [Math.floor(pair / this.#size), pair % this.#size];
      const targets = (next[left] ?? []).flatMap((one) =>
        (next[right] ?? [])
          .filter((other) => isShared(loop[one], loop[other]))
          .map((other) => one * this.#size + other),
      );
      this.#forward.push(targets);
      for (const target of targets) this.#backward[target]?.push(pair);
    }
  }

  /** Whether a pair of different positions lies between pairs of equal ones. */
  hasDetour(): boolean {
    const back = this.#reach(this.#backward);
    return [...this.#reach(this.#forward)].some((pair) => !this.#isEqual(pair) && back.has(pair));
  }

  #isEqual(pair: number): boolean {
    return pair % (this.#size + 1) === 0;
  }

  /** The pairs that are reached from pairs of equal positions. */
  #reach(edges: readonly (readonly number[])[]): ReadonlySet<number> {
    const reached = new Set(Array.from({ length: this.#size }, (_, index) => index * (this.#size + 1)));
    for (const pair of reached) for (const target of edges[pair] ?? []) reached.add(target);
    return reached;
  }
}
