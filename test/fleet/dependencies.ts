import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { processCompileJob } from '../../shared/fleet/compiles/process-compile-job.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../shared/fleet/dependencies/dependency-cache.ts';
import { storeFacts } from '../../shared/fleet/facts/facts-blob.ts';
import { SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { compile } from '../../shared/puppet/compiler/compile.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import { type AwsClients, openAwsStores } from '../../shared/store/aws/stores.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { RecentEnvironments } from '../../shared/store/recent-environments.ts';
import { deployNames, startEmulators } from '../helpers/aws-emulators.ts';
import { hashOf } from '../helpers/compile-world.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { type Measure, measureOf } from './measure.ts';

const NODES = ['web01.example.com', 'web02.example.com', 'web03.example.com'] as const;
const [FIRST, SECOND, THIRD] = NODES;

/**
 * Counts the rows of the dependency index and the requests of verifications, on the adapters for
 * AWS: a role of some modules, data by node, and nodes of that role one after the other.
 */
export async function measureDependencies(modules = 40): Promise<readonly Measure[]> {
  const emulators = await startEmulators();
  const repo = mkdtempSync(join(tmpdir(), 'understudy-fleet-'));
  try {
    const names = await deployNames(emulators.clients, { visibilityMs: 30_000, maxReceives: 3 });
    const counter = new RequestCounter(emulators.clients, names.UNDERSTUDY_DEPENDENCIES_TABLE ?? '');
    const fleet = new SmallFleet(openAwsStores(names, emulators.clients), repo, counter);
    return await fleet.measure(Array.from({ length: modules }, (_, n) => `m${n}`));
  } finally {
    rmSync(repo, { recursive: true });
    await emulators.close();
  }
}

class SmallFleet {
  readonly #stores: Stores;
  readonly #repo: string;
  readonly #counter: RequestCounter;
  readonly #context: WorkerContext;

  constructor(stores: Stores, repo: string, counter: RequestCounter) {
    this.#stores = stores;
    this.#repo = repo;
    this.#counter = counter;
    const snapshots = new SnapshotCache(stores.blobs);
    this.#context = {
      stores,
      // A lap of the ring meets many nodes in a second.
      recentEnvironments: new RecentEnvironments(stores.environments, stores.clock, Number.POSITIVE_INFINITY),
      snapshots,
      dependencies: new DependencyCache(stores.blobs, snapshots.parsed.data),
      compile,
      settings: DEFAULT_COMPILE_SETTINGS,
      server: { name: 'puppet', ip: null, release: '0' },
      limitMs: 60_000,
    };
  }

  async measure(modules: readonly string[]): Promise<readonly Measure[]> {
    this.#write(listFiles(modules));
    await this.#deploy();
    const role = await this.#compile(FIRST);
    const node = await this.#compile(SECOND);
    this.#write({ 'data/common.yaml': 'm0::text: other\n', 'modules/m1/files/a.txt': 'other' });
    await this.#deploy();
    const recompile = await this.#compile(FIRST);
    this.#write({
      'modules/m2/manifests/init.pp': classOf('m2', `file('m2/a.txt', 'm2/more.txt') file('m2/new.txt')`),
    });
    this.#write({ 'modules/m2/files/new.txt': 'new' });
    await this.#deploy();
    const path = await this.#compile(FIRST);
    await this.#compile(THIRD);
    const verify = await this.#verify(THIRD);
    return [
      measureOf('dependencies.rows_per_new_role', role.rows, 'rows'),
      measureOf('dependencies.rows_per_new_node', node.rows, 'rows/node'),
      measureOf('dependencies.requests_per_new_node', node.requests, 'requests/node'),
      measureOf('dependencies.rows_per_recompile', recompile.rows, 'rows/node'),
      measureOf('dependencies.rows_per_new_path', path.rows, 'rows/node'),
      measureOf('verify.requests', verify, 'requests/node'),
    ];
  }

  async #deploy(): Promise<void> {
    await deployFolder(this.#stores, this.#repo, 'production', 'fleet');
  }

  /** Compiles a node; returns the rows and requests of the dependency index. */
  async #compile(certname: string): Promise<{ readonly rows: number; readonly requests: number }> {
    const { nodes, blobs } = this.#stores;
    await nodes.markSeen(certname, 'production', 1);
    const said = { facts: hashOf({ os: { family: 'Debian' } }), trusted: hashOf({ certname }) };
    const facts = await storeFacts(blobs, said, 1);
    const wanted = (await nodes.want(certname, 'fleet', 1, { asked: true, facts }))?.wanted ?? 0;
    this.#counter.reset();
    const job = { certname, generation: wanted, reason: 'fleet', at: 1 };
    const { outcome, reasons } = await processCompileJob(job, this.#context);
    if (outcome !== 'compiled') throw new Error(`${certname}: ${outcome} ${reasons.join(', ')}`);
    return { rows: this.#counter.rows, requests: this.#counter.dependencyRequests };
  }

  /** Verifies a node on a lap of the ring; returns the most requests of several laps. */
  async #verify(certname: string): Promise<number> {
    const requests: number[] = [];
    for (let lap = 0; lap < 4; lap += 1) {
      this.#counter.reset();
      const job = { certname, generation: Number.MAX_SAFE_INTEGER, reason: 'ring', at: 1 };
      const { outcome } = await processCompileJob(job, this.#context);
      if (outcome !== 'verified') throw new Error(`${certname}: ${outcome}`);
      // The first lap reads the environment's record for all nodes of a second.
      if (lap > 0) requests.push(this.#counter.requests);
    }
    return Math.max(...requests);
  }

  #write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      const file = join(this.#repo, 'environments/production', path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

function listFiles(names: readonly string[]): Record<string, string> {
  const modules = names.flatMap((name) => [
    [`modules/${name}/manifests/init.pp`, classOf(name, `file('${name}/a.txt', '${name}/more.txt')`)],
    [`modules/${name}/files/a.txt`, name],
    [`modules/${name}/templates/page.epp`, '<%- | $text | -%><%= $text %>'],
  ]);
  return {
    ...Object.fromEntries(modules),
    'environment.conf': 'modulepath = modules\n',
    'hiera.yaml': `---
version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: layers, paths: ["nodes/%{trusted.certname}.yaml", "os/%{facts.os.family}.yaml", common.yaml] }
`,
    'data/common.yaml': 'm0::text: common\n',
    'manifests/site.pp': `include ${names.join(', ')}\n`,
  };
}

function classOf(name: string, files: string): string {
  const contents = files.split(/ (?=file\()/).map((file) => `notify { "${name} \${${file}}": }`);
  return `class ${name}(String $text = 'x') { ${contents.join(' ')}
    notify { epp('${name}/page.epp', { 'text' => "${name} \${text}" }): } }`;
}

/** Counts what the SDK's clients send. */
class RequestCounter {
  requests = 0;
  /** Requests that name the dependency table, and rows that they write. */
  dependencyRequests = 0;
  rows = 0;
  readonly #table: string;

  constructor(clients: AwsClients, table: string) {
    this.#table = table;
    for (const client of [clients.dynamodb, clients.s3, clients.sqs]) this.#listen(client);
  }

  reset(): void {
    [this.requests, this.dependencyRequests, this.rows] = [0, 0, 0];
  }

  #listen(client: AwsClients[keyof AwsClients]): void {
    // The clients differ only in the types of their commands.
    (client as AwsClients['sqs']).middlewareStack.add(
      (next, { commandName = '' }) =>
        (args) => {
          this.#count(commandName, Object(args.input));
          return next(args);
        },
      { step: 'initialize', name: 'requests' },
    );
  }

  #count(command: string, { TableName, RequestItems }: Readonly<Record<string, unknown>>): void {
    this.requests += 1;
    const batch: unknown = Object(RequestItems)[this.#table];
    if (TableName !== this.#table && batch === undefined) return;
    this.dependencyRequests += 1;
    if (/^(Put|Update|Delete)/.test(command)) this.rows += 1;
    if (command.startsWith('BatchWrite') && Array.isArray(batch)) this.rows += batch.length;
  }
}
