import { foldCharacter, longFoldOf, longFoldsAt } from './case-folding.ts';
import { asciiMembers } from './charsets.ts';
import { leadingAnchor } from './leading-anchor.ts';
import { lookBehindBranches, partsOf } from './look-behind.ts';
import {
  BEHIND_END,
  type ChoicePoint,
  type Consumer,
  type CountedLoop,
  END,
  type LoopHead,
  type MatchStep,
  type MemoScope,
  RETURN,
  type Split,
} from './match-steps.ts';
import { type Charset, ENDLESS, type Pattern, type PatternNode } from './pattern.ts';
import { leastLength } from './recursion.ts';

/** Longer repetitions of a character count their rounds instead of being written out. */
const WRITTEN_OUT = 32;

/** A pattern as instructions. */
export interface PatternProgram {
  readonly pattern: Pattern;
  readonly start: MatchStep;
  /** The instructions of the groups that are called, by number; each ends with a return. */
  readonly routines: ReadonlyMap<number, MatchStep>;
  /** Number of states of choices at each position of a text. */
  readonly states: number;
  /** Whether a match starts nowhere but at the start of the text. */
  readonly isAnchored: boolean;
}

/** Compiles a pattern for the matcher. */
export function compileProgram(pattern: Pattern): PatternProgram {
  const compiler = new ProgramCompiler(!readsGroups(pattern.root));
  const start = compiler.compile(pattern.root, END);
  const routines = new Map<number, MatchStep>();
  const called = findCalledGroups(pattern.root);
  for (const [index, node] of groupNodes(pattern.root)) {
    if (called.has(index)) routines.set(index, compiler.compile(node, RETURN));
  }
  return { pattern, start, routines, states: compiler.states, isAnchored: leadingAnchor(pattern.root) === 'textStart' };
}

/** Whether what follows a position depends on groups or calls, not on the position alone. */
function readsGroups(node: PatternNode): boolean {
  return (
    node.kind === 'backreference' ||
    node.kind === 'conditional' ||
    node.kind === 'call' ||
    partsOf(node).some(readsGroups)
  );
}

function findCalledGroups(node: PatternNode, into = new Set<number>()): ReadonlySet<number> {
  if (node.kind === 'call') into.add(node.group);
  for (const part of partsOf(node)) findCalledGroups(part, into);
  return into;
}

function groupNodes(
  root: PatternNode,
  into = new Map<number, PatternNode>([[0, root]]),
): ReadonlyMap<number, PatternNode> {
  if (root.kind === 'capture') into.set(root.index, root);
  for (const part of partsOf(root)) groupNodes(part, into);
  return into;
}

/** Compiles nodes backwards: each gets the instruction that follows it. */
class ProgramCompiler {
  states = 0;
  #scope: MemoScope;
  /** The states of the loops around the present node, multiplied. */
  #loopStates = 1;

  constructor(hasMemo: boolean) {
    this.#scope = { hasMemo, isTest: false };
  }

  compile(node: PatternNode, next: MatchStep): MatchStep {
    switch (node.kind) {
      case 'sequence':
        return this.#compileSequence(node.items, next);
      case 'alternatives':
        return this.#compileChoice(node.items.map((item) => this.compile(item, next)));
      case 'literal':
      case 'set':
        return compileSingle(node, next);
      case 'repeat':
        return this.#compileRepeat(node, next);
      case 'capture': {
        const end: MatchStep = { kind: 'groupEnd', index: node.index, next };
        return { kind: 'groupStart', next: this.compile(node.body, end) };
      }
      case 'atomic':
        return { kind: 'atomic', body: this.#compileAtomic(node.body), next };
      case 'ahead':
        return this.#compileAhead(node, next);
      case 'behind':
        return this.#compileBehind(node, next);
      case 'absent': {
        const scope = { ...this.#scope, isTest: false };
        return { kind: 'absent', body: this.#compileApart(node.body, END, scope), next };
      }
      case 'anchor':
        return node.type === 'keep' ? { kind: 'keep', next } : { ...node, next };
      case 'backreference':
        return { ...node, next };
      case 'call':
        return { kind: 'call', group: node.group, next };
      case 'conditional':
        return {
          kind: 'condition',
          groups: node.groups,
          yes: this.compile(node.yes, next),
          no: this.compile(node.no, next),
        };
      case 'grapheme':
        return { kind: 'grapheme', next };
    }
  }

  #createPoint(): ChoicePoint {
    const base = this.states;
    this.states += this.#loopStates;
    return { scope: this.#scope, base };
  }

  #createSplit(first: MatchStep, second: MatchStep): Split {
    return { kind: 'split', first, second, point: this.#createPoint() };
  }

  /** Tries the instructions in their order. */
  #compileChoice(options: readonly MatchStep[]): MatchStep {
    return options.reduceRight((rest, option) => this.#createSplit(option, rest));
  }

  #compileSequence(items: readonly PatternNode[], next: MatchStep): MatchStep {
    const parts: (readonly number[] | PatternNode)[] = [];
    for (let index = 0; index < items.length; ) {
      const run = findFoldedRun(items, index);
      const item = items[index];
      if (item === undefined) break;
      parts.push(run.length > 0 ? run : item);
      index += Math.max(run.length, 1);
    }
    return parts.reduceRight<MatchStep>(
      (rest, part) => ('kind' in part ? this.compile(part, rest) : this.#compileFoldedText(part, rest)),
      next,
    );
  }

  /** Compiles characters that ignore case; a folding such as that of `ß` may span several. */
  #compileFoldedText(codes: readonly number[], next: MatchStep): MatchStep {
    const folded = codes.flatMap((code) => longFoldOf(code) ?? [foldCharacter(code)]);
    const entries: MatchStep[] = [];
    entries[folded.length] = next;
    for (let index = folded.length - 1; index >= 0; index -= 1) {
      const single: MatchStep = { kind: 'folded', code: folded[index] ?? 0, next: entries[index + 1] ?? next };
      const long = [...longFoldsAt(folded, index)].map(
        ([length, includes]): MatchStep => compileSet(includes, entries[index + length] ?? next),
      );
      entries[index] = this.#compileChoice([...long, single]);
    }
    return entries[0] ?? next;
  }

  #compileRepeat(node: Extract<PatternNode, { kind: 'repeat' }>, next: MatchStep): MatchStep {
    const { body, min, max, mode } = node;
    if (mode === 'possessive') {
      const greedy: PatternNode = { ...node, mode: 'greedy' };
      return { kind: 'atomic', body: this.#compileAtomic(greedy), next };
    }
    if (max === 0) return next;
    const isLazy = mode === 'lazy';
    if (leastLength(body) > 0) {
      if (max === ENDLESS && min <= 1) return this.#compileLoop(body, min, isLazy, next);
      const isSingle = body.kind === 'set' || body.kind === 'literal';
      if (max === 1 || (isSingle && max <= WRITTEN_OUT)) return this.#compileWrittenOut(body, min, max, isLazy, next);
    }
    return this.#compileCountedLoop(body, { min, max, isLazy, lastCount: max === ENDLESS ? min : max }, next);
  }

  #compileLoop(body: PatternNode, min: number, isLazy: boolean, next: MatchStep): MatchStep {
    const split = this.#createSplit(next, next);
    const round = this.compile(body, split);
    if (isLazy) split.second = round;
    else split.first = round;
    const loop = min === 0 ? split : round;
    if (isLazy || (body.kind !== 'set' && body.kind !== 'literal')) return loop;
    return { kind: 'run', character: compileSingle(body, next), min, next, loop, scope: this.#scope };
  }

  #compileWrittenOut(body: PatternNode, min: number, max: number, isLazy: boolean, next: MatchStep): MatchStep {
    let entry = next;
    for (let count = max; count > 0; count -= 1) {
      const round = this.compile(body, entry);
      if (count <= min) entry = round;
      else entry = isLazy ? this.#createSplit(next, round) : this.#createSplit(round, next);
    }
    return entry;
  }

  #compileCountedLoop(body: PatternNode, loop: CountedLoop, next: MatchStep): MatchStep {
    const outside = this.#loopStates;
    this.#loopStates *= loopStatesOf(loop);
    const head: LoopHead = { kind: 'loopHead', loop, body: next, exit: next, point: this.#createPoint() };
    head.body = this.compile(body, { kind: 'loopTail', head });
    this.#loopStates = outside;
    return { kind: 'loopStart', head };
  }

  #compileAtomic(body: PatternNode): MatchStep {
    const outside = this.#scope;
    this.#scope = { ...outside, isTest: false };
    const entry = this.compile(body, END);
    this.#scope = outside;
    return entry;
  }

  #compileAhead(node: Extract<PatternNode, { kind: 'ahead' }>, next: MatchStep): MatchStep {
    const scope = { ...this.#scope, isTest: node.negative || !hasCapture(node.body) };
    return { ...node, body: this.#compileApart(node.body, END, scope), scope, next };
  }

  #compileBehind(node: Extract<PatternNode, { kind: 'behind' }>, next: MatchStep): MatchStep {
    // Foldings vary in length: the end then does not follow from the place in the body.
    const scope = { hasMemo: this.#scope.hasMemo && !ignoresCase(node.body), isTest: false };
    const branches = lookBehindBranches(node.body, node.negative).map(({ length, body }) => ({
      length,
      body: this.#compileApart(body, BEHIND_END, scope),
    }));
    return { kind: 'behind', negative: node.negative, branches, next };
  }

  /** Compiles a body that knows nothing of the loops around it. */
  #compileApart(body: PatternNode, end: MatchStep, scope: MemoScope): MatchStep {
    const [outside, loopStates] = [this.#scope, this.#loopStates];
    [this.#scope, this.#loopStates] = [scope, 1];
    const entry = this.compile(body, end);
    [this.#scope, this.#loopStates] = [outside, loopStates];
    return entry;
  }
}

/** Returns the number of a loop's states in a memory: rounds, and whether one is empty so far. */
export function loopStatesOf(loop: CountedLoop): number {
  return 2 * (loop.lastCount + 1);
}

/** Whether a match leaves more behind than its end. */
function hasCapture(node: PatternNode): boolean {
  if (node.kind === 'anchor') return node.type === 'keep';
  return node.kind === 'capture' || partsOf(node).some(hasCapture);
}

function ignoresCase(node: PatternNode): boolean {
  return (node.kind === 'literal' && node.ignoreCase) || partsOf(node).some(ignoresCase);
}

function compileSingle(node: Extract<PatternNode, { kind: 'literal' | 'set' }>, next: MatchStep): Consumer {
  if (node.kind === 'set') return compileSet(node.includes, next);
  if (node.ignoreCase) return { kind: 'folded', code: foldCharacter(node.code), next };
  return { kind: 'char', code: node.code, next };
}

function compileSet(includes: Charset, next: MatchStep): Consumer {
  return { kind: 'set', includes, ascii: asciiMembers(includes), next };
}

/** The run of adjacent characters that ignore case. */
function findFoldedRun(items: readonly PatternNode[], start: number): readonly number[] {
  const codes: number[] = [];
  for (let index = start; ; index += 1) {
    const item = items[index];
    if (item?.kind !== 'literal' || !item.ignoreCase) return codes;
    codes.push(item.code);
  }
}
