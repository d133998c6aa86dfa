/**
 * A backtracking matcher with a memory of choices that failed, as Ruby has one since version 3.2.
 * A choice of a pattern is explored once at each position of the text, whatever led there. Time is
 * therefore linear in the text for patterns without back references, conditions and calls. These
 * patterns, and each other, have a limit of steps.
 *
 * The memory covers more than that of Ruby 3.2: look-arounds, atomic groups and counted loops. It
 * never changes an answer: the key of a choice holds all that its outcome depends on.
 */
import { consume, type MatchState, sizeAt, stepBack } from './consume.ts';
import type { CharacterRun, ChoicePoint, CountedLoop, LoopHead, MatchStep, MemoScope, Nested } from './match-steps.ts';
import { MatchLimitError, patternProblem } from './pattern.ts';
import { PositionMemo } from './position-memo.ts';
import { loopStatesOf, type PatternProgram } from './program.ts';

/** A match: its range, and the ranges of its groups (-1 for groups that did not participate). */
export interface PatternMatch {
  readonly start: number;
  readonly end: number;
  /** Start and end of each group, from group 1 on. */
  readonly groups: readonly number[];
}

/** A search stops after this many steps (about a second) and `STEPS_PER_CHARACTER` of its text. */
export const STEP_LIMIT = 10_000_000;
const STEPS_PER_CHARACTER = 64;
/** Maximum number of alternatives that wait at once. */
const STACK_LIMIT = 4_000_000;
/** The memory starts after this many steps: most searches end before. */
const STEPS_BEFORE_MEMO = 2000;

/** State of a nested construct at its start: the place of a group; of a loop also its rounds. */
interface Frame {
  readonly parent: Frame | null;
  readonly start: number;
  readonly loop: CountedLoop | null;
  readonly count: number;
  /** The step at which a call continues. */
  readonly back: MatchStep | null;
}

/** An alternative that was not tried yet; null in place of an instruction when all were. */
interface Choice {
  instruction: MatchStep | null;
  at: number;
  /** The first place of the alternatives of a run; they go down to it from `at`. */
  readonly least: number;
  readonly frame: Frame | null;
  readonly trail: number;
  readonly point: ChoicePoint | null;
  /** The number of the choice in the memory, or -1. */
  readonly key: number;
}

/** The searches of a pattern in one text, one after the other. They share memory and step limit. */
export class PatternSearch implements MatchState {
  readonly text: string;
  /** The steps taken so far. */
  steps = 0;
  from = 0;
  readonly groups: number[];
  readonly #program: PatternProgram;
  readonly #limit: number;
  readonly #memoAfter: number;
  readonly #choices: Choice[] = [];
  /** Overwritten values of `groups`: index and value in turns. */
  readonly #trail: number[] = [];
  #failed: PositionMemo | null = null;
  #succeeded: PositionMemo | null = null;
  #at = 0;
  #frame: Frame | null = null;

  /** The memory starts after `memoAfter` steps. */
  constructor(program: PatternProgram, text: string, memoAfter = STEPS_BEFORE_MEMO) {
    this.#program = program;
    this.#memoAfter = memoAfter;
    this.text = text;
    this.groups = new Array<number>((program.pattern.groupCount + 1) * 2).fill(-1);
    this.#limit = STEP_LIMIT + STEPS_PER_CHARACTER * text.length;
  }

  /**
   * Finds the first match that starts at `from` or later. Throws MatchLimitError after too many
   * steps.
   */
  search(from: number): PatternMatch | null {
    const { text, groups } = this;
    if (from !== this.from) this.#forgetSearchStart(from);
    for (let start = from; start <= text.length; start += sizeAt(text, start)) {
      if (this.#choices.length > 0) this.#choices.length = 0;
      this.#undo(0);
      const end = this.#run(this.#program.start, start, null);
      // `\K` notes the start in the place of group 0.
      const [keep = -1] = groups;
      if (end >= 0) return { start: keep < 0 ? start : keep, end, groups: groups.slice(2) };
      if (this.#program.isAnchored) return null;
    }
    return null;
  }

  #forgetSearchStart(from: number): void {
    this.from = from;
    if (this.#program.pattern.hasSearchStart) {
      this.#failed = null;
      this.#succeeded = null;
    }
  }

  /** Matches from an instruction to the end of its body. Returns the position there, or -1. */
  #run(entry: MatchStep, start: number, frame: Frame | null): number {
    const base = this.#choices.length;
    this.#at = start;
    this.#frame = frame;
    for (let instruction: MatchStep | null = entry; ; ) {
      this.steps += 1;
      if (this.steps > this.#limit) throw this.#limitError(`more than ${this.#limit} steps`);
      if (instruction.kind === 'end') return this.#at;
      if (instruction.kind === 'behindEnd' && this.#frame?.start === this.#at) return this.#at;
      instruction = this.#step(instruction) ?? this.#backtrack(base);
      if (instruction === null) return -1;
    }
  }

  #limitError(what: string): MatchLimitError {
    const { source } = this.#program.pattern;
    return new MatchLimitError(
      patternProblem(`regular expression needs ${what} for a text of ${this.text.length} characters`, source),
    );
  }

  /** Executes an instruction and returns the next; null when it does not match. */
  #step(node: MatchStep): MatchStep | null {
    switch (node.kind) {
      case 'split':
        return this.#choose(node.point, node.first, node.second, this.#frame, this.#frame);
      case 'run':
        return this.#isRemembering(node.scope) ? node.loop : this.#matchRun(node);
      case 'loopStart':
        this.#frame = this.#enterLoop(this.#frame, node.head.loop, 0, -1);
        return node.head;
      case 'loopHead':
        return this.#beginRound(node);
      case 'loopTail':
        return this.#endRound(node.head);
      case 'groupStart':
        this.#frame = { parent: this.#frame, start: this.#at, loop: null, count: 0, back: null };
        return node.next;
      case 'groupEnd':
        this.#setGroup(node.index * 2, this.#frame?.start ?? -1);
        this.#setGroup(node.index * 2 + 1, this.#at);
        this.#frame = this.#frame?.parent ?? null;
        return node.next;
      case 'keep':
        this.#setGroup(0, this.#at);
        return node.next;
      case 'condition':
        return node.groups.some((group) => (this.groups[group * 2 + 1] ?? -1) >= 0) ? node.yes : node.no;
      case 'call':
        this.#frame = { parent: this.#frame, start: -1, loop: null, count: 0, back: node.next };
        return this.#program.routines.get(node.group) ?? null;
      case 'return': {
        const back = this.#frame?.back ?? null;
        this.#frame = this.#frame?.parent ?? null;
        return back;
      }
      case 'atomic':
      case 'ahead':
      case 'behind':
      case 'absent':
        return this.#matchNested(node);
      case 'end':
      case 'behindEnd':
        return null;
      default: {
        const end = consume(node, this, this.#at);
        if (end < 0) return null;
        this.#at = end;
        return node.next;
      }
    }
  }

  /** Goes on with the first instruction and notes the second, each in its frame. */
  #choose(
    point: ChoicePoint,
    first: MatchStep,
    second: MatchStep,
    firstFrame: Frame | null,
    secondFrame: Frame | null,
  ): MatchStep | null {
    const key = this.#keyOf(point);
    if (key >= 0) {
      if (this.#failed?.has(key)) return null;
      if (point.scope.isTest && this.#succeeded?.has(key)) return SUCCESS;
    }
    this.#push({
      instruction: second,
      at: this.#at,
      least: this.#at,
      frame: secondFrame,
      trail: this.#trail.length,
      point: key < 0 ? null : point,
      key,
    });
    this.#frame = firstFrame;
    return first;
  }

  #push(choice: Choice): void {
    if (this.#choices.length >= STACK_LIMIT) throw this.#limitError(`more than ${STACK_LIMIT} alternatives at once`);
    this.#choices.push(choice);
  }

  #matchRun({ character, min, next }: CharacterRun): MatchStep | null {
    const start = this.#at;
    let end = start;
    let count = 0;
    let least = min === 0 ? start : -1;
    for (let after = consume(character, this, end); after >= 0; after = consume(character, this, after)) {
      end = after;
      count += 1;
      if (count === min) least = end;
    }
    if (least < 0) return null;
    this.steps += count;
    if (end > least) {
      const at = stepBack(this.text, end, 1) ?? least;
      this.#push({ instruction: next, at, least, frame: this.#frame, trail: this.#trail.length, point: null, key: -1 });
    }
    this.#at = end;
    return next;
  }

  #isRemembering({ hasMemo }: MemoScope): boolean {
    return hasMemo && this.steps >= this.#memoAfter;
  }

  /** The number of a choice at the present position and state; -1 while nothing is remembered. */
  #keyOf(point: ChoicePoint): number {
    if (!this.#isRemembering(point.scope)) return -1;
    const { states } = this.#program;
    if (states * (this.text.length + 1) > Number.MAX_SAFE_INTEGER) return -1;
    this.#failed ??= new PositionMemo();
    let state = 0;
    for (let frame = this.#frame; frame !== null; frame = frame.parent) {
      if (frame.loop === null) continue;
      state = state * loopStatesOf(frame.loop) + frame.count * 2 + (frame.start === this.#at ? 1 : 0);
    }
    return this.#at * states + point.base + state;
  }

  /** Returns to the last alternative above `base`; null when there is none. */
  #backtrack(base: number): MatchStep | null {
    const choices = this.#choices;
    for (;;) {
      const choice = choices[choices.length - 1];
      if (choice === undefined || choices.length <= base) return null;
      const { instruction, key } = choice;
      if (instruction !== null) {
        // It stays until that alternative, too, has failed.
        this.#undo(choice.trail);
        this.#at = choice.at;
        this.#frame = choice.frame;
        if (key >= 0) choice.instruction = null;
        else if (choice.at > choice.least) choice.at = stepBack(this.text, choice.at, 1) ?? choice.least;
        else choices.pop();
        return instruction;
      }
      choices.pop();
      this.#failed?.add(key);
    }
  }

  #setGroup(index: number, value: number): void {
    this.#trail.push(index, this.groups[index] ?? -1);
    this.groups[index] = value;
  }

  #undo(length: number): void {
    const trail = this.#trail;
    while (trail.length > length) {
      const value = trail.pop() ?? -1;
      this.groups[trail.pop() ?? 0] = value;
    }
  }

  #enterLoop(parent: Frame | null, loop: CountedLoop, count: number, start: number): Frame {
    return { parent, start, loop, count, back: null };
  }

  #beginRound({ loop, body, exit, point }: LoopHead): MatchStep | null {
    const frame = this.#frame;
    const outside = frame?.parent ?? null;
    const count = frame?.count ?? 0;
    const inside = this.#enterLoop(outside, loop, count, this.#at);
    if (count < loop.min) {
      this.#frame = inside;
      return body;
    }
    if (count >= loop.max) {
      this.#frame = outside;
      return exit;
    }
    return loop.isLazy
      ? this.#choose(point, exit, body, outside, inside)
      : this.#choose(point, body, exit, inside, outside);
  }

  #endRound(head: LoopHead): MatchStep | null {
    const { loop, exit } = head;
    const frame = this.#frame;
    const outside = frame?.parent ?? null;
    const count = frame?.count ?? 0;
    // A round that consumes nothing is the last one.
    if (frame?.start === this.#at && count >= loop.min) {
      this.#frame = outside;
      return loop.isLazy ? null : exit;
    }
    this.#frame = this.#enterLoop(outside, loop, Math.min(count + 1, loop.lastCount), frame?.start ?? -1);
    return head;
  }

  #matchNested(node: Nested): MatchStep | null {
    switch (node.kind) {
      case 'atomic':
        return this.#matchAtomic(node);
      case 'absent':
        return this.#matchAbsent(node);
      default: {
        const [at, frame, trail, base] = [this.#at, this.#frame, this.#trail.length, this.#choices.length];
        const found = node.kind === 'ahead' ? this.#run(node.body, at, null) >= 0 : this.#matchBehind(node);
        if (found && node.kind === 'ahead') this.#rememberSuccess(node.scope, base);
        this.#choices.length = base;
        if (!found || node.negative) this.#undo(trail);
        [this.#at, this.#frame] = [at, frame];
        return found === node.negative ? null : node.next;
      }
    }
  }

  #rememberSuccess(scope: MemoScope, base: number): void {
    if (!scope.isTest) return;
    for (let index = base; index < this.#choices.length; index += 1) {
      const choice = this.#choices[index];
      if (choice?.point?.scope !== scope) continue;
      this.#succeeded ??= new PositionMemo();
      this.#succeeded.add(choice.key);
    }
  }

  #matchBehind(node: Extract<Nested, { kind: 'behind' }>): boolean {
    const at = this.#at;
    const target: Frame = { parent: null, start: at, loop: null, count: 0, back: null };
    return node.branches.some(({ length, body }) => {
      const start = stepBack(this.text, at, length);
      return start !== null && this.#run(body, start, target) >= 0;
    });
  }

  /** Drops the alternatives of the body; its choices have failed once what follows has failed. */
  #matchAtomic(node: Extract<Nested, { kind: 'atomic' }>): MatchStep | null {
    const [frame, base] = [this.#frame, this.#choices.length];
    const end = this.#run(node.body, this.#at, frame);
    if (end < 0) return null;
    const choices = this.#choices;
    let kept = base;
    for (let index = base; index < choices.length; index += 1) {
      const choice = choices[index];
      if (choice === undefined || choice.key < 0) continue;
      choice.instruction = null;
      choices[kept] = choice;
      kept += 1;
    }
    choices.length = kept;
    this.#frame = frame;
    return node.next;
  }

  /** `(?~...)`: the longest text that does not contain a match of the body. */
  #matchAbsent({ body, next }: Extract<Nested, { kind: 'absent' }>): MatchStep | null {
    const { text } = this;
    const [at, frame, trail, base] = [this.#at, this.#frame, this.#trail.length, this.#choices.length];
    let limit = text.length;
    for (let start = at; start === at || start < Math.min(limit + 1, text.length); start += sizeAt(text, start)) {
      const end = this.#run(body, start, null);
      if (end >= 0) limit = Math.min(limit, end - 1);
      this.#choices.length = base;
      this.#undo(trail);
    }
    for (let end = at; end <= limit; end += 1) {
      const splits = /^[\uDC00-\uDFFF]/.test(text.slice(end, end + 1)) && end > at;
      if (!splits) this.#push({ instruction: next, at: end, least: end, frame, trail, point: null, key: -1 });
    }
    return null;
  }
}

/** Ends a look-around of which a choice is known to succeed. */
const SUCCESS: MatchStep = { kind: 'end' };
