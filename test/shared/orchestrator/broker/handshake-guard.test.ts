import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { AcceptGate, type AcceptRate } from '../../../../shared/orchestrator/broker/accept-gate.ts';
import { HandshakeGuard } from '../../../../shared/orchestrator/broker/handshake-guard.ts';

const NO_RATE = { perSecond: 0, burst: 0, mostPending: 100 };
let clock: { time: number; now: () => number };
let counters: { shedConnections: number };
let guard: HandshakeGuard;
let server: Server;
/** The server's ends of the connections whose handshakes began. */
let begun: Socket[];
let clients: Socket[];

beforeEach(() => {
  clock = { time: 0, now: () => clock.time };
  counters = { shedConnections: 0 };
  begun = [];
  clients = [];
});

afterEach(() => {
  for (const socket of [...clients, ...begun]) socket.destroy();
  guard.stop();
  server.close();
});

/** Starts a server; a new gate has four times its limits. */
async function listen(rate: Partial<AcceptRate>): Promise<void> {
  server = createServer((socket) => {
    begun.push(socket.on('error', () => {}));
    // As a server of TLS does.
    socket.once('close', () => server.emit('tlsClientError', new Error('closed'), socket));
  });
  const gate = new AcceptGate({ ...NO_RATE, ...rate }, clock, () => 1);
  guard = new HandshakeGuard({ gate, clock, counters });
  guard.guard(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
}

/** Connects one after another; returns the local port of each. */
async function dial(count: number): Promise<readonly (number | undefined)[]> {
  const ports: (number | undefined)[] = [];
  for (let index = 0; index < count; index += 1) {
    const accepted = once(server, 'connection');
    const client = connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' });
    client.on('error', () => {}).resume();
    clients.push(client);
    await accepted;
    ports.push(client.localPort);
  }
  return ports;
}

const beganPorts = () => begun.map(({ remotePort }) => remotePort);
const closedClients = () => clients.flatMap(({ closed }, index) => (closed ? [index] : []));

it('begins what the gate admits, and closes what will have no place in time', async () => {
  await listen({ burst: 0.5 });
  const ports = await dial(4);
  await expect.poll(beganPorts).toEqual(ports.slice(0, 2));
  await expect.poll(closedClients).toEqual([2, 3]);
  expect(counters.shedConnections).toBe(2);
});

it('lets others wait for four seconds, and begins them in their order', async () => {
  await listen({ perSecond: 1, burst: 1 });
  const ports = await dial(4 + 16 + 1);
  await expect.poll(closedClients).toEqual([20]);
  await expect.poll(beganPorts).toEqual(ports.slice(0, 4));
  clock.time = 1000;
  await expect.poll(() => begun.length).toBeGreaterThan(4);
  expect(beganPorts()).toEqual(ports.slice(0, begun.length));
  clock.time = 4001;
  await expect.poll(() => begun.length + closedClients().length).toBe(ports.length);
  expect(begun.length).toBeLessThan(20);
  expect(counters.shedConnections).toBe(ports.length - begun.length);
});

it('has a place again when one that waits leaves', async () => {
  await listen({ perSecond: 0.0625, burst: 0.25 });
  await dial(3);
  await expect.poll(closedClients).toEqual([2]);
  clients[1]?.destroy();
  await expect
    .poll(async () => {
      const shed = counters.shedConnections;
      await dial(1);
      return counters.shedConnections === shed;
    })
    .toBe(true);
});

it('drops a handshake of two seconds for one that waits', async () => {
  await listen({ perSecond: 1000, burst: 1000, mostPending: 0.75 });
  const ports = await dial(4);
  await expect.poll(beganPorts).toEqual(ports.slice(0, 3));
  clock.time = 1999;
  await dial(1);
  expect(closedClients()).toEqual([]);
  clock.time = 2001;
  await expect.poll(() => begun.length).toBe(5);
  await expect.poll(closedClients).toEqual([0, 1]);
  expect(beganPorts()[3]).toBe(ports[3]);
});

it('closes those that wait when it stops', async () => {
  await listen({ perSecond: 1, burst: 0.25 });
  await dial(3);
  guard.stop();
  await expect.poll(closedClients).toEqual([1, 2]);
  expect(begun).toHaveLength(1);
});
