import { expect, it } from 'vitest';
import { ApiFault, faultOfAnswer } from '../../../../../shared/console/client/data/api-fault.ts';
import { MOST_RETRIES, planRetry } from '../../../../../shared/console/client/data/back-off.ts';

it.each([
  [
    503,
    '7',
    '{"message":"Service Unavailable: no store","issue_kind":"RUNTIME_ERROR"}',
    'unavailable',
    'Service Unavailable: no store',
    7,
  ],
  [503, 'soon', '', 'unavailable', 'The server is overloaded or restarting.', null],
  [
    401,
    null,
    '{"kind":"k","msg":"There is no session: log in"}',
    'unauthenticated',
    'There is no session: log in',
    null,
  ],
  [403, null, 'Forbidden request', 'forbidden', 'You may not do this. Ask an administrator for the permission.', null],
  [400, null, 'No such query', 'refused', 'No such query', null],
  [500, null, '<html>', 'broken', 'The server answered with status 500.', null],
])(
  'takes an answer with status %s, Retry-After %s and the body %j for %s',
  (status, retryAfter, body, kind, message, seconds) => {
    expect(faultOfAnswer(status, retryAfter, body)).toMatchObject({ kind, message, status, retryAfter: seconds });
  },
);

it('waits longer after each failure, at least as long as the server asks, and at some point no more', () => {
  const fault = faultOfAnswer(503, null, '');
  expect([1, 2, 3, 6, MOST_RETRIES, MOST_RETRIES + 1].map((failures) => planRetry(fault, failures, 0))).toEqual([
    1_000,
    2_000,
    4_000,
    30_000,
    30_000,
    null,
  ]);
  expect(planRetry(faultOfAnswer(503, '20', ''), 1, 0)).toBe(20_000);
  expect(planRetry(faultOfAnswer(503, '999999', ''), 1, 0)).toBe(300_000);
  expect(planRetry(fault, 1, 1)).toBe(1_500);
  expect(planRetry(new ApiFault('forbidden', ''), 1, 0)).toBeNull();
});
