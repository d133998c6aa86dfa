import { afterEach, expect, it, vi } from 'vitest';
import { callApi, whenSessionEnds } from '../../../../../shared/console/client/data/api-client.ts';

afterEach(() => vi.unstubAllGlobals());

/** Answers what the page asks; `null` never answers. */
function answerWith(answer: Response | Error | null): void {
  vi.stubGlobal('fetch', (_: string, { signal }: { readonly signal: AbortSignal }) => {
    if (answer instanceof Error) return Promise.reject(answer);
    if (answer !== null) return Promise.resolve(answer);
    return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  });
}

it.each([
  ['late', null, 'The server did not answer within 0.001 seconds.'],
  ['unreachable', new TypeError('Failed to fetch'), 'The server cannot be reached.'],
  ['broken', new Response('<html>'), 'The server answered with something that is not JSON.'],
  ['unavailable', Response.json({ msg: 'no store' }, { status: 503 }), 'no store'],
  ['conflict', new Response('', { status: 409 }), 'Somebody else changed this in the meantime.'],
])('calls an answer %s', async (kind, answer, message) => {
  answerWith(answer);
  await expect(callApi('/x', { lateMs: 1 })).rejects.toMatchObject({ kind, message });
});

it('tells that the session has ended', async () => {
  const end = vi.fn();
  whenSessionEnds(end);
  answerWith(new Response('', { status: 401 }));
  await expect(callApi('/x')).rejects.toMatchObject({ kind: 'unauthenticated', message: 'Your session has ended.' });
  expect(end).toHaveBeenCalledOnce();
});

it('marks changes, and gives the number of all rows', async () => {
  const sent: RequestInit[] = [];
  vi.stubGlobal('fetch', async (_: string, init: RequestInit) => {
    sent.push(init);
    return new Response('[1]', { headers: { 'X-Records': '7' } });
  });
  expect(await callApi('/x', { method: 'POST', body: {} })).toEqual({ data: [1], total: 7 });
  expect(new Headers(sent[0]?.headers).get('X-Understudy-Console')).toBe('1');
});
