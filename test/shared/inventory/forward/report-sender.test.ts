import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DeliveryRejected } from '../../../../shared/inventory/forward/delivery-errors.ts';
import { HttpReportSender } from '../../../../shared/inventory/forward/report-sender.ts';

const USER_AGENT = 'Puppet/8.28.1 Ruby/3.1.7-p0 (java)';
let server: Server;
let status = 200;
const seen: unknown[] = [];
let origin = '';

beforeAll(async () => {
  server = createServer(async (incoming, outgoing) => {
    let body = '';
    for await (const piece of incoming) body += String(piece);
    const { method, url, headers } = incoming;
    seen.push([method, url, headers['content-type'], headers['user-agent'], headers.authorization, body]);
    outgoing.writeHead(status).end('thanks');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('HttpReportSender', () => {
  it('posts YAML to the path of the address, with the login in it', async () => {
    const sender = new HttpReportSender({ userAgent: USER_AGENT, url: `http://me:s%40crt@${origin}/upload?x=1` });
    status = 204;
    await sender.send('--- ü\n');
    sender.close();
    const login = `Basic ${Buffer.from('me:s@crt').toString('base64')}`;
    expect(seen).toEqual([['POST', '/upload?x=1', 'application/x-yaml', USER_AGENT, login, '--- ü\n']]);
  });

  it.each([
    [400, 'DeliveryRejected', true],
    [302, 'DeliveryRejected', true],
    [500, 'DeliveryRejected', false],
    [401, 'ReceiverAway', undefined],
    [503, 'ReceiverAway', undefined],
  ])('reports status %i as %s', async (answer, name, isFinal) => {
    const sender = new HttpReportSender({ userAgent: USER_AGENT, url: `http://${origin}/` });
    status = answer;
    const error: unknown = await sender.send('x').catch((caught: unknown) => caught);
    sender.close();
    expect(error).toMatchObject({ name, message: `http://${origin} answered with status ${answer}` });
    expect(error instanceof DeliveryRejected ? error.isFinal : undefined).toBe(isFinal);
  });

  it('says where nobody answers', async () => {
    const sender = new HttpReportSender({ userAgent: USER_AGENT, url: 'http://127.0.0.1:1/' });
    await expect(sender.send('x')).rejects.toThrow(
      'http://127.0.0.1:1 cannot be reached: connect ECONNREFUSED 127.0.0.1:1',
    );
    sender.close();
  });
});
