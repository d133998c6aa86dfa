/**
 * `node test/bench/console-requests.ts [nodes]`: the server time of the requests that the console's
 * pages make, with so many nodes in the embedded store (100,000 by default).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CatalogService } from '../../shared/fleet/catalogs/catalog-service.ts';
import { GroupService } from '../../shared/fleet/groups/group-service.ts';
import { ROOT_ID } from '../../shared/fleet/groups/node-group.ts';
import { FleetOverview } from '../../shared/fleet/overview/fleet-overview.ts';
import { KEPT_VALUES } from '../../shared/fleet/values/kept-value-list.ts';
import { createOperatorApi } from '../../shared/http/console/operator-api.ts';
import { FileServer } from '../../shared/http/files/file-server.ts';
import { NodeSearch } from '../../shared/http/node-search.ts';
import { createAccessApp } from '../../shared/http/operator/access-app.ts';
import { createClassifierServices } from '../../shared/http/operator/classifier-services.ts';
import { ShadowComparisons } from '../../shared/http/upstream/shadow-comparisons.ts';
import { openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import { systemSecrets } from '../../shared/store/system-secrets.ts';
import { openAccessWorld } from '../helpers/access-world.ts';
import { listClasses, NO_FORMS } from '../helpers/classifier-door.ts';
import { fillFleet } from '../helpers/console/filled-fleet.ts';
import { ADMIN_GRANTS, FixedAccess } from '../helpers/fixed-access.ts';
import { httpServices } from '../helpers/http-services.ts';

const COUNT = Number(process.argv[2] ?? 100_000);
const ROUNDS = 9;
const folder = mkdtempSync(join(tmpdir(), 'understudy-console-bench-'));

const PATHS: readonly (readonly [name: string, path: string, body?: object])[] = [
  ['overview', '/understudy/v1/overview'],
  ['activity', '/understudy/v1/activity'],
  ['nodes', '/understudy/v1/nodes'],
  ['nodes, stale', '/understudy/v1/nodes?state=stale&limit=100'],
  ['nodes, searched', '/understudy/v1/nodes?search=9999&limit=100'],
  ['nodes, by last check-in', '/understudy/v1/nodes?sort=lastSeen&order=desc&limit=500'],
  ['overview: work by the hour', '/understudy/v1/overview/hours'],
  ['search', '/understudy/v1/search?text=9999'],
  ['nodes, half by a query', '/understudy/v1/nodes?query=nodes%20{}&limit=100'],
  ['changes', '/understudy/v1/changes'],
  ['node', '/understudy/v1/nodes/n000001.example.com'],
  ['node: inputs', '/understudy/v1/nodes/n000001.example.com/inputs'],
  ['node: catalog', '/understudy/v1/nodes/n000001.example.com/catalog'],
  ['node: previous catalog', '/understudy/v1/nodes/n000001.example.com/catalog/previous'],
  ['node: history', '/understudy/v1/nodes/n000001.example.com/history'],
  ['node: runs', '/understudy/v1/nodes/n000001.example.com/runs'],
  ['node: facts', '/understudy/v1/nodes/n000001.example.com/facts'],
  ['node: changed facts', '/understudy/v1/nodes/n000001.example.com/facts/changes'],
  ['failures', '/understudy/v1/failures'],
  ['saved queries', '/understudy/v1/queries'],
  ['entities of PQL', '/understudy/v1/queries/schema'],
  ['reports', '/understudy/v1/reports'],
  ['queue', '/understudy/v1/queue'],
  ['dead letters', '/understudy/v1/dead-letters'],
  ['certificates', '/understudy/v1/certificates'],
  ['environments', '/understudy/v1/environments'],
  ['deploys', '/understudy/v1/deploys'],
  ['code', '/understudy/v1/environments/production/code?path=manifests/site.pp'],
  ['diff, whose nodes are all', '/understudy/v1/environments/production/diff'],
  ['comparisons', '/understudy/v1/comparisons'],
  ['values', '/understudy/v1/values'],
  [
    'preview of a group',
    '/understudy/v1/groups/preview',
    { name: 'Web', parent: ROOT_ID, classes: {}, rule: ['~', 'name', '[02468]'], variables: { zone: 'a' } },
  ],
  // Each goes on after its answer: the last row.
  ['rotation, of half', '/understudy/v1/environments/production/values/rotate', { name: 'app/password' }],
];

function median(all: readonly number[]): string {
  return (all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0).toFixed(1);
}

async function main(): Promise<void> {
  await fillFleet(folder, COUNT);
  const stores = openEmbeddedStores(folder);
  const fleet = new FleetOverview(stores, {
    changes: stores.nodeChanges,
    readDepth: () => stores.queue.getDepth(),
    readAnswers: async () => ({}),
    reportFailure: console.error,
  });
  // The inventory's own time is that of `npm run bench -- --inventory`.
  const half = Array.from({ length: COUNT / 2 }, (_, n) => `n${String(2 * n).padStart(6, '0')}.example.com`);
  const search = new NodeSearch({ find: async () => half }, stores.clock);
  const world = openAccessWorld();
  await world.addUser('alice', [1]);
  const token = await world.tokenOf('alice');
  const log = { logError: console.error };
  const compileNothing = { accept: async () => ({ kind: 'unknown' }) } as unknown as CatalogService;
  const shadows = new ShadowComparisons({ ...stores, catalogs: compileNothing, log });
  const { services } = await httpServices({
    shadows,
    ...stores,
    fleet,
    files: new FileServer(stores.environments, stores.blobs),
    search,
    access: new FixedAccess({ admin: ADMIN_GRANTS }),
  });
  const app = createOperatorApi(services);
  const groups = new GroupService({ ...stores, secrets: systemSecrets }, listClasses({}));
  const accessApp = createAccessApp({
    ...{ access: world.access, isRevoked: async () => false, clock: stores.clock, log },
    classifier: createClassifierServices(stores, { groups, forms: NO_FORMS }, log),
  });
  const began = performance.now();
  const heap = process.memoryUsage().rss;
  await fleet.watch.step();
  const grown = (process.memoryUsage().rss - heap) / 2 ** 20;
  console.log(
    `${COUNT} nodes; first view after ${Math.round(performance.now() - began)} ms, ${Math.round(grown)} MB more`,
  );
  const step = performance.now();
  await fleet.watch.step();
  console.log(`a look for changes: ${Math.round(performance.now() - step)} ms`);
  const keep = () =>
    stores.documents.put(KEPT_VALUES, 'production/app/password', {
      environment: 'production',
      name: 'app/password',
      version: 'v1',
      changedAt: 1,
      by: 'n0',
    });
  for (const [name, path, body] of PATHS) {
    const times: number[] = [];
    const cpu: number[] = [];
    let size = 0;
    let status = 0;
    let isComplete = '';
    for (let round = 0; round < ROUNDS; round += 1) {
      if (path.endsWith('/rotate')) await keep();
      const at = performance.now();
      const used = process.cpuUsage();
      const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
      const isAccess = path.startsWith('/understudy/v1/groups/');
      const headers = { 'X-Authentication': isAccess ? token : 'admin', 'Content-Type': 'application/json' };
      const served = isAccess ? accessApp : app;
      const answer = await served.request(path, { headers, ...sent }, { peer: null });
      const bytes = await answer.text();
      size = bytes.length;
      isComplete = /"isComplete":(true|false)/.exec(bytes)?.[1] ?? '-';
      status = answer.status;
      times.push(performance.now() - at);
      const { user, system } = process.cpuUsage(used);
      cpu.push((user + system) / 1000);
    }
    const describe = (all: readonly number[]) => `first ${(all[0] ?? 0).toFixed(0)} ms, median ${median(all)} ms`;
    console.log(
      `${name.padEnd(26)} ${status}  ${describe(times)}; CPU ${describe(cpu)}; ${size} bytes, complete: ${isComplete}`,
    );
  }
  await fleet.stop();
  stores.close();
  rmSync(folder, { recursive: true });
}

await main();
process.exit(0);
