/**
 * Simulated PXP agents in a process of their own: idle connections to a broker, which come back as
 * pxp-agent does. 200 ms after a connection ended they try again, all at once. A try that fails
 * takes 5 seconds, also when the broker refuses it at once. After it, they wait for 2, 4, 8, 16 and
 * then 32 seconds, give or take half a second.
 */
import { setTimeout } from 'node:timers/promises';
import { WebSocket } from 'ws';

export interface AgentsOrder {
  readonly port: number;
  readonly certificate: string;
  readonly key: string;
  readonly trusted: string;
  readonly first: number;
  readonly count: number;
  /** What an agent's waits are multiplied with. */
  readonly timeScale: number;
}

/** What the parent gets whenever it sends `state`. */
export interface AgentsState {
  readonly open: number;
  readonly connects: number;
  readonly failures: number;
}

const AGAIN_MS = 200;
const CONNECT_MS = 5000;
const LONGEST_S = 32;
const state = { open: 0, connects: 0, failures: 0 };

async function live(number: number, { port, certificate: cert, key, trusted: ca, timeScale }: AgentsOrder) {
  for (let wait = 2; ; ) {
    const began = performance.now();
    const isOpened = await connectOnce(`wss://localhost:${port}/pcp2/agent${number}`, { cert, key, ca });
    if (isOpened) wait = 2;
    else {
      state.failures += 1;
      const untilEnd = Math.max(0, timeScale * CONNECT_MS - (performance.now() - began));
      await setTimeout(untilEnd + timeScale * 1000 * (wait - 0.5 + Math.random()));
      wait = Math.min(LONGEST_S, 2 * wait);
    }
    await setTimeout(timeScale * AGAIN_MS);
  }
}

/** Resolves when the connection ended; whether it was open. */
function connectOnce(url: string, credentials: object): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      ...credentials,
      perMessageDeflate: false,
      maxVersion: 'TLSv1.2',
      handshakeTimeout: CONNECT_MS,
    });
    let isOpened = false;
    socket.on('open', () => {
      isOpened = true;
      state.open += 1;
      state.connects += 1;
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      if (isOpened) state.open -= 1;
      resolve(isOpened);
    });
  });
}

process.on('message', (message: AgentsOrder | 'state') => {
  if (message === 'state') process.send?.(state satisfies AgentsState);
  else for (let index = 0; index < message.count; index += 1) void live(message.first + index, message);
});
process.on('disconnect', () => process.exit());
