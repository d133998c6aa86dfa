/** A process with one hostile client: it sends requests until it is told to end. */
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { setPriority } from 'node:os';
import { HOSTILE_KINDS, type HostileRequest } from './hostile-clients.ts';

/** What the process is started with. */
export interface HostileOrder {
  readonly kind: string;
  readonly certname: string;
  readonly ports: Readonly<Record<string, number>>;
  readonly token: string;
  readonly credentials: { readonly ca: string; readonly cert: string; readonly key: string };
}

/** It takes processors only when the server and the polite node need none. */
const NICE = 19;
const PAUSE_AFTER_FAILURE_MS = 100;

async function send(order: HostileOrder, agent: Agent, { port, method, path, type, ...body }: HostileRequest) {
  const length = body.pieces.reduce((sum, piece) => sum + piece.length, 0);
  const headers = {
    'Content-Type': type,
    'Content-Length': String(length),
    ...(port === 'console' ? { 'X-Authentication': order.token } : {}),
  };
  const sent = request({ host: 'localhost', port: order.ports[port], method, path, agent, headers });
  const answered = once(sent, 'response');
  answered.catch(() => {});
  // A server that read enough closes the connection after its answer.
  sent.on('error', () => {});
  for (const [index, piece] of body.pieces.entries()) {
    if (index > 0 && body.pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, body.pauseMs));
    if (sent.destroyed) break;
    sent.write(piece);
  }
  sent.end();
  const [response] = await answered;
  response.resume();
  await once(response, 'end');
}

function start(order: HostileOrder): void {
  const kind = HOSTILE_KINDS.find(({ name }) => name === order.kind);
  if (kind === undefined) throw new Error(`no hostile client '${order.kind}'`);
  setPriority(NICE);
  const prepared = kind.makeRequest(order.certname);
  const agent = new Agent({ ...order.credentials, keepAlive: true, maxSockets: kind.parallel });
  const loop = async () => {
    for (;;) {
      try {
        await send(order, agent, prepared);
        process.send?.('answered');
      } catch {
        await new Promise((resolve) => setTimeout(resolve, PAUSE_AFTER_FAILURE_MS));
      }
    }
  };
  for (let count = 0; count < kind.parallel; count += 1) void loop();
}

process.on('message', (order: HostileOrder) => start(order));
process.on('disconnect', () => process.exit());
