import type { Hono } from 'hono';
import type { Bindings, HttpContext } from './endpoint.ts';

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/** One path of a door, and what answers it. */
export interface Route<in Services, in Request = HttpContext, Answer = Response> {
  readonly methods: readonly Method[];
  readonly path: string;
  handle(request: Request, services: Services): Promise<Answer>;
}

/** Creates a route; `handle` answers requests of these methods. */
export function createRoute<Services, Request = HttpContext, Answer = Response>(
  methods: Method | readonly Method[],
  path: string,
  handle: (request: Request, services: Services) => Promise<Answer>,
): Route<Services, Request, Answer> {
  return { methods: [methods].flat(), path, handle };
}

/** Has an application answer routes by `serve`; their paths are below `base`. */
export function mountRoutes<R extends Pick<Route<never>, 'methods' | 'path'>>(
  app: Hono<{ Bindings: Bindings }>,
  routes: readonly R[],
  serve: (route: R, context: HttpContext) => Response | Promise<Response>,
  base = '',
): void {
  for (const route of routes) app.on([...route.methods], `${base}${route.path}`, (context) => serve(route, context));
}
