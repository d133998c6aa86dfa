import { expect, it } from 'vitest';
import type { EnvironmentRow, ShownPreview } from '../../../../../../shared/console/client/data/code-shapes.ts';
import {
  commandOfDeploy,
  type DeployPolicy,
  describeEffects,
  describeNodes,
  findPolicy,
  kindOfDeploy,
  mayChooseCanaries,
} from '../../../../../../shared/console/client/data/deploys/deploy-plan.ts';

const STAGED = 'b1'.repeat(32);
const EARLIER = 'c2'.repeat(32);
const ROW: EnvironmentRow = {
  ...{ name: 'production', codeId: 'a0'.repeat(32), deployedAt: 1, user: 'jane', language: 'openvox-8' },
  ...{ isSettled: true, invalidating: null, stage: null, rolledBack: null, stageCanaries: 'off' },
};
const WITH_STAGE: EnvironmentRow = {
  ...ROW,
  stage: {
    ...{ codeId: STAGED, begunAt: 1, user: 'jane', canaries: 5, state: 'trial', reason: null, isOfPolicy: false },
  },
};
const BY_POLICY: EnvironmentRow = { ...ROW, stageCanaries: '5%' };

it.each([
  ['the newest code', WITH_STAGE, null, 'deploy', false],
  ['the newest code', ROW, null, 'deploy', true],
  ['the newest code under a policy that stages', BY_POLICY, null, 'deploy', false],
  ['staged code', WITH_STAGE, STAGED, 'promote', false],
  ['earlier code', ROW, EARLIER, 'roll back', true],
  ['earlier code under a policy that stages', BY_POLICY, EARLIER, 'roll back', true],
  ['earlier code beside a stage', WITH_STAGE, EARLIER, 'roll back', false],
] as const)('%s is %s', (_, row, codeId, kind, hasCanaries) => {
  expect([kindOfDeploy(row, codeId), mayChooseCanaries(row, codeId)]).toEqual([kind, hasCanaries]);
});

const effectsOf = (row: EnvironmentRow, codeId: string | null, first: string, policy: DeployPolicy | null = null) =>
  describeEffects({ environment: row, codeId, first }, policy);

it.each([
  [
    'a roll back',
    effectsOf(ROW, EARLIER, 'all'),
    'The code c2c2c2c2c2c2 of production is put in force again for all nodes. A source that has the present code does not bring it again.',
  ],
  [
    'a roll back beside a stage',
    effectsOf(WITH_STAGE, EARLIER, 'all'),
    'The code c2c2c2c2c2c2 of production is put in force again for all nodes. The staged code b1b1b1b1b1b1 is taken back. A source that has the present code does not bring it again.',
  ],
  [
    'a promotion',
    effectsOf(WITH_STAGE, STAGED, 'all'),
    'The staged code b1b1b1b1b1b1, which 5 canaries have, is put in force for all nodes, whatever its canaries say.',
  ],
  [
    'canaries of the newest code',
    effectsOf(ROW, null, '5%'),
    'The newest code of its source is staged for 5 % of the nodes. The other nodes keep their code until that is promoted.',
  ],
  [
    'canaries of earlier code',
    effectsOf(ROW, EARLIER, '1'),
    'Code c2c2c2c2c2c2 is staged for 1 canary. The other nodes keep their code until that is promoted.',
  ],
])('says what %s does to the code', (_, effects, words) => {
  expect(effects).toEqual([words]);
});

it.each<readonly [string, DeployPolicy, readonly string[]]>([
  [
    'no values',
    {},
    [
      'A node that asks before its new catalog is compiled waits for it.',
      'Nodes get their new catalogs at their next run.',
    ],
  ],
  [
    'a check and paced runs',
    { deploy_check: 'on', freshness: 'retry', notify: 'paced', notify_rate: '10/min', canary: 3 },
    [
      'One node of each role is compiled first. It is refused when one fails that compiles now.',
      'A node that asks before its new catalog is compiled is asked to come back later.',
      'Nodes whose catalogs change are run at 10/min, 3 of them first.',
    ],
  ],
  [
    'runs at once in a window',
    { freshness: 'stale', notify: 'now', notify_window: '22:00-05:00 UTC' },
    [
      'A node that asks before its new catalog is compiled gets its last good one at once.',
      'Nodes whose catalogs change are run at once, between 22:00-05:00 UTC.',
    ],
  ],
])('says what a policy with %s does to nodes', (_, policy, words) => {
  expect(effectsOf(ROW, null, 'all', policy).slice(1)).toEqual(words);
});

it.each([
  [WITH_STAGE, STAGED, 'all', false],
  [ROW, EARLIER, 'all', false],
  [ROW, EARLIER, '5%', true],
  [ROW, null, 'all', true],
] as const)('says that code is checked only where it is', (row, codeId, first, isChecked) => {
  const effects = effectsOf(row, codeId, first, { deploy_check: 'on' });
  expect(effects.some((one) => one.startsWith('One node of each role'))).toBe(isChecked);
});

it('takes the values of an environment before those of all', () => {
  const policies = { default: { freshness: 'stale', notify: 'now' }, 'environments/dev': { notify: 'off' } } as const;
  expect(findPolicy(policies, 'dev')).toEqual({ freshness: 'stale', notify: 'off' });
  expect(findPolicy(policies, 'production')).toEqual({ freshness: 'stale', notify: 'now' });
  expect(findPolicy({}, 'production')).toEqual({});
});

const PREVIEW: ShownPreview = {
  ...{ environment: 'production', codeId: EARLIER, inForce: null, files: { added: [], changed: [], removed: [] } },
  ...{ faults: [], touched: 1, compared: 1, unchanged: 0, failures: [], fixed: 0, groups: [], unanswered: 0 },
  groupsLeftOut: 0,
};

it.each<readonly [Partial<ShownPreview> | null, string]>([
  [null, 'No dry run was made: how many nodes it touches is not known.'],
  [
    { groups: [{ nodes: ['a'], count: 1, differences: [], summary: '' } as never] },
    '1 node uses what changed. By 1 compiled catalog, 1 changes.',
  ],
  [
    {
      ...{ touched: 4100, compared: 20 },
      failures: ['a', 'b', 'c'].map((certname) => ({ certname, message: 'x', isNew: certname !== 'c' })),
    },
    '4,100 nodes use what changed. By 20 compiled catalogs, 0 change, and 2 fail that compile now.',
  ],
])('says how many nodes it touches: %j', (preview, words) => {
  expect(describeNodes(preview === null ? null : { ...PREVIEW, ...preview })).toBe(words);
});

it.each([
  [ROW, null, 'all', 'code deploy . --environment production'],
  [ROW, null, '5%', 'code deploy . --environment production --canary 5%'],
  [ROW, EARLIER, 'all', 'code rollback production --to c2c2c2c2c2c2'],
  [WITH_STAGE, STAGED, 'all', 'code stage promote production'],
  [ROW, EARLIER, '5%', null],
])('names the command', (environment, codeId, first, words) => {
  const expected = words === null ? null : ['understudy', ...words.split(' ')];
  expect(commandOfDeploy({ environment, codeId, first })).toEqual(expected);
});

it('says that the code of a branch is only tried, and names the command', () => {
  const plan = { environment: ROW, codeId: null, first: 'all', codeOf: 'feature_x' };
  expect(describeEffects(plan, { freshness: 'wait' })).toEqual([
    'Nodes of production are compiled with the code of feature_x, as puppet agent --environment feature_x --noop gets it. Nothing is put in force.',
  ]);
  expect(commandOfDeploy(plan)).toEqual(['understudy', 'code', 'dry-run', 'production', '--code-of', 'feature_x']);
});
