import { createServer } from 'node:http';
import { type Duplex, duplexPair } from 'node:stream';
import { WebSocketDoor } from '../../shared/orchestrator/broker/web-socket-door.ts';
import { BrokerWorld, type TestClient } from '../helpers/broker-world.ts';
import { SeededChance } from './seeded-chance.ts';

export interface WebSocketFuzzFigures {
  /** How often a connection ended how: a close code, `dropped`, `open`, or a status of HTTP. */
  readonly byEnd: Readonly<Record<string, number>>;
  /** Connections after which two other clients could not talk as before. */
  readonly disturbances: number;
  /** Connections that the broker still had when all were gone. */
  readonly left: number;
}

const MOST_MESSAGE_BYTES = 4096;
const CHECK_EVERY = 20;
const MOST_TURNS = 1000;
const KEY = Buffer.alloc(16, 7).toString('base64');

/** Opens so many connections, each of which sends malformed WebSocket frames. */
export async function fuzzWebSockets(connections: number, seed: number): Promise<WebSocketFuzzFigures> {
  const chance = new SeededChance(seed);
  const world = new BrokerWorld();
  const others = [world.connect('a.example.com'), world.connect('b.example.com')] as const;
  const limits = { maxMessageBytes: MOST_MESSAGE_BYTES, mostIncompleteBytes: 8 * MOST_MESSAGE_BYTES };
  const door = new WebSocketDoor({ broker: world.broker, ...limits });
  const identity = { certname: 'ctl.example.com', extensions: new Map<string, string>() };
  const server = createServer().on('upgrade', (request, socket, head) => {
    door.open(request, socket, head, { identity, serial: null });
  });
  const byEnd: Record<string, number> = {};
  let disturbances = 0;
  for (let count = 0; count < connections; count += 1) {
    const [client, accepted] = duplexPair();
    server.emit('connection', accepted);
    const end = await converse(client, chance);
    byEnd[end] = (byEnd[end] ?? 0) + 1;
    for (const other of others) other.take();
    if (count % CHECK_EVERY === 0 && !canTalk(others)) disturbances += 1;
  }
  const countLeft = () => world.broker.connections - others.length;
  for (let turns = 0; countLeft() > 0 && turns < MOST_TURNS; turns += 1) await turn();
  return { byEnd, disturbances, left: countLeft() };
}

/** Sends an upgrade request and malformed frames; tells how the server ended it. */
async function converse(client: Duplex, chance: SeededChance): Promise<string> {
  const received: Buffer[] = [];
  let hasEnded = false;
  client.on('data', (bytes: Buffer) => received.push(bytes));
  client.on('error', () => {});
  for (const event of ['end', 'close']) {
    client.on(event, () => {
      hasEnded = true;
    });
  }
  const path = chance.of(['/pcp2/agent', '/pcp/agent']);
  const headers = `Host: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${KEY}`;
  client.write(mutateUpgrade(`GET ${path} HTTP/1.1\r\n${headers}\r\n\r\n`, chance));
  await turn();
  for (const frame of chance.times(4, () => makeFrame(chance))) {
    if (hasEnded) break;
    client.write(frame);
    await turn();
  }
  await turn();
  const end = describeEnd(Buffer.concat(received), hasEnded);
  client.end();
  await turn();
  return end;
}

/** A turn of the event loop; streams need some. */
async function turn(): Promise<void> {
  for (let left = 4; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

function mutateUpgrade(text: string, chance: SeededChance): string {
  if (!chance.often(0.1)) return text;
  const at = chance.below(text.length);
  return text.slice(0, at) + String.fromCharCode(chance.below(256)) + text.slice(at + chance.below(4));
}

/** A frame of which anything may be wrong: flags, opcode, mask, length, UTF-8, order. */
function makeFrame(chance: SeededChance): Buffer {
  const isSound = chance.often(0.3);
  const opcode = isSound ? chance.of([1, 2, 9, 10]) : chance.below(16);
  const flags = isSound || chance.often(0.5) ? 0x80 : chance.of([0, 0x40, 0x20, 0x10, 0xc0, 0xf0]);
  const isMasked = isSound || chance.often(0.8);
  const length = chance.of([0, 1, 5, 125, 126, 200, MOST_MESSAGE_BYTES, MOST_MESSAGE_BYTES + 1]);
  const claimed = isSound || chance.often(0.6) ? length : chance.of([2 ** 16, 2 ** 31, 2 ** 32, 2 ** 53, 2 ** 62]);
  const payload = chance.often(0.5) ? Buffer.alloc(length, 0x61) : Buffer.from(randomBytes(length, chance));
  const sent = isSound || chance.often(0.7) ? payload : payload.subarray(0, chance.below(length + 1));
  return Buffer.concat([
    Buffer.from([flags | opcode, (isMasked ? 0x80 : 0) | lengthCode(claimed, chance)]),
    lengthBytes(claimed),
    // A mask of zeros leaves the payload as it is.
    Buffer.alloc(isMasked ? 4 : 0),
    sent,
  ]);
}

function lengthCode(length: number, chance: SeededChance): number {
  if (chance.often(0.02)) return chance.below(128);
  if (length < 126) return length;
  return length < 2 ** 16 ? 126 : 127;
}

function lengthBytes(length: number): Buffer {
  if (length < 126) return Buffer.alloc(0);
  const bytes = Buffer.alloc(length < 2 ** 16 ? 2 : 8);
  if (bytes.length === 2) bytes.writeUInt16BE(length);
  else bytes.writeBigUInt64BE(BigInt(length));
  return bytes;
}

function randomBytes(length: number, chance: SeededChance): Uint8Array {
  return Uint8Array.from({ length }, () => chance.below(256));
}

function describeEnd(answer: Buffer, hasEnded: boolean): string {
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer.toString('latin1'))?.[1];
  if (status !== '101') return `HTTP ${status ?? 'without an answer'}`;
  let at = answer.indexOf('\r\n\r\n') + 4;
  for (; at + 2 <= answer.length; ) {
    const [first = 0, second = 0] = answer.subarray(at);
    if ((first & 0x0f) === 8) return second < 2 ? 'a close frame without a code' : String(answer.readUInt16BE(at + 2));
    at +=
      second < 126 ? 2 + second : second === 126 ? 4 + answer.readUInt16BE(at + 2) : 10 + answer.readUInt32BE(at + 6);
  }
  return hasEnded ? 'dropped' : 'open';
}

function canTalk([one, two]: readonly [TestClient, TestClient]): boolean {
  one.write({ target: two.uri, data: 1 });
  two.write({ target: one.uri, data: 2 });
  return one.take().length === 1 && two.take().length === 1 && one.end === null && two.end === null;
}
