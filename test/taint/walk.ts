import { readFileSync } from 'node:fs';
import { ADMINISTRATOR, type PortName, type SiteRequest } from '../helpers/local-site.ts';
import { listAppPatterns } from '../helpers/served-routes.ts';
import { OTHER, OWNER } from './code.ts';
import type { Search } from './search.ts';
import type { TaintedSite } from './tainted-site.ts';

/** Paths of the inventory: its app has no patterns. */
const INVENTORY = [
  ...['edges', 'inventory', 'packages', 'fact-names', 'fact-contents', 'fact-paths', 'catalog-input-contents'],
  ...['catalog-inputs', 'facts', 'resources', 'events', 'event-counts?summarize_by=certname', 'package-inventory'],
  ...['aggregate-event-counts?summarize_by=certname', 'nodes', 'catalogs', 'factsets', 'reports', 'environments'],
  ...['producers', `nodes/${OWNER}/resources`, `catalogs/${OWNER}`, `factsets/${OWNER}/facts`],
].map((path) => `/pdb/query/v4/${path}`);
const META = ['/pdb/meta/v1/version', '/status/v1/services', '/metrics/v2/list'];
const PQL = encodeURIComponent('inventory { certname ~ "." }');
/** What pages of the console ask for beyond the patterns of routes. */
const QUERIES = [
  ...[
    'nodes?limit=50&state=failing&sort=lastSeen&order=desc',
    `reports?certname=${OWNER}&limit=1`,
    'reports?status=changed',
  ],
  ...['changes?kind=groups', 'changes?kind=exports', 'deploys?limit=100', `nodes?query=${PQL}`],
  ...[
    `search?text=${OWNER}`,
    'facts/values?path=os.name',
    'environments/production/code?path=data/plain.yaml',
    'environments/production/keys/readers?key=plain',
    'groups/classes?environment=production',
  ],
].map((rest) => `/understudy/v1/${rest}`);
const MORE = [
  `/pdb/query/v4?query=${PQL}`,
  `/classifier-api/v1/nodes/${OWNER}`,
  '/orchestrator/v1/scheduled_jobs/environment_jobs?limit=500',
  '/orchestrator/v1/tasks?environment=production',
  '/orchestrator/v1/jobs?limit=50&type=task',
];
const ACTIVITIES = ['v1/events', 'v1/events.csv', 'v2/events'].map((path) => `/activity-api/${path}?service_id=rbac`);
const BROKER = ['/status/v1/simple', '/status/v1/services', '/status/v1/services?level=debug'];
/** Pages of the console, with each parameter of their patterns as an `x`, and what they load. */
const ROUTES = readFileSync(new URL('../../shared/console/client/routes.tsx', import.meta.url), 'utf8');
const PAGES = [
  ...['/', '/console'],
  ...[...ROUTES.matchAll(/pattern: '([^']+)'/g)].map(([, path = '']) => `/console${path.replaceAll(/:\w+\??/g, 'x')}`),
];
const LOG_INS = ['/console/session', '/console/log-ins', '/saml/v1/meta', '/saml/v1/login', '/saml/v1/slo'];
const ASSETS = /(?:src|href)="(\/console\/[^"]+)"/g;

/** A stream, which does not end: `watchEvents` reads it. */
const ENDLESS = '/understudy/v1/events';

/** A path to ask for. */
interface Place {
  readonly port: PortName;
  readonly pattern: string;
  readonly path: string;
}

/** What parameters of paths may be, by the parameter and then the path. */
export type PathValues = Readonly<Record<string, readonly string[]>>;

/** All paths of a pattern, with each value of each parameter. */
function fill(pattern: string, values: PathValues): readonly string[] {
  const parameter = /:(\w+)(?:\{(?:[^{}]|\{[^{}]*\})*\})?|\*/.exec(pattern);
  if (parameter === null) return [pattern];
  const prefix = /([\w-]+)\/?$/.exec(pattern.slice(0, parameter.index))?.[1] ?? '';
  const name = parameter[1] ?? '*';
  return (values[`${prefix}/${name}`] ?? values[name] ?? ['x']).flatMap((value) =>
    fill(pattern.replace(parameter[0], value), values),
  );
}

/** All GET routes of all ports. */
function listPlaces(values: PathValues): readonly Place[] {
  const { access, orchestrator, operators, frontDoor } = listAppPatterns();
  const gets = (port: PortName, patterns: readonly (readonly [string, string])[]) =>
    patterns.filter(([method]) => method === 'GET').map(([, pattern]) => ({ port, pattern }));
  const plain = (port: PortName, paths: readonly string[]) => paths.map((pattern) => ({ port, pattern }));
  const routes = [
    ...gets('frontDoor', frontDoor),
    ...gets('access', access),
    ...gets('orchestrator', orchestrator),
    ...gets('console', [...operators, ...access, ...orchestrator]),
    ...plain('console', [...INVENTORY, ...QUERIES, ...MORE, ...PAGES, ...LOG_INS]),
    ...plain('access', ACTIVITIES),
    ...plain('inventory', [...INVENTORY, ...META]),
    ...plain('inventoryTls', [...INVENTORY, ...META]),
    ...plain('broker', BROKER),
  ];
  return routes
    .filter(({ pattern }) => pattern !== ENDLESS && !pattern.startsWith('/*'))
    .flatMap(({ port, pattern }) => {
      const paths = fill(pattern, values);
      // The console mounts the apps of other ports.
      return (port === 'console' ? paths.slice(0, 4) : paths).map((path) => ({ port, pattern, path }));
    });
}

/** Who asks, by name. */
function listIdentities(
  tainted: TaintedSite,
  { port, path }: Place,
): readonly (readonly [string, Partial<SiteRequest>])[] {
  const nobody = ['nobody', {}] as const;
  const other = ['another node', { who: OTHER }] as const;
  if (port === 'inventory') return [nobody];
  if (port === 'broker') return [nobody, other];
  if (port === 'frontDoor') return [nobody, other, ['an administrator', { who: ADMINISTRATOR }]];
  const users = [...tainted.tokens, ['an administrator', tainted.token] as const].map(
    ([name, token]) => [name, { headers: [['X-Authentication', token]] }] as const,
  );
  const isForNodes = port === 'inventoryTls' || path.startsWith('/console');
  return isForNodes ? [nobody, other, ...users] : [nobody, ...users];
}

/**
 * Asks for all paths as each identity, and looks at the answers. Returns the patterns that answered
 * nobody with 200, each with the statuses of its last path.
 */
export async function walkRoutes(
  tainted: TaintedSite,
  search: Search,
  values: PathValues,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const unanswered = new Map<string, readonly number[]>();
  const answered = new Set<string>();
  for (const place of listPlaces(values)) {
    const { port, pattern, path } = place;
    const full = path.startsWith('/puppet/') ? `${path}?environment=production` : path;
    const answers = await Promise.all(
      listIdentities(tainted, place).map(async ([name, more]) => {
        const { status, body } = await tainted.site.ask({ port, path: full, ...more });
        search.look(`answer ${port} ${pattern} of ${name}`, body);
        return status;
      }),
    );
    const route = `${port} ${pattern}`;
    if (answers.some((status) => status === 200 || status === 204 || status === 302)) answered.add(route);
    else unanswered.set(route, answers);
  }
  return new Map([...unanswered].filter(([route]) => !answered.has(route)));
}

/** Looks at what the page of the console loads beside APIs. Returns how many files it has. */
export async function walkAssets({ site }: TaintedSite, search: Search): Promise<number> {
  const { body } = await site.ask({ port: 'console', path: '/console/' });
  const paths = [...body.matchAll(ASSETS)].map(([, path = '']) => path);
  for (const path of paths) {
    const { status, body: asset } = await site.ask({ port: 'console', path });
    if (status === 200) search.look(`answer console ${path} of nobody`, asset);
  }
  return paths.length;
}

/** Follows the events that a user sees, until the function that it returns is called. */
export async function watchEvents(tainted: TaintedSite, search: Search): Promise<() => void> {
  const socket = await tainted.site.dial('console', ADMINISTRATOR);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  const token = tainted.tokens.get('Viewers') ?? '';
  socket.write(`GET ${ENDLESS} HTTP/1.1\r\nHost: localhost\r\nX-Authentication: ${token}\r\n\r\n`);
  return () => {
    socket.destroy();
    search.look('answer console events of Viewers', Buffer.concat(chunks));
  };
}
