import { expect, it } from 'vitest';
import type { EnvironmentRow } from '../../../../../../shared/console/client/data/code-shapes.ts';
import { predictDeploy } from '../../../../../../shared/console/client/data/deploys/deploy-words.ts';

type Row = Parameters<typeof predictDeploy>[0];

const ROW: Row = { name: 'production', stage: null, stageCanaries: 'off', rolledBack: null };
const READ = 'The code of production is read from its source';
const stage = (isOfPolicy: boolean): EnvironmentRow['stage'] => ({
  ...{ codeId: 'b1'.repeat(32), begunAt: 1, user: 'jane', state: 'held', reason: 'x', canaries: 2 },
  isOfPolicy,
});
const FIRST = 'promote or abort that first.';
const KEEP = 'as the policy says. The other nodes keep their code meanwhile.';

it.each<readonly [string, Partial<Row>, string]>([
  ['no policy', {}, `${READ} and put in force for all nodes.`],
  ['a share', { stageCanaries: '5%' }, `${READ} and staged for 5% of the nodes, ${KEEP}`],
  ['a number', { stageCanaries: 10 }, `${READ} and staged for 10 canaries, ${KEEP}`],
  [
    'a stage of the policy',
    { stageCanaries: 1, stage: stage(true) },
    `${READ} and staged for 1 canary, in place of the staged b1b1b1b1b1b1, ${KEEP}`,
  ],
  [
    'a stage by hand',
    { stageCanaries: 1, stage: stage(false) },
    `${READ}, and refused while other code is staged: ${FIRST}`,
  ],
  ['a stage and no policy', { stage: stage(true) }, `${READ}, and refused while other code is staged: ${FIRST}`],
  [
    'a rollback',
    { rolledBack: { codeId: 'c2'.repeat(32), user: 'joe', at: 1 } },
    `${READ} and put in force for all nodes. This counts for code c2c2c2c2c2c2, too, which was rolled back.`,
  ],
])('a deploy is foretold with %s', (_, more, words) => {
  expect(predictDeploy({ ...ROW, ...more })).toBe(words);
});
