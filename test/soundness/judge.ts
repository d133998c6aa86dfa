import { mutateData, mutateOtherFiles, mutateRecordedFiles } from './file-mutations.ts';
import type { Laboratory, Outcome, State } from './subject.ts';
import { type Mutation, mutateClassification, mutateExports, mutateFacts } from './value-mutations.ts';

/** How the record judged the mutations of one kind. */
export interface Score {
  tried: number;
  /** Mutations that changed the catalog. */
  changed: number;
  /** Mutations that changed the catalog but that the record did not see. */
  unsound: number;
  /** Mutations that the record saw although the catalog stayed. */
  needless: number;
}

export interface Judgement {
  readonly scores: ReadonlyMap<string, Score>;
  /** Descriptions of the unsound mutations. */
  readonly faults: readonly string[];
}

export interface JudgeOptions {
  /** Of each kind, at most so many mutations of a node are tried. */
  readonly most: number;
  /** A number from 0 to 1, for the choice. */
  readonly random: () => number;
}

/**
 * Compiles each node, changes its inputs one at a time, and compares: whether the record says that
 * the change matters, and whether the catalog differs. Judges both directions: the record of the
 * first compile against the changed state, and that of the second one against the first state.
 */
export function judge(states: readonly State[], laboratory: Laboratory, options: JudgeOptions): Judgement {
  const scores = new Map<string, Score>();
  const faults: string[] = [];
  for (const state of states) {
    const outcome = laboratory.compile(state);
    if (laboratory.compile(state).output !== outcome.output) throw new Error(`${state.certname} is not deterministic`);
    if (laboratory.seesChange(outcome, state)) faults.push(`${state.certname}: out of date from the beginning`);
    for (const mutation of pick(listMutations(state, outcome), options)) {
      const verdict = tryMutation(state, outcome, mutation, laboratory);
      const score = scores.get(mutation.kind) ?? { tried: 0, changed: 0, unsound: 0, needless: 0 };
      scores.set(mutation.kind, addVerdict(score, verdict));
      if (!isSound(verdict)) faults.push(`${state.certname}: ${mutation.kind}, ${mutation.name}`);
    }
  }
  return { scores, faults };
}

function listMutations(state: State, outcome: Outcome): readonly Mutation[] {
  return [
    ...mutateFacts(state, outcome),
    ...mutateExports(state),
    ...mutateClassification(state),
    ...mutateRecordedFiles(state, outcome),
    ...mutateOtherFiles(state, outcome),
    ...mutateData(state),
  ];
}

/** A random choice of each kind. */
function pick(mutations: readonly Mutation[], { most, random }: JudgeOptions): readonly Mutation[] {
  return [...Map.groupBy(mutations, ({ kind }) => kind).values()].flatMap((some) => {
    if (some.length <= most) return some;
    const ordered = some.map((mutation) => [random(), mutation] as const).sort(([a], [b]) => a - b);
    return ordered.slice(0, most).map(([, mutation]) => mutation);
  });
}

interface Verdict {
  readonly isChanged: boolean;
  readonly isSeen: boolean;
  /** Whether the record of the mutated compile sees the way back. */
  readonly isSeenBack: boolean;
}

function tryMutation(state: State, outcome: Outcome, mutation: Mutation, laboratory: Laboratory): Verdict {
  const isSeen = laboratory.seesChange(outcome, mutation.state);
  const after = laboratory.compile(mutation.state);
  const isChanged = after.output !== outcome.output;
  return { isChanged, isSeen, isSeenBack: !isChanged || laboratory.seesChange(after, state) };
}

function isSound({ isChanged, isSeen, isSeenBack }: Verdict): boolean {
  return !isChanged || (isSeen && isSeenBack);
}

function addVerdict({ tried, changed, unsound, needless }: Score, verdict: Verdict): Score {
  return {
    tried: tried + 1,
    changed: changed + Number(verdict.isChanged),
    unsound: unsound + Number(!isSound(verdict)),
    needless: needless + Number(verdict.isSeen && !verdict.isChanged),
  };
}

/** The scores as a table, with a sum. */
export function printScores(scores: Judgement['scores']): string {
  const sum = (key: keyof Score) => [...scores.values()].reduce((all, score) => all + score[key], 0);
  const total = { tried: sum('tried'), changed: sum('changed'), unsound: sum('unsound'), needless: sum('needless') };
  const rows = [...scores, ['all', total] as const];
  const widest = Math.max(...rows.map(([kind]) => kind.length));
  const line = (cells: readonly (string | number)[]) => cells.map((cell) => String(cell).padStart(10)).join('');
  return [
    `${''.padEnd(widest)}${line(['tried', 'changed', 'unsound', 'needless'])}`,
    ...rows.map(([kind, one]) => {
      return `${kind.padEnd(widest)}${line([one.tried, one.changed, one.unsound, one.needless])}`;
    }),
  ].join('\n');
}
