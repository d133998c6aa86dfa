/** A request that a route answers with its decision: it has all that the route asks for. */
export interface RouteRequest {
  readonly path: string;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Routes, and how to ask for them. */
export interface Surface<Who> {
  /** Each a method and the pattern of a path. */
  readonly routes: readonly string[];
  /**
   * The request of each route; one for `GET` of a path without parameters is its path. A route has
   * further ones by the name `<route> (<purpose>)`.
   */
  readonly requests: Readonly<Record<string, RouteRequest | (() => RouteRequest)>>;
  /** The status of the answer, or what became of the request. */
  readonly ask: (method: string, request: RouteRequest, who: Who) => Promise<number | string>;
  /** Undoes what a request of the route changed. */
  readonly renew?: (route: string) => Promise<void>;
}

/** Who asks: a name, and what proves it. */
export type Identity<Who> = readonly [name: string, who: Who];

/** The routes that have no request in the table: their rows would not say who may ask. */
export function listMissing<Who>({ routes, requests }: Surface<Who>): readonly string[] {
  return routes.filter((route) => requests[route] === undefined && !/^GET [^:*]+$/.test(route));
}

/** The requests in the table of which no route is left. */
export function listStale<Who>({ routes, requests }: Surface<Who>): readonly string[] {
  return Object.keys(requests).filter((name) => !routes.includes(name.replace(/ \(.*\)$/, '')));
}

/** A line for each route: its usual status, and which identities get another one. */
export async function describeSurface<Who>(
  surface: Surface<Who>,
  identities: readonly Identity<Who>[],
): Promise<string> {
  const lines = [`${identities.length} identities; each line: a route, its usual status, and who gets another one`];
  const named = Object.keys(surface.requests);
  for (const route of surface.routes) {
    const further = named.filter((name) => name.startsWith(`${route} (`));
    for (const name of [route, ...further]) lines.push(await describeRoute(name, surface, identities));
  }
  return `${lines.join('\n')}\n`;
}

async function describeRoute<Who>(
  route: string,
  { requests, ask, renew }: Surface<Who>,
  identities: readonly Identity<Who>[],
): Promise<string> {
  const [method = '', path = ''] = route.split(' ');
  const given = requests[route] ?? { path };
  const byStatus = new Map<number | string, string[]>();
  for (const [name, who] of identities) {
    const status = await ask(method, typeof given === 'function' ? given() : given, who);
    byStatus.set(status, [...(byStatus.get(status) ?? []), name]);
    if (Number(status) < 400 && method !== 'GET') await renew?.(route);
  }
  const [[usual = 0] = [], ...others] = [...byStatus].sort(([, a], [, b]) => b.length - a.length);
  return `${route}: ${usual}${others.map(([status, names]) => `; ${status} ${names.join(', ')}`).join('')}`;
}

/** The routes of an app, each once. */
export function routesOf(app: { readonly routes: readonly { readonly method: string; readonly path: string }[] }) {
  const named = app.routes.filter(({ method }) => method !== 'ALL').map(({ method, path }) => `${method} ${path}`);
  return [...new Set(named)];
}

/** The parts of a request that an app takes. */
export function requestOf(method: string, { path, body, headers = {} }: RouteRequest): Request {
  const hasBody = method === 'POST' || method === 'PUT' || body !== undefined;
  const isRaw = typeof body === 'string' || body instanceof Uint8Array;
  const content = isRaw ? body : JSON.stringify(body ?? {});
  const sent = { 'Content-Type': 'application/json', ...headers };
  return new Request(`https://localhost${path}`, { method, headers: sent, ...(hasBody ? { body: content } : {}) });
}
