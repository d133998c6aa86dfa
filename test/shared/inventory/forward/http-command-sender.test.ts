import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DeliveryRejected, ReceiverAway } from '../../../../shared/inventory/forward/delivery-errors.ts';
import { HttpCommandSender } from '../../../../shared/inventory/forward/http-command-sender.ts';

let [status, body] = [200, '{"uuid":"u"}'];
const seen: { readonly request: IncomingMessage; readonly payload: string }[] = [];
const server = createServer(async (request, response) => {
  seen.push({ request, payload: gunzipSync(await buffer(request)).toString('utf8') });
  response.writeHead(status).end(body);
});
let sender: HttpCommandSender;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  sender = new HttpCommandSender({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
});
afterAll(() => {
  sender.close();
  server.close();
});

const payload = JSON.stringify({ certname: 'ä b', producer_timestamp: '2026-11-05T00:00:00.000Z', values: {} });
const command = { command: 'replace facts', version: 5, certname: 'ä b', payload };

it('sends a command as the termini do', async () => {
  await sender.send(command);
  const [{ request, payload: got } = { request: null, payload: '' }] = seen;
  expect(got).toBe(payload);
  expect(request?.url).toBe(
    '/pdb/cmd/v1?command=replace_facts&version=5&certname=%C3%A4+b&producer-timestamp=2026-11-05T00%3A00%3A00.000Z',
  );
  expect(request?.headers).toMatchObject({
    'content-encoding': 'gzip',
    'content-type': 'application/json; charset=utf-8',
    'x-uncompressed-length': String(Buffer.byteLength(payload)),
  });
});

it.each<[number, string, boolean | null, string]>([
  [400, '{"error":\n "wrong"}', true, 'status 400: {"error": "wrong"}'],
  [413, 'large', true, 'status 413: large'],
  [500, 'oops', false, 'status 500: oops'],
  [503, 'starting', null, 'is not ready: status 503: starting'],
  [403, 'Permission denied', null, 'refuses us with status 403: Permission denied'],
])('takes status %s for what it is', async (code, text, isFinal, message) => {
  [status, body] = [code, text];
  const error = await sender.send(command).catch((fault: unknown) => fault);
  expect(error).toBeInstanceOf(isFinal === null ? ReceiverAway : DeliveryRejected);
  expect(error).toMatchObject({ message: expect.stringContaining(message), ...(isFinal === null ? {} : { isFinal }) });
});

it('reports that it cannot be reached', async () => {
  const nowhere = new HttpCommandSender({ url: 'http://127.0.0.1:1' });
  await expect(nowhere.send(command)).rejects.toThrow('http://127.0.0.1:1 cannot be reached: ');
  nowhere.close();
});
