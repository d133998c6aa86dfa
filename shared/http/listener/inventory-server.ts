import { Hono } from 'hono';
import { CONNECTIONS } from '../../config/connections.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { Bindings, HttpContext } from '../endpoint.ts';
import { sendInventoryAnswer, toInventoryRequest } from '../exchange/inventory-event.ts';
import { type InventoryAnswer, type InventoryHttpRequest, textAnswer } from '../exchange/inventory-exchange.ts';
import { type EdgeServer, startPlainServer } from './edge-server.ts';

interface InventoryServerOptions {
  readonly answer: (request: InventoryHttpRequest) => Promise<InventoryAnswer>;
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly clock: Pick<Clock, 'now'>;
  readonly reportFailure: (error: unknown) => void;
}

/** Listens for requests to the inventory without TLS; meant for loopback. Throws ListenFailed. */
export function startInventoryServer({ answer, ...options }: InventoryServerOptions): Promise<EdgeServer> {
  const app = new Hono<{ Bindings: Bindings }>();
  app.all('*', async (context) => {
    if (isOfPage(context)) return sendInventoryAnswer(FOREIGN);
    return sendInventoryAnswer(await answer(toInventoryRequest(context, 'http')));
  });
  app.onError((error) => {
    throw error;
  });
  return startPlainServer({ ...options, app, connections: CONNECTIONS.inventory });
}

/** Names under which programs of this machine reach the listener. */
const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;
const FOREIGN = textAnswer(403, 'Requests of web pages, and for other names than localhost, are not allowed here');

/**
 * Whether a page in a browser of this machine sent the request: it names its origin, or reaches the
 * listener by a name of its own (DNS rebinding).
 */
function isOfPage({ req }: HttpContext): boolean {
  return req.header('Origin') !== undefined || !LOOPBACK.test(req.header('Host') ?? 'localhost');
}
