import { MOST_STAGE_CANARIES, STAGE_ENDS, STAGE_MINUTES } from '../../config/stage-limits.ts';
import type { StagePlan } from '../../store/ports/environment-store.ts';
import { NamedError } from '../../util/named-error.ts';

/** A staged deploy cannot be made of what was given; the message says why. */
export class InvalidStage extends NamedError {}

/** Nodes that have the code first. */
export type CanaryChoice =
  | { readonly nodes: readonly string[] }
  | { readonly count: number }
  /** Percent of the nodes that the change touches; above 0, below 100. */
  | { readonly percent: number };

const MINUTE_MS = 60_000;
const CERTNAME = /^[\w.-]{1,255}$/;

/** Options of an operator for a plan. */
export interface StageOptions {
  readonly minutes?: number | undefined;
  readonly whenGood?: string | undefined;
  readonly whenWorse?: string | undefined;
  readonly whenLate?: string | undefined;
  readonly countsChanges?: boolean | undefined;
}

/** Makes a plan of what was given. Throws InvalidStage. */
export function createStagePlan({
  minutes = STAGE_MINUTES.usual,
  countsChanges = false,
  ...ends
}: StageOptions): StagePlan {
  const { least, most } = STAGE_MINUTES;
  if (!(Number.isInteger(minutes) && minutes >= least && minutes <= most)) {
    throw new InvalidStage(`canaries have from ${least} to ${most} minutes to run, not '${minutes}'`);
  }
  return {
    waitMs: minutes * MINUTE_MS,
    whenGood: choose('good', STAGE_ENDS.whenGood, ends.whenGood),
    whenWorse: choose('worse', STAGE_ENDS.whenWorse, ends.whenWorse),
    whenLate: choose('late', STAGE_ENDS.whenLate, ends.whenLate),
    countsChanges,
  };
}

function choose<T extends string>(when: string, known: readonly [T, ...T[]], given: string | undefined): T {
  if (given === undefined) return known[0];
  const found = known.find((one) => one === given);
  if (found !== undefined) return found;
  throw new InvalidStage(`when canaries are ${when}, a stage can ${known.join(' or ')}, not '${given}'`);
}

/**
 * Reads a choice as operators write it: a number of nodes, a percentage, or certnames, separated by
 * commas. Throws InvalidStage.
 */
export function parseCanaries(text: string): CanaryChoice {
  const trimmed = text.trim();
  if (/^\d+$/.test(trimmed)) return checkChoice({ count: Number(trimmed) });
  const [, percent] = /^(\d+(?:\.\d+)?)\s*%$/.exec(trimmed) ?? [];
  if (percent !== undefined) return checkChoice({ percent: Number(percent) });
  return checkChoice({ nodes: trimmed.split(/[\s,]+/).filter((name) => name !== '') });
}

/** Refuses a choice of no canaries, or of too many. Throws InvalidStage. */
export function checkChoice(choice: CanaryChoice): CanaryChoice {
  if ('percent' in choice) {
    const { percent } = choice;
    if (!(percent > 0 && percent < 100)) throw new InvalidStage(`a share of canaries is above 0% and below 100%`);
    return choice;
  }
  const count = 'count' in choice ? choice.count : new Set(choice.nodes).size;
  if (!(Number.isInteger(count) && count >= 1 && count <= MOST_STAGE_CANARIES)) {
    throw new InvalidStage(`a stage has from 1 to ${MOST_STAGE_CANARIES} canaries, not ${count}`);
  }
  const wrong = 'nodes' in choice ? choice.nodes.find((name) => !CERTNAME.test(name)) : undefined;
  if (wrong !== undefined) throw new InvalidStage(`'${wrong}' is not a certname`);
  return choice;
}
