import { expect, it } from 'vitest';
import type { ApiSchema } from '../../../../../../shared/api/described-answers.ts';
import { listNotices } from '../../../../../../shared/console/client/data/notices/fleet-notices.ts';

type Activity = ApiSchema<'Activity'>;

const CODE = 'b'.repeat(64);
const NOTHING: Activity = {
  ...{ at: 1, hasCode: true, stages: [], fanOuts: [], notified: [], jobs: null, codeWork: [], oldQueues: [] },
  expires: null,
};
const STAGE = { environment: 'dev', codeId: CODE, canaries: 1, good: null, worse: null, since: 1, until: 9 };

it.each<[string, Partial<Activity>, readonly string[]]>([
  ['nothing', {}, []],
  [
    'no code',
    { hasCode: false },
    [
      'bad: No code is deployed, so agents get an error and change nothing. "understudy code deploy" deploys some. /code/sources',
    ],
  ],
  [
    'what needs somebody before what is under way',
    {
      codeWork: ['deploy'],
      oldQueues: [{ queue: 'waiting', visible: 1, oldestAgeMs: 130_000 }],
      stages: [
        { ...STAGE, state: 'trial', reason: null },
        { ...STAGE, environment: 'prod', canaries: 5, good: 3, worse: 1, state: 'held', reason: 'web1 is worse' },
      ],
    },
    [
      'bad: A deploy of prod is held and waits for somebody: web1 is worse (5 canaries: 3 good, 1 worse). /code',
      'bad: The oldest of 1 job in the queue waiting waits for 2 minutes. /queue',
      'wait: A deploy of dev is on trial for 1 canary. It ends at the latest 9 /code',
      'quiet: Code is being stored for a deploy. /code',
    ],
  ],
  [
    'runs of changed catalogs',
    {
      notified: [
        { environment: 'dev', job: '3', state: 'canaries', since: null, reason: null },
        { environment: 'prod', job: '4', state: 'paused', since: 1, reason: 'web1: 1 resource failed' },
      ],
      fanOuts: [{ environment: 'prod', nodes: 4200 }],
    },
    [
      'bad: Runs of changed catalogs in prod are paused: web1: 1 resource failed. /jobs/4',
      'quiet: A deploy of prod reaches its nodes: 4,200 so far. /code',
      'quiet: Nodes of dev run because their catalogs changed, canaries first. /jobs/3',
    ],
  ],
  [
    'jobs, plans, and the number of the others',
    {
      jobs: {
        count: 4,
        newest: [
          { kind: 'job', name: '7', work: 'deploy', nodes: 1 },
          { kind: 'job', name: '8', work: 'service', nodes: 20 },
          { kind: 'plan', name: '9', work: 'app::release', nodes: null },
        ],
      },
    },
    [
      'quiet: Puppet runs on 1 node. /jobs/7',
      'quiet: service runs on 20 nodes. /jobs/8',
      'quiet: app::release runs. /jobs/plans/9',
      'quiet: 1 more job runs. /jobs',
    ],
  ],
])('lists %s', (_, activity, lines) => {
  const shown = listNotices({ ...NOTHING, ...activity }).map(({ tone, text, at, link }) =>
    [`${tone}: ${text}`, at, link?.[0]].filter((part) => part !== undefined).join(' '),
  );
  expect(shown).toEqual(lines);
});
