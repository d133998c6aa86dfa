import { request } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { BODIES } from '../../../../shared/http/body/body-kinds.ts';
import type { InventoryHttpRequest } from '../../../../shared/http/exchange/inventory-exchange.ts';
import type { EdgeServer } from '../../../../shared/http/listener/edge-server.ts';
import { startInventoryServer } from '../../../../shared/http/listener/inventory-server.ts';
import { systemClock } from '../../../../shared/store/system-clock.ts';

let server: EdgeServer;
const seen: InventoryHttpRequest[] = [];
const failures: unknown[] = [];

async function* countTo(most: number): AsyncGenerator<string> {
  for (let number = 0; number < most; number++) yield `${number},`.padEnd(1000, ' ');
  if (most === 7) throw new Error('no more');
}

beforeAll(async () => {
  server = await startInventoryServer({
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    answer: async (one) => {
      seen.push(one);
      const body =
        one.path === '/text'
          ? await one.readBody(BODIES.inventoryQuery, 'decode', null)
          : countTo(Number(one.parameters.get('n')));
      return { status: 200, headers: { 'Content-Type': 'text/plain' }, body };
    },
    reportFailure: (error) => failures.push(error),
  });
});
afterAll(() => server.close(0));

function send(
  path: string,
  headers: Record<string, string> = {},
  body = '',
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sent = request({ port: server.port, path, method: 'POST', headers }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => {
        text += chunk;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
      answer.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

it('gives path, parameters, headers and body', async () => {
  expect(await send('/text?a=1%2B2&b=x+y', { 'X-Header': 'z' }, 'grüße')).toEqual({ status: 200, text: 'grüße' });
  const { method, path, parameters, headers } = seen.at(-1) as InventoryHttpRequest;
  expect([method, path, [...parameters], headers.get('x-header')]).toEqual([
    'POST',
    '/text',
    [
      ['a', '1+2'],
      ['b', 'x y'],
    ],
    'z',
  ]);
});

it('sends an answer of many pieces', async () => {
  expect((await send('/rows?n=3000')).text).toHaveLength(3_000_000);
});

it('breaks off an answer that fails after its start', async () => {
  await expect(send('/rows?n=7')).rejects.toThrow(/aborted|socket hang up/);
  expect(failures).toEqual([new Error('no more')]);
});

it.each([
  [{ Origin: 'http://127.0.0.1' }, 403],
  [{ Host: 'attacker.test:8080' }, 403],
  [{ Host: 'localhost:8080' }, 200],
  [{ Host: '[::1]' }, 200],
])('answers a request with %j with status %i', async (headers, status) => {
  expect((await send('/text', headers)).status).toBe(status);
});
