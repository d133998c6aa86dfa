import { MOST_STAGE_CANARIES } from '../../config/stage-limits.ts';
import type { FreshnessPolicy } from './policy-fields.ts';

/** The fields of a policy that stage new code: some nodes have it first. */
export type StagePolicy = Pick<
  FreshnessPolicy,
  'stageCanaries' | 'stageMinutes' | 'stageWhenGood' | 'stageWhenWorse' | 'stageWhenLate'
>;

const SHARE = /^(\d{1,2}(?:\.\d{1,3})?)%$/;

/** Reads a number of canaries, a share of the nodes, or `off`; null for anything else. */
export function parseStageCanaries(value: unknown): number | string | null {
  if (value === 'off') return value;
  if (typeof value === 'number') {
    return Number.isInteger(value) && value >= 1 && value <= MOST_STAGE_CANARIES ? value : null;
  }
  const [, percent] = typeof value === 'string' ? (SHARE.exec(value) ?? []) : [];
  return percent !== undefined && Number(percent) > 0 ? String(value) : null;
}
