import type { ApiSchema } from '../../../shared/api/described-answers.ts';
import { TWO_SERVERS } from '../two-servers.ts';
import type { FakeRoutes } from './fake-console.ts';

/** The present of all fixtures is that of the test. */
export const NOW = Date.now();
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A text that would run if a page took it for HTML. */
export const SCRIPT = '<img src=x onerror="alert(1)"><script>alert(2)</script>';

export const ago = (ms: number): number => NOW - ms;
export const ok = (body: unknown) => () => ({ body });

export const SESSION = {
  user: { login: 'alice', display_name: 'Alice Example', id: '42bf351c-f9ec-40af-84ad-e976fec7f4bd' },
  permissions: [{ object_type: '*', action: '*', instance: '*' }],
  expires: new Date(NOW + HOUR).toISOString(),
};

/** Deploys of two environments, the last one still on its way to its nodes. */
export const DEPLOYS = [
  { at: ago(25 * MINUTE), environment: 'production', user: 'alice', isInForce: true, isSettled: false },
  { at: ago(3 * HOUR), environment: 'staging', user: SCRIPT, isInForce: true, isSettled: true },
  { at: ago(9 * HOUR), environment: 'production', user: 'ci', isInForce: false, isSettled: true },
  { at: ago(26 * HOUR), environment: 'production', user: 'bob', isInForce: false, isSettled: true },
].map((deploy, index) => ({
  codeId: `${index + 3}f7a9c2e5b8d1${'0'.repeat(51)}`,
  previous: index === 3 ? null : `${index + 4}f7a9c2e5b8d1${'0'.repeat(51)}`,
  ...deploy,
}));

export const QUEUES = {
  waiting: { visible: 0, inFlight: 1, oldestAgeMs: 800 },
  express: { visible: 2, inFlight: 1, oldestAgeMs: 2_100 },
  background: { visible: 29, inFlight: 0, oldestAgeMs: 40_000 },
  dead: { visible: 2, inFlight: 0, oldestAgeMs: 7_200_000 },
};

export const OVERVIEW = {
  at: NOW,
  isComplete: true,
  total: 4_218,
  states: { current: 3_961, stale: 31, failing: 7, volatile: 12, silent: 206, new: 1 },
  failing: { compile: 3, run: 4 },
  silentAfterSeconds: 3_600,
  ages: [
    { upTo: 3_600, nodes: 443 },
    { upTo: 21_600, nodes: 611 },
    { upTo: 86_400, nodes: 1_204 },
    { upTo: 604_800, nodes: 1_630 },
    { upTo: 2_592_000, nodes: 298 },
    { upTo: null, nodes: 32 },
  ],
  requests: { hit: 182_440, stale: 318, miss: 902, since: ago(DAY) },
  queue: QUEUES,
  ring: { position: ago(6 * HOUR) },
  certificateRequests: 3,
  deploys: DEPLOYS,
  sharing: {
    ...TWO_SERVERS,
    servers: TWO_SERVERS.servers.map((one) => ({
      ...one,
      startedAt: ago(DAY),
      seenAt: ago(one.isAlive ? 3_000 : 4 * HOUR),
    })),
  },
};

/** The work of a day: a deploy of nine hours ago made runs fail for three hours. */
const WORK = (hours: number) => ({
  at: NOW,
  from: ago(hours * HOUR),
  hours: Array.from({ length: hours }, (_, index) => {
    const at = Math.floor(NOW / HOUR) * HOUR - (hours - 1 - index) * HOUR;
    const isBad = index % 24 >= 15 && index % 24 < 18;
    return {
      at,
      runs: { unchanged: 7_900 - 37 * (index % 5), changed: isBad ? 900 : 120, failed: isBad ? 240 : 3, noop: 12 },
      answers: { hit: 8_000, miss: 40, unavailable: isBad ? 9 : 0 },
      compiles: { compiled: isBad ? 4_200 : 175, failed: isBad ? 31 : 0 },
      compileMs: { p50: 250, p99: isBad ? 5_000 : 1_000 },
      fanOut: index % 24 === 15 ? { invalidated: 3_950 } : {},
      peaks: isBad ? { queueAgeMs: 312_000 } : { queueAgeMs: 900 },
    };
  }),
  deploys: DEPLOYS.filter(({ at }) => at > ago(hours * HOUR)),
});

/** Results of each kind. */
const FOUND = {
  kinds: [
    { kind: 'nodes', results: [{ name: 'web01.example.com', detail: '', environment: 'production' }], hasMore: true },
    { kind: 'classes', results: [{ name: 'web::vhost', detail: '', environment: 'production' }], hasMore: false },
    { kind: 'resources', results: [{ name: 'Package[web]', detail: 'on 3 nodes', environment: null }], hasMore: false },
    { kind: 'files', results: [{ name: 'data/web.yaml', detail: '', environment: 'production' }], hasMore: false },
    { kind: 'keys', results: [{ name: `web::${SCRIPT}`, detail: '', environment: 'production' }], hasMore: false },
    { kind: 'facts', results: [], hasMore: false },
    { kind: 'jobs', results: [{ name: '58', detail: 'Before the web release', environment: null }], hasMore: false },
    { kind: 'users', results: [{ name: 'webmaster', detail: 'Wanda', environment: null }], hasMore: false },
  ],
  failed: [],
};

/** A trial, a job and its like; nothing that needs somebody. */
export const ACTIVITY: ApiSchema<'Activity'> = {
  at: NOW,
  hasCode: true,
  stages: [
    {
      ...{ environment: 'staging', codeId: 'b'.repeat(64), state: 'trial', reason: null },
      ...{ canaries: 5, good: 3, worse: 0, since: ago(9 * MINUTE), until: NOW + 51 * MINUTE },
    },
  ],
  fanOuts: [{ environment: 'production', nodes: 1400 }],
  notified: [{ environment: 'production', job: '57', state: 'canaries', since: ago(2 * MINUTE), reason: null }],
  jobs: { count: 3, newest: [{ kind: 'job', name: '58', work: 'deploy', nodes: 96 }] },
  codeWork: ['pruning'],
  oldQueues: [],
  expires: null,
};

/** The session, and the overview of a fleet of 4,218 nodes. */
export const OVERVIEW_ROUTES: FakeRoutes = {
  'GET /understudy/v1/activity': ok(ACTIVITY),
  'GET /understudy/v1/search': ({ query }) =>
    query.get('text')?.startsWith('we') ? { body: FOUND } : { body: { kinds: [], failed: ['facts'] } },
  'GET /console/session': ok(SESSION),
  'POST /console/session': ok(SESSION),
  'DELETE /console/session': () => ({ status: 204, body: null }),
  'GET /understudy/v1/overview': ok(OVERVIEW),
  'GET /understudy/v1/overview/hours': ok(WORK(24)),
};
