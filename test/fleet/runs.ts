import { RECORDS_MS } from '../../shared/config/front-doors.ts';
import { openFrontDoor } from '../../shared/http/front-door.ts';
import { CompileWorld } from '../helpers/compile-world.ts';
import { createPeer } from '../helpers/http-services.ts';
import { CountingStores } from './counting-stores.ts';
import { type Measure, measureOf } from './measure.ts';

const NODE = 'web01.example.com';
const ENVIRONMENT = 'environment=production';
const LISTING =
  'checksum_type=sha256&ignore=.svn&ignore=CVS&ignore=.git&ignore=.hg&links=follow&recurse=true&source_permissions=ignore';
const LISTED = ['pluginfacts', 'plugins', 'locales'];

/** The store of a port's call: what it is billed as in AWS. */
const STORES = {
  dynamodb: /^(nodes|groups|exports|environments|documents|dependencies)\./,
  s3: /^blobs\./,
  sqs: /^(queue|fanOut)/,
} as const;

/**
 * Counts the store requests of one agent run in which nothing changed: the node, the listings, the
 * catalog from the store, and an unchanged report.
 */
export async function measureRuns(): Promise<readonly Measure[]> {
  const world = new CompileWorld();
  try {
    world.write({ 'environments/production/manifests/site.pp': '', 'environments/production/lib/facter/x.rb': '#' });
    world.addScript(NODE, { facts: [['os']] });
    await world.deploy();
    const counting = new CountingStores(world.stores);
    const door = await openFrontDoor(counting.stores, {
      settings: { recordsMs: RECORDS_MS },
      authorityName: 'understudy.example.com',
      autosign: true,
      log: { logError: (message, cause) => process.stderr.write(`${message}: ${String(cause)}\n`) },
    });
    const ask = createAgent(door.app);
    // The first run compiles; the second fills the front door's caches.
    await Promise.all([ask(), keepWorking(world)]);
    await ask();
    counting.reset();
    await ask();
    const rows = Object.entries(STORES).map(([store, pattern]) =>
      measureOf(`run.requests.${store}`, counting.sum(pattern), 'requests/run'),
    );
    return [measureOf('run.requests', counting.sum(), 'requests/run'), ...rows];
  } finally {
    world.close();
  }
}

type App = Awaited<ReturnType<typeof openFrontDoor>>['app'];

/** Returns a function that does one run of an agent; it throws unless all answers are 200. */
function createAgent(app: App): () => Promise<void> {
  const request = async (method: string, path: string, body?: string) => {
    const headers = {
      'Content-Type': 'application/json',
      Accept: 'application/vnd.puppet.rich+json, application/json',
    };
    const init = body === undefined ? { method, headers: { Accept: headers.Accept } } : { method, headers, body };
    const response = await app.request(path, init, { peer: createPeer(NODE) });
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
  };
  const facts = JSON.stringify({ name: NODE, values: { os: 'linux', uptime: 5 } });
  const report = JSON.stringify({
    host: NODE,
    status: 'unchanged',
    noop: false,
    metrics: {},
    logs: [],
    resource_statuses: {},
  });
  return async () => {
    await request('GET', `/puppet/v3/node/${NODE}?${ENVIRONMENT}&configured_environment=production`);
    for (const mount of LISTED) await request('GET', `/puppet/v3/file_metadatas/${mount}?${ENVIRONMENT}&${LISTING}`);
    const form = new URLSearchParams({ environment: 'production', facts_format: 'application/json', facts });
    const response = await app.request(
      `/puppet/v3/catalog/${NODE}?${ENVIRONMENT}`,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'application/vnd.puppet.rich+json' },
        body: form.toString(),
      },
      { peer: createPeer(NODE) },
    );
    if (response.status !== 200) throw new Error(`the catalog: ${response.status} ${await response.text()}`);
    await response.arrayBuffer();
    await request('PUT', `/puppet/v3/report/${NODE}?${ENVIRONMENT}`, report);
  };
}

/** Processes jobs until the node was compiled. */
async function keepWorking(world: CompileWorld): Promise<void> {
  while (!(await world.runJobs()).some(({ outcome }) => outcome === 'compiled')) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
