import type { FakeRoutes } from './fake-console.ts';
import { ago, HOUR, MINUTE, ok, SCRIPT } from './overview-fixtures.ts';

const OUTCOMES = ['unchanged', 'unchanged', 'changed', 'unchanged', 'noop', 'failed', 'unchanged', 'refused'] as const;

const RUNS = {
  runs: Array.from({ length: 60 }, (_, index) => ({
    at: ago(4 * MINUTE + index * 30 * MINUTE),
    durationMs: index === 9 ? null : 4_000 + ((index * 7919) % 11_000),
    outcome: OUTCOMES[(index * 5) % OUTCOMES.length] ?? 'unchanged',
    transactionUuid: `0f5f6c1e-8c75-4b0f-9a3d-${String(index).padStart(12, '0')}`,
    hasReport: index % 4 === 0,
  })),
  isEach: true,
  unchangedCount: 1_204,
  intervalMs: 30 * MINUTE,
  nextAt: ago(-26 * MINUTE),
  catalogs: [
    { at: ago(5 * HOUR + 2 * MINUTE), codeId: '3f7a9c2e5b8d1a4f6c0e9b7d5a3f1c8e6b4d2a0f9e7c5b3d1a8f6e4c2b0d9f7a' },
    { at: ago(19 * HOUR), codeId: null },
  ],
};

const CHANGES = {
  changes: [
    { at: ago(2 * HOUR), path: 'kernelrelease', from: '"6.1.0-31-amd64"', to: '"6.1.0-32-amd64"' },
    { at: ago(2 * HOUR), path: 'networking.interfaces.eth1.ip', from: null, to: '"10.20.1.14"' },
    { at: ago(26 * HOUR), path: 'role_note', from: JSON.stringify(SCRIPT), to: null },
  ],
};

const VALUES = {
  path: 'os.name',
  at: ago(20_000),
  values: [
    ['"Debian"', 2_904],
    ['"Ubuntu"', 811],
    [JSON.stringify(SCRIPT), 340],
    [null, 112],
    ['{"major":"12"}', 51],
  ].map(([value, nodes]) => ({
    value,
    nodes,
    query: value === '{"major":"12"}' ? null : `inventory[certname] { facts.os.name = ${value} }`,
  })),
  distinct: 4,
  others: 0,
  total: 4_218,
};

const PATHS = { paths: ['os.family', 'os.name', 'os.release.full', '"odd.name".deep'], hasMore: true };

/** The runs of nodes, and the changes of their facts. */
export const INSIGHT_ROUTES: FakeRoutes = {
  'GET /understudy/v1/nodes/*/runs': ok(RUNS),
  'GET /understudy/v1/nodes/*/facts/changes': ok(CHANGES),
  'GET /understudy/v1/facts': ok(PATHS),
  'GET /understudy/v1/facts/values': ({ query }) => ({ body: { ...VALUES, path: query.get('path') } }),
};
