import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { switchEnvironment } from '../../shared/fleet/code/deploy.ts';
import { settleEnvironment } from '../../shared/fleet/fan-out/settle-environment.ts';
import { type AwsClients, openAwsStores } from '../../shared/store/aws/stores.ts';
import { revisionToken } from '../../shared/store/ports/environment-store.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { inParallel } from '../../shared/util/in-parallel.ts';
import { deployNames, startEmulators } from '../helpers/aws-emulators.ts';
import { deployFolder, prepareFolder } from '../helpers/deploy-folder.ts';
import { type Measure, measureOf } from './measure.ts';
import { CHANGES, dataOf, inputsOf, ROOT, setOf } from './simulated-fleet.ts';

const NODES = 10_000;
const ROLES = 200;
const AT_ONCE = 32;
const HOUR_MS = 3600_000;
const TOKEN = '1';

/**
 * Invalidates a fleet of current nodes for a change of all of them, with the stores of AWS over
 * emulators of DynamoDB, S3 and SQS. Counts the requests to DynamoDB and to all three. Each node
 * must be invalidated exactly once.
 */
export async function measureDynamoDeploy(nodes = NODES, roles = ROLES): Promise<readonly Measure[]> {
  const emulators = await startEmulators();
  const repo = mkdtempSync(join(tmpdir(), 'understudy-fleet-'));
  try {
    const names = await deployNames(emulators.clients, { visibilityMs: HOUR_MS, maxReceives: 5 });
    const stores = openAwsStores(names, emulators.clients);
    await createFleet(stores, repo, nodes, roles);
    write(repo, CHANGES.module);
    const { codeId } = await prepareFolder(stores, repo, 'production');
    await switchEnvironment(stores, 'production', codeId, 'measure');
    const requests = countRequests(emulators.clients);
    const { count, isSettled } = await settleEnvironment('production', stores, HOUR_MS);
    const [tables, all] = [requests.dynamodb, Object.values(requests).reduce((sum, one) => sum + one, 0)];
    await expectInvalidatedOnce(stores, nodes);
    if (count !== nodes || !isSettled) throw new Error(`${count} of ${nodes} nodes were invalidated`);
    return [
      measureOf('deploy.requests_per_node.dynamodb', tables / nodes, 'requests/node'),
      measureOf('deploy.requests_per_node.aws', all / nodes, 'requests/node'),
    ];
  } finally {
    await emulators.close();
    rmSync(repo, { recursive: true });
  }
}

/** Deploys the code, and makes nodes that are current, as compiles would leave them. */
async function createFleet(stores: Stores, repo: string, nodes: number, roles: number): Promise<void> {
  write(repo, { [`${ROOT}/manifests/site.pp`]: '', [`${ROOT}/modules/base/manifests/init.pp`]: 'class base { }' });
  write(repo, { [`${ROOT}/data/common.yaml`]: dataOf('first') });
  const sets = Array.from({ length: roles }, (_, role) => setOf(role));
  for (const [role, set] of sets.entries()) {
    write(repo, { [`${ROOT}/modules/role_${role}/manifests/init.pp`]: `class role_${role} { }` });
    await stores.dependencies.define(set);
  }
  await deployFolder(stores, repo, 'production', 'measure');
  const environment = await stores.environments.get('production');
  const revision = environment && revisionToken(environment);
  await inParallel(AT_ONCE, Array.from({ length: nodes }).keys(), async (index) => {
    const certname = `n${String(index).padStart(7, '0')}.example.com`;
    const set = sets[index % roles]?.id ?? '';
    await createNode(stores, certname, set, revision);
  });
}

async function createNode(stores: Stores, certname: string, set: string, revision: string | null): Promise<void> {
  const { nodes, dependencies } = stores;
  const common = { certname, environment: 'production', generation: 1, at: 1 };
  await nodes.markSeen(certname, 'production', 1);
  await nodes.want(certname, 'first catalog', 1, { asked: true });
  const ownPaths = [`${ROOT}/data/nodes/${certname}.yaml`];
  await dependencies.register({ ...common, joins: { set, token: TOKEN }, leaves: null, ownPaths });
  const inputs = inputsOf(certname, set);
  const catalog = { hash: '0'.repeat(64), codeId: null, namedCode: [], compiledAt: 1, durationMs: 1, exported: '' };
  if (!(await nodes.commit({ ...common, catalog, failure: null, inputs, revision }))) {
    throw new Error(`${certname} was not committed`);
  }
}

/** Counts by service from now on. */
function countRequests(clients: AwsClients): Record<keyof AwsClients, number> {
  const counts = { dynamodb: 0, s3: 0, sqs: 0 };
  for (const [service, client] of Object.entries(clients)) {
    // The clients differ only in the types of their commands.
    (client as AwsClients['sqs']).middlewareStack.add(
      (next) => (args) => {
        counts[service as keyof AwsClients] += 1;
        return next(args);
      },
      { step: 'finalizeRequest', name: 'count' },
    );
  }
  return counts;
}

async function expectInvalidatedOnce({ nodes }: Stores, count: number): Promise<void> {
  let invalidated = 0;
  for (let after: string | null = null; ; ) {
    const page = await nodes.list(after, 500);
    for (const { wanted, certname } of page) {
      if (wanted !== 2) throw new Error(`${certname} wants generation ${wanted}`);
      invalidated += 1;
    }
    after = page.at(-1)?.certname ?? null;
    if (after === null || page.length < 500) break;
  }
  if (invalidated !== count) throw new Error(`${invalidated} of ${count} nodes are there`);
}

function write(repo: string, files: Readonly<Record<string, string>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), content);
  }
}
