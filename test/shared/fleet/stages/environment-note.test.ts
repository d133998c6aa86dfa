import { expect, it } from 'vitest';
import { noteEnvironment } from '../../../../shared/fleet/stages/environment-note.ts';
import { createStagePlan } from '../../../../shared/fleet/stages/stage-plan.ts';
import type { CodeStage, EnvironmentRecord } from '../../../../shared/store/ports/environment-store.ts';

const MINUTE = 60_000;
const RECORD: EnvironmentRecord = {
  name: 'production',
  revision: 1,
  codeId: 'a0'.repeat(32),
  deployedAt: 0,
  by: 'jane',
  settled: 1,
  history: [],
};
const STAGE: CodeStage = {
  number: 2,
  codeId: 'b1'.repeat(32),
  begunAt: 0,
  by: 'jane',
  canaries: ['web1', 'web2'],
  plan: createStagePlan({ minutes: 60 }),
};
const takenBack = { codeId: 'c2'.repeat(32), by: 'joe', at: 5 };

it.each<readonly [string, Partial<EnvironmentRecord>, number, string | null]>([
  ['nothing', {}, 0, null],
  ['a stage', { stage: STAGE }, 15 * MINUTE, 'code b1b1b1b1b1b1 is on trial for 2 canaries, 45 minutes left'],
  ['a late stage', { stage: STAGE }, 90 * MINUTE, 'code b1b1b1b1b1b1 is on trial for 2 canaries, 0 minutes left'],
  [
    'a held stage',
    { stage: { ...STAGE, held: { at: 3, reason: 'web1: no catalog', nodes: ['web1'] } } },
    0,
    'code b1b1b1b1b1b1 is held: web1: no catalog',
  ],
  [
    'an ending stage',
    { stage: { ...STAGE, isEnding: true } },
    0,
    'code b1b1b1b1b1b1 is being taken back from its canaries',
  ],
  ['rolled back code', { takenBack }, 0, 'code c2c2c2c2c2c2 was rolled back by joe; the next change goes on'],
  [
    'both',
    { stage: { ...STAGE, canaries: ['web1'] }, takenBack },
    0,
    'code b1b1b1b1b1b1 is on trial for 1 canary, 60 minutes left; code c2c2c2c2c2c2 was rolled back by joe; the next change goes on',
  ],
])('an operator is told of %s', (_, more, now, note) => {
  expect(noteEnvironment({ ...RECORD, ...more }, now)).toBe(note);
});
