import type { CodeStage, EnvironmentRecord } from '../../store/ports/environment-store.ts';
import { countUnits } from '../../util/count-units.ts';
import { shortenId } from '../../util/short-id.ts';
import { describeHeld } from '../code/taken-back.ts';

/**
 * Notes for an operator what an environment has beside its code in force: a staged deploy, and
 * code that was rolled back. Null without either.
 */
export function noteEnvironment(record: EnvironmentRecord, now: number): string | null {
  const notes = [record.stage && describeStage(record.stage, now), record.takenBack && describeHeld(record.takenBack)];
  return notes.filter((note) => note !== null && note !== undefined).join('; ') || null;
}

/**
 * `trial`: its canaries are watched. `held`: it waits for an operator. `ending`: it is taken back.
 */
export function stateOfStage({ held, isEnding }: CodeStage): 'trial' | 'held' | 'ending' {
  if (isEnding) return 'ending';
  return held ? 'held' : 'trial';
}

function describeStage(stage: CodeStage, now: number): string {
  const { codeId, canaries, begunAt, plan, held } = stage;
  const code = `code ${shortenId(codeId)}`;
  if (stateOfStage(stage) === 'ending') return `${code} is being taken back from its canaries`;
  if (held) return `${code} is held: ${held.reason}`;
  const left = Math.max(0, Math.ceil((begunAt + plan.waitMs - now) / 60_000));
  return `${code} is on trial for ${countUnits(canaries.length, 'canary')}, ${countUnits(left, 'minute')} left`;
}
