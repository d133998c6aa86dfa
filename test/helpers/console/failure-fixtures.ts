import type { ApiSchema } from '../../../shared/api/described-answers.ts';
import type { FakeRoutes } from './fake-console.ts';
import { ago, DAY, HOUR, MINUTE, SCRIPT } from './overview-fixtures.ts';

const CODE = `3f7a9c2e5b8d1${'0'.repeat(51)}`;
const BEFORE = `5f7a9c2e5b8d1${'0'.repeat(51)}`;
const names = (role: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${role}${String(index + 1).padStart(2, '0')}.example.com`);

const FULL: ApiSchema<'FleetFailure'> = {
  id: '1111111111111111',
  kind: 'run',
  environment: 'production',
  resource: 'File[/srv/app/config.yaml]',
  message:
    'Could not set file on ensure: No space left on device @ fptr_finalize_flush - /srv/app/config.yaml<temporary>',
  lines: [
    { file: 'modules/app/manifests/config.pp', line: 31 },
    { file: 'site/profile/manifests/app.pp', line: 12 },
  ],
  count: 212,
  nodes: names('web', 200),
  firstAt: ago(3 * HOUR),
  lastAt: ago(4 * MINUTE),
  deploy: { codeId: CODE, previous: BEFORE, at: ago(3 * HOUR + 10 * MINUTE), user: 'alice', isStaged: false },
  closedAt: null,
};

const FAILURES: readonly ApiSchema<'FleetFailure'>[] = [
  FULL,
  {
    ...FULL,
    ...{ id: '2222222222222222', kind: 'compile', resource: null, count: 14, nodes: names('db', 14) },
    message: "Class[Apache]: parameter 'port' expects an Integer value, got String",
    lines: [{ file: 'manifests/site.pp', line: 14 }],
    deploy: { codeId: 'staged', previous: CODE, at: ago(2 * HOUR), user: SCRIPT, isStaged: true },
  },
  {
    ...FULL,
    ...{
      id: '3333333333333333',
      resource: `Exec[${SCRIPT}]`,
      message: SCRIPT,
      count: 1,
      nodes: ['mail01.example.com'],
    },
    ...{ lines: [], deploy: null, firstAt: ago(9 * DAY) },
  },
];
const CLOSED: ApiSchema<'FleetFailure'> = { ...FULL, id: '4444444444444444', closedAt: ago(HOUR) };

/** Failures of the fleet, open and closed. */
export const FAILURE_ROUTES: FakeRoutes = {
  'GET /understudy/v1/failures': ({ query }) => {
    const failures = (query.get('state') === 'closed' ? [CLOSED] : FAILURES).filter(
      ({ kind }) => (query.get('kind') ?? kind) === kind,
    );
    const shown = failures.map((failure) => ({ ...failure, nodes: failure.nodes.slice(0, 5) }));
    return { body: { failures: shown, total: shown.length, next: null } };
  },
  'GET /understudy/v1/failures/*': ({ path }) => {
    const found = [...FAILURES, CLOSED].find(({ id }) => path.endsWith(id));
    return found === undefined ? { status: 404, body: { message: 'Not Found' } } : { body: found };
  },
};
