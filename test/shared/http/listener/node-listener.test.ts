import { once } from 'node:events';
import { createServer, request } from 'node:http';
import { expect, it } from 'vitest';
import { nodeListener } from '../../../../shared/http/listener/node-listener.ts';
import { RequestShares } from '../../../../shared/http/listener/request-shares.ts';

it('asks the app for four requests of a client at a time, for its status at once, and for none that was given up', async () => {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  const app = {
    async fetch({ url }: Request): Promise<Response> {
      asked.push(new URL(url).pathname);
      if (url.endsWith('/held')) await new Promise<void>((resolve) => held.push(resolve));
      return new Response('done');
    },
  };
  const errors: unknown[] = [];
  const shares = new RequestShares(() => 1);
  shares.look();
  const server = createServer(nodeListener(app, { now: Date.now }, (error) => errors.push(error), shares)).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const send = (path: string) => {
    const sent = request({ host: '127.0.0.1', port, path, agent: false }).on('error', () => {});
    const answered = once(sent.end(), 'response').then(([response]) => response.resume().statusCode);
    answered.catch(() => {});
    return { sent, answered };
  };
  const first = Array.from({ length: 4 }, () => send('/held'));
  await expect.poll(() => asked.length).toBe(4);
  let arrived = 0;
  server.on('request', () => {
    arrived += 1;
  });
  const givenUp = send('/given-up');
  const last = send('/last');
  await expect.poll(() => arrived).toBe(2);
  expect(await send('/status/v1/simple').answered).toBe(200);
  givenUp.sent.destroy();
  await expect.poll(async () => new Promise((resolve) => server.getConnections((_, count) => resolve(count)))).toBe(5);
  for (const go of held) go();
  expect(await Promise.all([...first, last].map(({ answered }) => answered))).toEqual([200, 200, 200, 200, 200]);
  expect(asked.slice(4)).toEqual(['/status/v1/simple', '/last']);
  expect(errors).toEqual([]);
  server.close();
});

it('sends each cookie in a line of its own', async () => {
  const app = {
    async fetch(): Promise<Response> {
      const answer = new Response('done', { headers: { 'X-Other': 'x' } });
      for (const cookie of ['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT']) {
        answer.headers.append('Set-Cookie', cookie);
      }
      return answer;
    },
  };
  const server = createServer(nodeListener(app, { now: Date.now }, () => {}, new RequestShares(() => 1)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const [response] = await once(request({ host: '127.0.0.1', port, agent: false }).end(), 'response');
  expect(response.resume().headers).toMatchObject({
    'set-cookie': ['a=1; Path=/', 'b=2; Expires=Thu, 01 Jan 1970 00:00:00 GMT'],
    'x-other': 'x',
  });
  server.close();
});
