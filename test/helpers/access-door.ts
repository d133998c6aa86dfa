import type { RequestLogEntry } from '../../shared/http/access-log.ts';
import type { Peer } from '../../shared/http/endpoint.ts';
import { createAccessApp } from '../../shared/http/operator/access-app.ts';
import type { ClassifierServices } from '../../shared/http/routes/classifier/classifier-endpoint.ts';
import { type AccessWorld, openAccessWorld } from './access-world.ts';

export interface AccessQuestion {
  readonly token?: string | null;
  readonly body?: unknown;
  readonly peer?: Peer | null;
}

export interface AccessAnswer {
  readonly status: number;
  /** Parsed; null without one. */
  readonly body: unknown;
  readonly headers: Headers;
}

/** The access API over a store in memory. */
export interface AccessDoor extends AccessWorld {
  readonly errors: unknown[];
  readonly requests: RequestLogEntry[];
  readonly revoked: Set<string>;
  ask(method: string, path: string, question?: AccessQuestion): Promise<AccessAnswer>;
}

export function openAccessDoor(world: AccessWorld = openAccessWorld(), classifier?: ClassifierServices): AccessDoor {
  const errors: unknown[] = [];
  const requests: RequestLogEntry[] = [];
  const revoked = new Set<string>();
  const app = createAccessApp({
    access: world.access,
    ...(classifier === undefined ? {} : { classifier }),
    isRevoked: async ({ serial }) => revoked.has(serial),
    clock: world.clock,
    log: { logError: (message, cause) => errors.push([message, cause]), access: (entry) => requests.push(entry) },
  });
  return {
    ...world,
    errors,
    requests,
    revoked,
    async ask(method, path, { token = null, body, peer = null } = {}) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const headers: Record<string, string> = {
        'Content-Type': 'application/json',
        ...(token === null ? {} : { 'X-Authentication': token }),
      };
      const response = await app.request(
        path,
        { method, headers, ...(body === undefined ? {} : { body: text }) },
        { peer },
      );
      const answer = await response.text();
      return { status: response.status, body: readAnswer(response, answer), headers: response.headers };
    },
  };
}

function readAnswer({ headers }: Response, text: string): unknown {
  if (text === '') return null;
  return headers.get('Content-Type')?.startsWith('text/') === true ? text : JSON.parse(text);
}
