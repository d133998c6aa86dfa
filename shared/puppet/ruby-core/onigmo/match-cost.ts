/**
 * Bounds the steps of a backtracking matcher without memory, such as that of V8, from the pattern
 * alone. A loop whose rounds leave no choice takes a step for each character. Where such a loop
 * overlaps with what follows it, what follows is tried at each character: each such loop raises the
 * degree by one. An ambiguous loop has no bound here, since it may take exponential time.
 */

import { isAmbiguousLoop } from './ambiguity.ts';
import { addSteps, constantSteps, countSteps, maxSteps, repeatSteps, type Steps } from './cost-polynomial.ts';
import { leadingAnchor } from './leading-anchor.ts';
import { type Follow, MatchAutomaton, overlaps, type Position, UnboundedMatch } from './match-automaton.ts';
import type { PatternNode } from './pattern.ts';

/** Polynomials of a higher degree are no useful bound. */
const HIGHEST_DEGREE = 6;
/** The most steps for each character of a match that counts as linear. */
const LINEAR_STEPS = 1000;

/** Searches of more steps run on the matcher with memory. V8 takes about 10 ms for as many. */
export const NATIVE_STEPS = 2_000_000;

/** Places where a search may begin a match that takes more than a few steps. */
type Starts = 'textStart' | 'lineStart' | 'anywhere' | 'apart';

/** A bound for the steps of a search. */
export interface MatchCost {
  /** Bound of an attempt at one place. */
  readonly attempt: Steps;
  /** Bound of an attempt that fails. */
  readonly failure: Steps;
  readonly starts: Starts;
  /** The places where a match begins in a text of `starts` `apart` overlap at most so often. */
  readonly positions: number;
  /** Whether repeated searches, each from the end of the match before, are linear together. */
  readonly isLinear: boolean;
  /** In texts that are not longer, a search takes at most `NATIVE_STEPS`. */
  readonly shortLength: number;
}

/** The bound for a pattern; null where none is known. */
export function boundMatchCost(root: PatternNode): MatchCost | null {
  try {
    return measure(root);
  } catch (error) {
    if (error instanceof UnboundedMatch) return null;
    throw error;
  }
}

function findShortLength(cost: MatchCost): number {
  const anywhere: MatchCost = { ...cost, starts: 'anywhere' };
  let length = 1;
  while (length < 2 ** 20 && estimateSteps(anywhere, '', 2 * length) <= NATIVE_STEPS) length *= 2;
  return estimateSteps(anywhere, '', length) <= NATIVE_STEPS ? length : 0;
}

/** The most steps of one search in a part of `length` characters of a text. */
export function estimateSteps(cost: MatchCost, text: string, length: number): number {
  const failure = countSteps(cost.failure, length);
  const steps = countSteps(cost.attempt, length) + length;
  switch (cost.starts) {
    case 'textStart':
      return steps + failure;
    case 'lineStart':
      return steps + failure * (1 + countLines(text));
    case 'anywhere':
      return steps + failure * length;
    case 'apart':
      return steps + failure * cost.positions + countSteps(cost.failure, 0) * length;
  }
}

function countLines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

function measure(root: PatternNode): MatchCost {
  const automaton = new MatchAutomaton(root, measureTest);
  const start = automaton.follow(automaton.start);
  const attempts = new PathCost(automaton, false);
  const attempt = attempts.ofFollow(start);
  const failures = new PathCost(automaton, true);
  const failure = start.accepts ? constantSteps(1) : failures.ofFollow(start);
  const starts = findStarts(root, failures, start.positions);
  const isOnce = starts === 'textStart' || starts === 'apart';
  const isLinear =
    attempt.length <= 2 &&
    failure.length <= (isOnce ? 2 : 1) &&
    countSteps(addSteps(attempt, failure), 1) <= LINEAR_STEPS &&
    attempts.endsWhereItCan;
  const cost = { attempt, failure, starts, positions: attempts.size + 1, isLinear, shortLength: 0 };
  return { ...cost, shortLength: isLinear ? 0 : findShortLength(cost) };
}

function measureTest(body: PatternNode): Steps {
  const automaton = new MatchAutomaton(body, measureTest);
  return addSteps(constantSteps(2), new PathCost(automaton, false).ofFollow(automaton.follow(automaton.start)));
}

function findStarts(root: PatternNode, failures: PathCost, first: readonly Position[]): Starts {
  const anchor = leadingAnchor(root);
  if (anchor === 'textStart') return anchor;
  const { inLoops, hasLongTest } = failures;
  if (!hasLongTest && !inLoops.some((position) => first.some((each) => overlaps(position, each)))) return 'apart';
  return anchor === 'lineStart' ? anchor : 'anywhere';
}

/** The steps from each position to the end of an attempt, found by Tarjan's components. */
class PathCost {
  /** The positions in loops. */
  readonly inLoops: Position[] = [];
  /** Whether a look-around may read far ahead. */
  hasLongTest = false;
  /** Whether an attempt that could have ended before reads on only to consume what it reads. */
  endsWhereItCan = true;
  readonly #automaton: MatchAutomaton;
  readonly #failsOnly: boolean;
  readonly #steps = new Map<Position, Steps>();
  readonly #follows = new Map<Position, Follow>();
  readonly #order = new Map<Position, number>();
  readonly #low = new Map<Position, number>();
  readonly #open: Position[] = [];

  /**
   * With `failsOnly`, positions where the match may end are not followed: no attempt that fails
   * gets beyond them.
   */
  constructor(automaton: MatchAutomaton, failsOnly: boolean) {
    this.#automaton = automaton;
    this.#failsOnly = failsOnly;
  }

  get size(): number {
    return this.#steps.size;
  }

  ofFollow({ positions, tests }: Follow): Steps {
    this.hasLongTest ||= tests.length > 1;
    for (const position of positions) this.#visit(position);
    return addSteps(addSteps(constantSteps(1), tests), this.#mostSteps(positions));
  }

  #visit(position: Position): void {
    if (this.#order.has(position)) return;
    const order = this.#order.size;
    this.#order.set(position, order);
    this.#low.set(position, order);
    this.#open.push(position);
    const follow = this.#followOf(position);
    for (const next of follow.positions) {
      this.#visit(next);
      if (follow.accepts && !this.#followOf(next).accepts) this.endsWhereItCan = false;
      if (this.#steps.has(next)) continue;
      this.#low.set(position, Math.min(this.#low.get(position) ?? 0, this.#low.get(next) ?? 0));
    }
    if (this.#low.get(position) === order) this.#close(this.#open.splice(this.#open.indexOf(position)));
  }

  #followOf(position: Position): Follow {
    const known = this.#follows.get(position);
    if (known) return known;
    const found = this.#automaton.follow(position.next);
    const follow = this.#failsOnly && found.accepts ? { ...found, positions: [] } : found;
    this.#follows.set(position, follow);
    this.hasLongTest ||= follow.tests.length > 1;
    return follow;
  }

  /** Computes the steps of a component; those of all that follows it are known. */
  #close(component: readonly Position[]): void {
    const steps = this.#stepsOf(component);
    if (steps.length > HIGHEST_DEGREE + 1) throw new UnboundedMatch();
    for (const position of component) this.#steps.set(position, steps);
  }

  #stepsOf(component: readonly Position[]): Steps {
    const members = new Set(component);
    let round = constantSteps(1);
    let after = constantSteps(0);
    let [isLoop, hasChoice] = [false, false];
    for (const position of component) {
      const { positions, tests } = this.#followOf(position);
      const inside = positions.filter((next) => members.has(next));
      const outside = positions.filter((next) => !members.has(next));
      isLoop ||= inside.length > 0;
      hasChoice ||= hasOverlap(inside) || inside.some((one) => outside.some((other) => overlaps(one, other)));
      round = maxSteps(round, addSteps(constantSteps(1), tests));
      after = maxSteps(after, this.#mostSteps(outside));
    }
    if (!isLoop) return addSteps(round, after);
    this.inLoops.push(...component);
    if (!hasChoice) return addSteps(repeatSteps(round), after);
    const follow = (position: Position) => this.#followOf(position).positions.filter((next) => members.has(next));
    if (isAmbiguousLoop(component, follow)) throw new UnboundedMatch();
    // Without ambiguity, one way leads to each position of the loop.
    return repeatSteps(addSteps(round, after).map((steps) => steps * component.length));
  }

  /** The steps of all positions that may consume the same character, at most. */
  #mostSteps(positions: readonly Position[]): Steps {
    return positions
      .map((one) =>
        positions
          .filter((other) => overlaps(one, other))
          .reduce((sum, other) => addSteps(sum, this.#steps.get(other) ?? constantSteps(0)), constantSteps(0)),
      )
      .reduce(maxSteps, constantSteps(0));
  }
}

function hasOverlap(positions: readonly Position[]): boolean {
  return positions.some((one, index) => positions.slice(index + 1).some((other) => overlaps(one, other)));
}
