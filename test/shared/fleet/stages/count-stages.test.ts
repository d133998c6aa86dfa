import { expect, it } from 'vitest';
import { countStages } from '../../../../shared/fleet/stages/count-stages.ts';
import type { CodeStage } from '../../../../shared/store/ports/environment-store.ts';

const PLAN = { waitMs: 1, whenGood: 'hold', whenWorse: 'hold', whenLate: 'hold', countsChanges: false } as const;
const STAGE: CodeStage = { number: 2, codeId: 'f', begunAt: 1, by: 'test', canaries: ['a'], plan: PLAN };

it('counts stages on trial and held ones, and none that is being taken back', () => {
  const held = { at: 2, reason: 'one is worse', nodes: ['a'] };
  const stages = [STAGE, { ...STAGE, held }, { ...STAGE, held, isEnding: true as const }, STAGE];
  expect(countStages([...stages.map((stage) => ({ stage })), {}])).toEqual({ trial: 2, held: 1 });
});
