import type { Hono } from 'hono';
import type { Bindings, HttpContext } from './endpoint.ts';

/** One path of a door, and what answers it. */
export interface Route<in Services, in Request = HttpContext, Answer = Response> {
  readonly methods: readonly ('GET' | 'POST' | 'PUT' | 'DELETE')[];
  readonly path: string;
  handle(request: Request, services: Services): Promise<Answer>;
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
