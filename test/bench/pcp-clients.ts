/** Clients of a broker for the benchmark, in a process of their own. They do what they are told. */
import { once } from 'node:events';
import { WebSocket } from 'ws';
import type { ServerStart } from './pcp-server.ts';

export type ClientsOrder =
  | { readonly kind: 'connect'; readonly server: ServerStart; readonly first: number; readonly count: number }
  /** All ping at once; the answer is the time until the last pong, in milliseconds. */
  | { readonly kind: 'ping' }
  /** So many messages in all, between pairs of clients. */
  | { readonly kind: 'route'; readonly messages: number };

const AT_ONCE = 20;
const PAIRS = 10;
/** Messages of a pair that are on their way. */
const WINDOW = 50;
const sockets: WebSocket[] = [];
const uriOf = (number: number) => `pcp://bench.example.com/c${number}`;
let firstNumber = 0;

async function connectAll({ server, first, count }: ClientsOrder & { kind: 'connect' }): Promise<void> {
  const { port, credentials } = server;
  firstNumber = first;
  let next = 0;
  const connect = async () => {
    while (next < count) {
      const index = next;
      next += 1;
      const path = `/pcp2/c${first + index}`;
      const socket = credentials
        ? new WebSocket(`wss://localhost:${port}${path}`, {
            ...credentials,
            perMessageDeflate: false,
            maxVersion: 'TLSv1.2',
          })
        : new WebSocket(`ws://localhost:${port}${path}`, { perMessageDeflate: false });
      sockets[index] = socket;
      await once(socket, 'open');
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, connect));
}

async function pingAll(): Promise<number> {
  const start = performance.now();
  await Promise.all(
    sockets.map((socket) => {
      socket.ping('x');
      return once(socket, 'pong');
    }),
  );
  return performance.now() - start;
}

async function route(messages: number): Promise<void> {
  const each = Math.ceil(messages / PAIRS);
  await Promise.all(Array.from({ length: PAIRS }, (_, pair) => routePair(2 * pair, each)));
}

/** Sends `count` messages of the size of a PXP request from one client to the next. */
function routePair(from: number, count: number): Promise<void> {
  const [sender, recipient] = [sockets[from], sockets[from + 1]];
  if (!sender || !recipient) throw new Error('there are too few clients');
  const text = JSON.stringify({
    id: crypto.randomUUID(),
    message_type: 'http://puppetlabs.com/rpc_blocking_request',
    target: uriOf(firstNumber + from + 1),
    sender: uriOf(firstNumber + from),
    data: {
      transaction_id: crypto.randomUUID(),
      module: 'pxp-module-puppet',
      action: 'run',
      params: { flags: ['--onetime', '--no-daemonize', '--verbose', '--environment', 'production'], job: '1234' },
    },
  });
  return new Promise((resolve) => {
    let [sent, received] = [0, 0];
    const fill = () => {
      for (; sent < count && sent - received < WINDOW; sent += 1) sender.send(text);
    };
    recipient.on('message', () => {
      received += 1;
      if (received === count) resolve();
      else fill();
    });
    fill();
  });
}

process.on('message', async (order: ClientsOrder) => {
  if (order.kind === 'connect') await connectAll(order);
  else if (order.kind === 'route') await route(order.messages);
  process.send?.(order.kind === 'ping' ? await pingAll() : 0);
});
process.on('disconnect', () => process.exit());
