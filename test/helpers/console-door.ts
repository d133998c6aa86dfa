import type { RequestLogEntry } from '../../shared/http/access-log.ts';
import { createConsoleApp, type MountedApi } from '../../shared/http/console/console-app.ts';
import type { ConsoleAsset } from '../../shared/http/console/console-files.ts';
import { createOperatorApi } from '../../shared/http/console/operator-api.ts';
import { createAccessApp } from '../../shared/http/operator/access-app.ts';
import type { HttpServices } from '../../shared/http/services.ts';
import { type AccessWorld, openAccessWorld } from './access-world.ts';
import { httpServices, type TestServices } from './http-services.ts';

export const CONSOLE_ORIGIN = 'https://console.test:8443';

export interface ConsoleQuestion {
  readonly method?: string;
  readonly body?: unknown;
  /** The value of the cookie. */
  readonly cookie?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The console's door over stores in memory. */
export interface ConsoleDoor extends AccessWorld {
  readonly http: TestServices;
  readonly requests: RequestLogEntry[];
  /** Sends what a page of the console would: the cookie and the header. */
  ask(path: string, question?: ConsoleQuestion): Promise<Response>;
  /** Creates a user with these roles, logs in, and returns the value of the cookie. */
  logIn(login: string, roleIds: readonly number[]): Promise<string>;
}

export const CONSOLE_PASSWORD = 'Welc0me!';

let shared: Promise<TestServices> | null = null;

/**
 * The same stores for each door without others, in all files of a process: the keys of their
 * authority take a second. No test may stop them.
 */
async function openServices({ access }: AccessWorld, others: Partial<HttpServices>): Promise<TestServices> {
  if (Object.keys(others).length > 0) return httpServices({ ...others, access });
  shared ??= httpServices();
  const http = await shared;
  return { ...http, services: { ...http.services, access } };
}

export async function openConsoleDoor(
  assets: readonly ConsoleAsset[] = [],
  others: Partial<HttpServices> = {},
  world: AccessWorld = openAccessWorld(),
): Promise<ConsoleDoor> {
  const http = await openServices(world, others);
  const requests: RequestLogEntry[] = [];
  const log = { logError: () => {}, access: (entry: RequestLogEntry) => requests.push(entry) };
  const { access, clock } = world;
  const operatorApi = createOperatorApi(http.services);
  const accessApp = createAccessApp({ access, isRevoked: async () => false, clock, log });
  const apis: readonly MountedApi[] = [
    { prefix: '/rbac-api', app: accessApp },
    ...['/understudy/v1', '/puppet-ca/v1', '/code-manager/v1'].map((prefix) => ({ prefix, app: operatorApi })),
    { prefix: '/orchestrator/v1', app: null, absence: 'This server runs without an orchestrator' },
  ];
  const app = createConsoleApp({ access, apis, loadAssets: async () => assets, clock, log });
  const ask = (path: string, { method = 'GET', body, cookie = null, headers = {} }: ConsoleQuestion = {}) => {
    const sent: Record<string, string> = {
      Host: new URL(CONSOLE_ORIGIN).host,
      'X-Understudy-Console': '1',
      ...headers,
    };
    if (cookie !== null) sent.Cookie = `theme=dark; __Host-understudy=${cookie}`;
    if (body !== undefined) sent['Content-Type'] = 'application/json';
    const given = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== ''));
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const init = { method, headers: given, ...(body === undefined ? {} : { body: text }) };
    return Promise.resolve(app.request(`https://localhost${path}`, init, { peer: null }));
  };
  return {
    ...world,
    http,
    requests,
    ask,
    async logIn(login, roleIds) {
      await world.addUser(login, roleIds);
      const answer = await ask('/console/session', { method: 'POST', body: { login, password: CONSOLE_PASSWORD } });
      return /__Host-understudy=([^;]+)/.exec(answer.headers.get('Set-Cookie') ?? '')?.[1] ?? '';
    },
  };
}
