import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrokerServer } from '../../../../shared/orchestrator/broker/broker-server.ts';
import { hasRuby } from './runner-process.ts';
import { RunnerWorld } from './runner-world.ts';

const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
const REQUEST = {
  id: '6c1a52f8-3a8f-4a62-9d55-0e5b0b8f3f11',
  message_type: 'http://puppetlabs.com/rpc_blocking_request',
  sender: 'pcp://localhost/orchestrator',
  data: { transaction_id: 't', module: 'echo', action: 'echo', params: { argument: 'é' } },
};
const TEXT = Buffer.from(JSON.stringify(REQUEST));

/** A frame of a server, which masks nothing; `first` has the flags and the kind. */
function frame(first: number, payload: Uint8Array | string): Buffer {
  const bytes = Buffer.from(payload);
  const head =
    bytes.length < 126 ? Buffer.of(first, bytes.length) : Buffer.of(first, 126, bytes.length >> 8, bytes.length & 255);
  return Buffer.concat([head, bytes]);
}

/** The first message of a client, unmasked; its kind comes first. */
async function readFrame(socket: TLSSocket): Promise<readonly [number, string]> {
  let bytes = Buffer.alloc(0);
  for (;;) {
    const [, second = 0] = bytes;
    const size = (second & 127) === 126 ? bytes.readUInt16BE(2) : second & 127;
    const start = (second & 127) === 126 ? 8 : 6;
    if (bytes.length >= 8 && bytes.length >= start + size) {
      const mask = bytes.subarray(start - 4, start);
      const text = bytes.subarray(start, start + size).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
      return [(bytes[0] ?? 0) & 15, Buffer.from(text).toString()];
    }
    const [part] = await once(socket, 'data');
    bytes = Buffer.concat([bytes, part]);
  }
}

describe.skipIf(!hasRuby())('the runner and a broker that sends', () => {
  let world: RunnerWorld;
  let server: Server;
  /** Answers the upgrade with the key of the client. */
  let upgrade = (key: string) => accept(key);
  let onSocket = (_: TLSSocket) => {};

  function accept(key: string): string {
    const digest = createHash('sha1')
      .update(key + GUID)
      .digest('base64');
    return `101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${digest}`;
  }

  beforeAll(async () => {
    world = await RunnerWorld.create();
    const { certificate: cert, key } = await world.authority.serverCredentials('localhost', []);
    server = createServer({ cert, key }, (socket) => {
      socket.on('error', () => {});
      socket.once('data', (head) => {
        const [, clientKey = ''] = /^sec-websocket-key: (.*)\r$/im.exec(head.toString()) ?? [];
        const answer = upgrade(clientKey);
        socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
        onSocket(socket);
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server?.close();
    await world.close();
  });

  let count = 0;
  async function connect(settings = {}) {
    count += 1;
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    return (await world.addRunner(`n${count}.example.com`, [{ port } as BrokerServer], settings)).start();
  }

  it('a message in parts, with a ping between them', async () => {
    const socket = new Promise<TLSSocket>((resolve) => {
      onSocket = resolve;
    });
    const runner = await connect();
    const open = await socket;
    open.write(
      Buffer.concat([frame(0x01, TEXT.subarray(0, 40)), frame(0x89, 'hi'), frame(0x00, TEXT.subarray(40, 200))]),
    );
    expect(await readFrame(open)).toEqual([10, 'hi']);
    open.write(frame(0x80, TEXT.subarray(200)));
    const [kind, text] = await readFrame(open);
    expect([kind, JSON.parse(text).data]).toEqual([1, { transaction_id: 't', results: { outcome: 'é' } }]);
    // Messages that are none are no reason to end the connection.
    open.write(
      Buffer.concat([frame(0x81, '{"message_type": 7}'), frame(0x81, '[1'), frame(0x82, '\xff'), frame(0x81, TEXT)]),
    );
    expect(JSON.parse((await readFrame(open))[1]).data.results).toEqual({ outcome: 'é' });
    await runner.end();
  });

  it.each<[string, Buffer, RegExp]>([
    ['a masked frame', Buffer.of(0x81, 0x80, 1, 2, 3, 4), /invalid frame/],
    ['reserved bits', frame(0xc1, 'x'), /invalid frame/],
    ['a message that is too large', Buffer.of(0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0), /sent a message of 4294967296 bytes/],
    [
      'parts that are too large',
      Buffer.concat([frame(0x01, 'x'.repeat(600)), frame(0x00, 'x'.repeat(600))]),
      /sent a message of 600 bytes/,
    ],
    [
      'a close',
      frame(0x88, Buffer.concat([Buffer.of(0x03, 0xf4), Buffer.from('CRL reloaded')])),
      /closed the connection: 1012 CRL reloaded/,
    ],
  ])('%s ends the connection', async (_, bytes, reason) => {
    onSocket = (socket) => socket.write(bytes);
    const runner = await connect({ 'max-message-size': 1000 });
    await expect.poll(() => runner.log).toMatch(reason);
    expect(runner.log).toMatch(/the next attempt is in/);
    await runner.end();
  });

  it.each<[string, string, RegExp]>([
    [
      '503 with a time',
      '503 Service Unavailable\r\nRetry-After: 100',
      /status 503; the next attempt is in 1[0-4]\d\.\d s/,
    ],
    ['a wrong key', '101 Switching Protocols\r\nSec-WebSocket-Accept: wrong', /the broker speaks no WebSocket/],
    ['an answer without end', `101 x\r\nX: ${'x'.repeat(70_000)}`, /the answer to the upgrade is too long/],
  ])('%s is no broker', async (_, answer, reason) => {
    upgrade = () => answer;
    onSocket = () => {};
    const runner = await connect();
    await expect.poll(() => runner.log).toMatch(reason);
    upgrade = accept;
    await runner.end();
  });
});
