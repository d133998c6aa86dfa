import { MOST_STAGE_CANARIES, STAGE_ENDS, STAGE_MINUTES } from '../../config/stage-limits.ts';

/** Whether new code is given to some nodes first. */
export interface StagePolicy {
  /** A number or share (`5%`) of the nodes that use what changed; `off`: all have it at once. */
  readonly stageCanaries: number | string;
  /** How long canaries have to run. */
  readonly stageMinutes: number;
  readonly stageWhenGood: (typeof STAGE_ENDS.whenGood)[number];
  readonly stageWhenWorse: (typeof STAGE_ENDS.whenWorse)[number];
  readonly stageWhenLate: (typeof STAGE_ENDS.whenLate)[number];
}

export const DEFAULT_STAGE_POLICY: StagePolicy = {
  stageCanaries: 'off',
  stageMinutes: STAGE_MINUTES.usual,
  stageWhenGood: STAGE_ENDS.whenGood[0],
  stageWhenWorse: STAGE_ENDS.whenWorse[0],
  stageWhenLate: STAGE_ENDS.whenLate[0],
};

const SHARE = /^(\d{1,2}(?:\.\d{1,3})?)%$/;

/** Reads a number of canaries, a share of the nodes, or `off`; null for anything else. */
export function parseStageCanaries(value: unknown): StagePolicy['stageCanaries'] | null {
  if (value === 'off') return value;
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= 1 && value <= MOST_STAGE_CANARIES ? value : null;
  }
  const [, percent] = typeof value === 'string' ? (SHARE.exec(value) ?? []) : [];
  return percent !== undefined && Number(percent) > 0 ? String(value) : null;
}

/** Reads how long canaries have to run; null for anything but whole minutes within the limits. */
export function parseStageMinutes(value: unknown): number | null {
  const { least, most } = STAGE_MINUTES;
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
