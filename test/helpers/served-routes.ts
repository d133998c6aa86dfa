import { createConsoleApp } from '../../shared/http/console/console-app.ts';
import { createOperatorApi } from '../../shared/http/console/operator-api.ts';
import { endpointsFor } from '../../shared/http/endpoints.ts';
import { createAccessApp } from '../../shared/http/operator/access-app.ts';
import { createOrchestratorApp } from '../../shared/http/operator/orchestrator-app.ts';
import { systemClock } from '../../shared/store/system-clock.ts';
import type { PortName } from './local-site.ts';

/** A route that may have a body. */
export interface ServedRoute {
  readonly port: PortName;
  readonly method: string;
  /** The pattern of its path. */
  readonly pattern: string;
  /** A path that fits. */
  readonly path: string;
}

const WITH_BODY = ['POST', 'PUT'];

const VALUES: Readonly<Record<string, string>> = { environment: 'production', id: '1', uuid: crypto.randomUUID() };

/** The routes of a server of `npm start` that may have a body, as its apps have them. */
export function listServedRoutes(certname: string): readonly ServedRoute[] {
  const { access, orchestrator, operators, console: own, frontDoor } = listAppPatterns();
  const inventory = ['/pdb/query/v4', '/pdb/query/v4/nodes', '/pdb/query/v4/reports'].map(
    (path) => ['POST', path] as const,
  );
  const commands = ['replace_facts', 'replace_catalog', 'store_report', ''].map((command) => {
    const parameters = command === '' ? '' : `?command=${command}&version=${VERSIONS[command]}&certname=${certname}`;
    return ['POST', `/pdb/cmd/v1${parameters}`] as const;
  });
  const byPort: readonly (readonly [PortName, readonly (readonly [string, string])[]])[] = [
    ['frontDoor', frontDoor],
    ['access', access],
    ['orchestrator', orchestrator],
    // The other routes of the APIs that it mounts are at their own ports.
    [
      'console',
      [...operators, ...own, ...[access, orchestrator, inventory].flatMap((one) => one.filter(hasBody).slice(0, 3))],
    ],
    ['inventory', [...inventory, ...commands]],
    ['inventoryTls', [...inventory, ...commands]],
    [
      'broker',
      [
        ['POST', '/status/v1/simple'],
        ['POST', '/pcp2/agent'],
      ],
    ],
  ];
  return byPort.flatMap(([port, patterns]) =>
    patterns.filter(hasBody).map(([method, pattern]) => ({ port, method, pattern, path: fill(pattern, certname) })),
  );
}

type Pattern = readonly [method: string, path: string];

/** The patterns of the apps' routes. */
export function listAppPatterns(): Readonly<
  Record<'access' | 'orchestrator' | 'operators' | 'console' | 'frontDoor', readonly Pattern[]>
> {
  // An app uses its services when a request comes.
  const services = { log: {}, clock: systemClock, stores: { clock: systemClock }, classifier: {} } as never;
  const ofConsole = { log: {}, clock: systemClock, access: {}, apis: [] } as never;
  return {
    access: patternsOf(createAccessApp(services)),
    orchestrator: patternsOf(createOrchestratorApp(services)),
    operators: patternsOf(createOperatorApi(services)),
    console: patternsOf(createConsoleApp(ofConsole)),
    frontDoor: endpointsFor('all').flatMap(({ methods, path }) => methods.map((method): Pattern => [method, path])),
  };
}

const VERSIONS: Readonly<Record<string, number>> = { replace_facts: 5, replace_catalog: 9, store_report: 8 };

function hasBody([method, pattern]: readonly [string, string]): boolean {
  return WITH_BODY.includes(method) && !pattern.startsWith('/*');
}

function patternsOf(app: { readonly routes: readonly { readonly method: string; readonly path: string }[] }) {
  const patterns = app.routes.map(({ method, path }) => `${method} ${path}`);
  return [...new Set(patterns)].map((one): readonly [string, string] => [
    one.split(' ')[0] ?? '',
    one.split(' ')[1] ?? '',
  ]);
}

function fill(pattern: string, certname: string): string {
  const path = pattern
    .replace(/:certname\b/g, certname)
    .replace(/:(\w+)(?:\{[^}]*\})?/g, (_, name: string) => VALUES[name] ?? 'x')
    .replace('file_bucket_file/*', `file_bucket_file/sha256/${'0'.repeat(64)}`)
    .replace('policies/*', 'policies/default')
    .replace('*', 'x');
  return path.startsWith('/puppet/') ? `${path}?environment=production` : path;
}
