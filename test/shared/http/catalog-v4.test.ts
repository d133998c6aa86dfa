import { gzipSync } from 'node:zlib';
import { beforeEach, expect, it } from 'vitest';
import { Authorization } from '../../../shared/access/authorization/authorization.ts';
import { readRule } from '../../../shared/access/authorization/rule.ts';
import { FreshnessPolicies } from '../../../shared/fleet/policies/freshness-policies.ts';
import { createApp } from '../../../shared/http/app.ts';
import type { Clock } from '../../../shared/store/ports/clock.ts';
import type { CompileJob, CompileQueue } from '../../../shared/store/ports/compile-queue.ts';
import { createPeer, deployFiles, httpServices, type TestServices } from '../../helpers/http-services.ts';
import { intercept } from '../../helpers/intercept.ts';

const REQUEST = {
  certname: 'tiny01.example.com',
  persistence: { facts: false, catalog: false },
  environment: 'production',
  facts: { values: { cores: 4 } },
  trusted_facts: { values: { certname: 'tiny01.example.com', extensions: {} } },
  transaction_uuid: '11111111-2222-3333-4444-555555555555',
  job_id: '7',
};
const LOG = [
  { level: 'debug', message: 'quiet' },
  { level: 'warning', message: 'loud', file: '/x.pp', line: 3 },
];
let http: TestServices;
/** What the worker answers. */
let reply: unknown;
let app: ReturnType<typeof createApp>;

beforeEach(async () => {
  http = await httpServices();
  await deployFiles(http, 'production', { 'environments/production/manifests/site.pp': '' });
  const rules = [
    { name: 'v4', 'sort-order': 1, 'match-request': { path: '/puppet/v4/catalog', type: 'path' }, allow: 'admin' },
  ] as const;
  const send = async (_: string, [job]: readonly CompileJob[]) =>
    http.blobs.put(`requests/${job?.request}-answer`, gzipSync(JSON.stringify(reply)));
  const queue = intercept<CompileQueue>(http.queue, { send });
  app = createApp({ ...http.services, queue, authorization: new Authorization(rules.map((rule) => readRule(rule))) });
});

async function ask(
  body: unknown,
  certname = 'admin',
  given: unknown = { status: 'ok', catalog: { name: 'x' }, log: LOG },
) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  reply = given;
  const response = await app.request(
    '/puppet/v4/catalog',
    { method: 'POST', body: text },
    { peer: createPeer(certname) },
  );
  const answer = await response.text();
  return [response.status, answer.startsWith('{') ? JSON.parse(answer) : answer];
}

it('answers with the catalog, and with the log when that is wanted', async () => {
  expect(await ask(REQUEST)).toEqual([200, { catalog: { name: 'x' } }]);
  const time = '2026-11-20T22:12:50.000000000+00:00';
  const loud = { level: 'warning', message: 'loud', source: 'Puppet', tags: ['warning'], time, file: '/x.pp', line: 3 };
  const quiet = { level: 'debug', message: 'quiet', source: 'Puppet', tags: ['debug'], time, file: null, line: null };
  expect(await ask({ ...REQUEST, options: { capture_logs: true } })).toEqual([
    200,
    { catalog: { name: 'x' }, logs: [quiet, loud] },
  ]);
  expect(await ask({ ...REQUEST, options: { capture_logs: true, log_level: 'warning' } })).toEqual([
    200,
    { catalog: { name: 'x' }, logs: [loud] },
  ]);
  expect([...http.blobs.blobs.keys()].filter((key) => key.startsWith('requests/'))).toEqual([]);
  expect(http.catalogs.asked).toEqual([]);
});

it('keeps what persistence says, as a check-in that nobody waits for', async () => {
  await ask({ ...REQUEST, persistence: { facts: true, catalog: true } });
  expect(http.catalogs.asked).toMatchObject([{ certname: 'tiny01.example.com', environment: 'production' }]);
  expect(http.catalogs.asked[0]?.facts?.get('cores')).toBe(4n);
});

it.each([
  [
    'no environment',
    { ...REQUEST, environment: undefined },
    400,
    'Invalid input: {"environment" missing-required-key}',
  ],
  [
    'no persistence',
    { ...REQUEST, persistence: undefined },
    400,
    'Invalid input: {"persistence" missing-required-key}',
  ],
  ['facts that are no hash', { ...REQUEST, facts: { values: [] } }, 400, 'Invalid input: {"facts" no-hash}'],
  ['no JSON', 'notjson', 400, expect.stringMatching(/^Error parsing JSON: /)],
  [
    'an unknown environment',
    { ...REQUEST, environment: 'nosuch' },
    500,
    "Internal Server Error: Could not find a directory environment named 'nosuch'",
  ],
])('refuses %s', async (_, body, status, text) => {
  expect(await ask(body)).toEqual([status, text]);
});

it('shows the error of a compile', async () => {
  const failed = { status: 'failed', message: 'Evaluation Error: x', log: [] };
  expect(await ask(REQUEST, 'admin', failed)).toEqual([500, 'Internal Server Error: Evaluation Error: x']);
});

it('spreads those who come back as the policy of the node does', async () => {
  await new FreshnessPolicies(http.documents).put('nodes/tiny01.example.com', { retryAfterSeconds: [100, 199] });
  const numbers = [0, 0.5, 0.999];
  const seen: (string | null)[] = [];
  for (const number of numbers) {
    const clock = intercept<Clock>(http.clock, { random: () => number });
    const settings = { ...http.services.settings, compileHoldMs: 0 };
    const authorization = Authorization.read(
      'authorization { version: 1, rules: [{ name: v4, sort-order: 1, match-request { path: "/", type: path }, allow: admin }] }',
      'auth.conf',
    );
    const overdue = createApp({ ...http.services, clock, settings, authorization });
    const init = { method: 'POST', body: JSON.stringify(REQUEST) };
    const response = await overdue.request('/puppet/v4/catalog', init, { peer: createPeer('admin') });
    expect(response.status).toBe(503);
    seen.push(response.headers.get('Retry-After'));
  }
  expect(seen).toEqual(['100', '150', '199']);
});

it('is for those whom a rule lets in; the default rules let in nobody', async () => {
  expect((await ask(REQUEST, 'web01.example.com'))[0]).toBe(403);
  app = http.app;
  expect((await ask(REQUEST))[0]).toBe(403);
});
