import { createServer } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { expect, it } from 'vitest';
import { DEFAULT_BROKER_LIMITS } from '../../../../shared/orchestrator/broker/broker-server.ts';
import { WebSocketDoor } from '../../../../shared/orchestrator/broker/web-socket-door.ts';
import { BrokerWorld } from '../../../helpers/broker-world.ts';

const MOST = 64 * 1024 * 1024;

/** A connection that speaks for itself, byte by byte. */
function connectRaw(world: BrokerWorld): Duplex {
  const door = new WebSocketDoor({ ...DEFAULT_BROKER_LIMITS, broker: world.broker });
  const identity = { certname: 'web01.example.com', extensions: new Map<string, string>() };
  const server = createServer().on('upgrade', (request, socket, head) => {
    door.open(request, socket, head, { identity, serial: null });
  });
  const [client, accepted] = duplexPair();
  server.emit('connection', accepted);
  const key = Buffer.alloc(16).toString('base64');
  const upgrade = 'Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13';
  client.write(`GET /pcp2/agent HTTP/1.1\r\n${upgrade}\r\nSec-WebSocket-Key: ${key}\r\n\r\n`);
  return client;
}

/** The head of a text frame; its mask changes nothing. */
function headOf(length: number): Buffer {
  const head = Buffer.alloc(14);
  head.set([0x81, 0xff]);
  head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

it('takes a message of 64 MiB, and refuses one of a byte more before it has come', async () => {
  const world = new BrokerWorld();
  const recipient = world.connect('web02.example.com');
  const client = connectRaw(world);
  let received = Buffer.alloc(0);
  client.on('data', (bytes: Buffer) => {
    received = Buffer.concat([received, bytes]);
  });
  await expect.poll(() => world.broker.connections).toBe(2);
  const id = world.newId();
  const message = JSON.stringify({ id, message_type: 'x', target: recipient.uri, data: '' });
  const text = Buffer.alloc(MOST, 0x79);
  text.write(message.slice(0, -2));
  text.write('"}', MOST - 2);
  client.write(headOf(MOST));
  client.write(text);
  await expect.poll(() => recipient.received.length).toBe(1);
  const [{ data }] = recipient.take() as [{ readonly data: string }];
  expect(data).toHaveLength(MOST - message.length);
  received = Buffer.alloc(0);
  client.write(headOf(MOST + 1));
  await expect.poll(() => received.length).toBeGreaterThan(3);
  expect([received[0], received.readUInt16BE(2)]).toEqual([0x88, 1009]);
  client.end();
  await expect.poll(() => world.broker.connections).toBe(1);
});
