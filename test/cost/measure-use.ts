import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ENVIRONMENT_VARIABLES } from '../../shared/config/deployment.ts';
import { prune } from '../../shared/fleet/code/prune.ts';
import { createWorkerContext } from '../../shared/fleet/compiles/create-worker-context.ts';
import { processCompileJob } from '../../shared/fleet/compiles/process-compile-job.ts';
import { DEFAULT_RING, feed } from '../../shared/fleet/compiles/ring.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { type FrontDoor, openFrontDoor } from '../../shared/http/front-door.ts';
import { frontDoorSettings } from '../../shared/http/front-door-settings.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { openAwsStores } from '../../shared/store/aws/stores.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { deployNames, startEmulators } from '../helpers/aws-emulators.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { createPeer } from '../helpers/http-services.ts';
import { LaterClock } from '../helpers/later-clock.ts';
import { CountingClients } from './counting-clients.ts';
import { combineUse, type MeasuredUse, NO_USE, type Use } from './use.ts';

const MODULES = 40;
const [FEW, MANY] = [3, 9];
const ENVIRONMENT = 'environment=production';
const LISTINGS = ['pluginfacts', 'plugins', 'locales'];
const LISTED = 'recurse=true&links=follow&checksum_type=sha256&source_permissions=ignore';

/** A small installation over the emulators, with nodes of one role. */
class Installation {
  readonly counting: CountingClients;
  readonly #folder = mkdtempSync(join(tmpdir(), 'understudy-cost-'));
  /** Starts only when code needs it, which none here does. */
  readonly #ruby = createWasmRuby();
  readonly #stores: Stores;
  readonly #door: FrontDoor;
  readonly #context: WorkerContext;
  readonly #clock: LaterClock;

  constructor(stores: Stores, door: FrontDoor, counting: CountingClients, clock: LaterClock) {
    this.#clock = clock;
    this.#stores = stores;
    this.#door = door;
    this.counting = counting;
    this.#context = createWorkerContext({
      stores,
      ruby: this.#ruby,
      processVariables: {},
      server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
      limitMs: 60_000,
    });
  }

  /** Deploys the control repo with this text in its common data, and compiles who uses it. */
  async deploy(text: string): Promise<void> {
    const modules = Array.from({ length: MODULES }, (_, index) => `part${index}`);
    this.#write('hiera.yaml', HIERA);
    this.#write('data/common.yaml', modules.map((name) => `${name}::text: '${text}'\n`).join(''));
    this.#write('manifests/site.pp', `include ${modules.join(', ')}\nnotify { "tier \${facts['tier']}": }\n`);
    for (const name of modules) {
      this.#write(
        `modules/${name}/manifests/init.pp`,
        `class ${name}(String $text) { file { "/etc/${name}": content => epp('${name}/a.epp') } }`,
      );
      this.#write(`modules/${name}/templates/a.epp`, `${name} <%= $facts['os'] %>\n`);
    }
    await deployFolder(this.#stores, this.#folder, 'production', 'test');
    await this.work();
  }

  /** Does all jobs: what SQS asks on behalf of the function is counted as it is here. */
  async work(): Promise<void> {
    for (;;) {
      const [received] = await this.#stores.queue.receive(1, 0);
      if (!received) return;
      await processCompileJob(received.job, this.#context);
      await this.#stores.queue.acknowledge(received);
    }
  }

  /** One run of an agent; its catalog is compiled meanwhile if it has to be. */
  async run(certname: string, tier: string): Promise<void> {
    await this.#ask(certname, 'GET', `node/${certname}?${ENVIRONMENT}`);
    for (const mount of LISTINGS) {
      await this.#ask(certname, 'GET', `file_metadatas/${mount}?${ENVIRONMENT}&${LISTED}`);
    }
    await this.check(certname, tier);
    await this.report(certname, 'unchanged');
  }

  async report(certname: string, status: 'unchanged' | 'changed'): Promise<void> {
    const report = { host: certname, status, noop: false, ...USUAL_REPORT, logs: [], resource_statuses: {} };
    await this.#ask(certname, 'PUT', `report/${certname}?${ENVIRONMENT}`, JSON.stringify(report), 'application/json');
  }

  /** Asks for the catalog. */
  async check(certname: string, tier: string, colour = 'blue'): Promise<void> {
    const facts = JSON.stringify({ name: certname, values: { os: 'Debian', tier, colour } });
    const form = new URLSearchParams({ environment: 'production', facts_format: 'application/json', facts });
    const path = `catalog/${certname}?${ENVIRONMENT}`;
    let isDone = false;
    const answer = this.#ask(certname, 'POST', path, form.toString(), 'application/x-www-form-urlencoded');
    const ended = answer.finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await this.work();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return ended;
  }

  /** Lets time pass, as between two runs of an agent. */
  async pass(minutes: number): Promise<void> {
    this.#clock.passed += minutes * 60_000;
    await this.#door.visits.flush();
  }

  /** One turn of the ring for all nodes. */
  async turnRing(): Promise<void> {
    await feed(this.#stores, { ...DEFAULT_RING, restMs: 0 });
    await this.work();
  }

  /** The pruning of a day. */
  async prune(): Promise<void> {
    await this.pass(24 * 60);
    await prune(this.#stores, { keepHistory: 50, keepCode: 14, keepReports: 30, keepBucket: 365 }, true);
  }

  /** Deletes the records of nodes. */
  async forget(certnames: readonly string[]): Promise<void> {
    for (const certname of certnames) await this.#stores.nodes.delete(certname);
  }

  remove(): void {
    this.#ruby.close();
    rmSync(this.#folder, { recursive: true });
  }

  #write(path: string, text: string): void {
    const file = join(this.#folder, 'environments/production', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  async #ask(certname: string, method: string, path: string, body?: string, type = 'text/plain'): Promise<void> {
    const headers = { 'Content-Type': type, Accept: 'application/vnd.puppet.rich+json, application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await this.#door.app.request(`/puppet/v3/${path}`, init, { peer: createPeer(certname) });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  }
}

/** What else a report of an agent has, as long as with Puppet 8. */
const USUAL_REPORT = {
  time: '2026-11-20T22:39:16.457356452+00:00',
  configuration_version: 1795213930,
  transaction_uuid: '7066351b-01bd-44ee-bee3-da977e224a81',
  report_format: 12,
  puppet_version: '8.10.0',
  environment: 'production',
  catalog_uuid: 'ae15e1c1-2cfd-46cd-8b97-faeaf414b764',
  code_id: 'c5b0d1dd6ea7cc9a9ae0dd8ba2b5b2c6e5d1f3a0',
  cached_catalog_status: 'not_used',
  metrics: {
    resources: { values: [['total', 'Total', 234]] },
    time: {
      values: [
        ...['file', 'package', 'service', 'user', 'group', 'exec', 'cron', 'schedule', 'filebucket', 'startup_time'],
        ...['plugin_sync', 'fact_generation', 'node_retrieval', 'convert_catalog', 'config_retrieval'],
        ...['transaction_evaluation', 'catalog_application', 'total'],
      ].map((name) => [name, name, 0.14649149000000003]),
    },
    changes: { values: [['total', 'Total', 0]] },
    events: { values: [['total', 'Total', 0]] },
  },
};

const HIERA = `version: 5
defaults: { datadir: data, data_hash: yaml_data }
hierarchy:
  - { name: node, path: "nodes/%{trusted.certname}.yaml" }
  - { name: common, path: common.yaml }
`;

/** Counts what one node's work asks of the stores, against the emulators. */
export async function measureUse(): Promise<MeasuredUse> {
  const emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
  const counting = new CountingClients(emulators.clients, names[ENVIRONMENT_VARIABLES.nodesTable] ?? '');
  const clock = new LaterClock();
  const stores = openAwsStores(names, emulators.clients, clock);
  const door = await openFrontDoor(stores, {
    ...frontDoorSettings({ variables: {}, readText: () => '' }),
    authorityName: 'understudy.example.com',
    awaitsReports: true,
    // As with an inventory: a run stores facts that changed, also where no compile needs them.
    keepFacts: { intervalMs: Number.POSITIVE_INFINITY, blocked: [] },
    log: { logError: (message, cause) => process.stderr.write(`${message}: ${String(cause)}\n`) },
  });
  const installation = new Installation(stores, door, counting, clock);
  try {
    return await measureAll(installation);
  } finally {
    installation.remove();
    await emulators.close();
  }
}

async function measureAll(installation: Installation): Promise<MeasuredUse> {
  const { counting } = installation;
  const certnames = Array.from({ length: MANY }, (_, index) => `web${index}.example.com`);
  const [first = ''] = certnames;
  await installation.deploy('first');
  for (const certname of certnames.slice(0, FEW)) await installation.run(certname, 'silver');
  await installation.turnRing();
  // The first compile of a process finds other first readers of some files than those after it.
  await installation.deploy('warm');
  // What a deploy and a round cost without regard to the nodes is the same for few and for many.
  const deployOfFew = await counting.during(() => installation.deploy('second'));
  const ringOfFew = await counting.during(() => installation.turnRing());
  for (const certname of certnames.slice(FEW)) await installation.run(certname, 'silver');
  await installation.turnRing();
  const deployOfMany = await counting.during(() => installation.deploy('third'));
  const ringOfMany = await counting.during(() => installation.turnRing());
  const { run, second } = await measureDay(installation, first, certnames[1] ?? '');
  const check = await counting.during(() => installation.check(first, 'silver'));
  const facts = await counting.during(() => installation.check(first, 'silver', 'red'));
  await installation.check(first, 'silver');
  const changed = await counting.during(() => installation.check(first, 'gold'));
  const unchanged = await counting.during(() => installation.report(first, 'unchanged'));
  const report = await counting.during(() => installation.report(first, 'changed'));
  await installation.prune();
  const pruneOfMany = await counting.during(() => installation.prune());
  await installation.forget(certnames.slice(FEW));
  const pruneOfFew = await counting.during(() => installation.prune());
  return {
    run,
    second,
    report: combineUse(report, unchanged, atLeastNothing),
    compile: combineUse(changed, check, atLeastNothing),
    deploy: ofOneNode(deployOfMany, deployOfFew),
    ring: ofOneNode(ringOfMany, ringOfFew),
    facts: combineUse(facts, check, atLeastNothing),
    prune: ofOneNode(pruneOfMany, pruneOfFew),
  };
}

/**
 * A virtual day of two nodes whose agents run every half hour, one right after the other: the
 * former also reads what the runs of a second share.
 */
async function measureDay(
  installation: Installation,
  former: string,
  latter: string,
): Promise<Pick<MeasuredUse, 'run' | 'second'>> {
  const { counting } = installation;
  const runs = 48;
  for (const certname of [former, latter]) await installation.run(certname, 'silver');
  let [all, own] = [NO_USE, NO_USE];
  for (let run = 0; run < runs; run += 1) {
    await installation.pass(30);
    all = combineUse(all, await counting.during(() => installation.run(former, 'silver')), sum);
    own = combineUse(own, await counting.during(() => installation.run(latter, 'silver')), sum);
  }
  await installation.pass(30);
  const second = combineUse(all, own, atLeastNothing);
  const mean = (use: Use) => combineUse(use, NO_USE, (total) => total / runs);
  return { run: mean(own), second: mean(second) };
}

function sum(a: number, b: number): number {
  return a + b;
}

function ofOneNode(many: Use, few: Use): Use {
  return combineUse(many, few, (a, b) => Math.max(0, a - b) / (MANY - FEW));
}

function atLeastNothing(a: number, b: number): number {
  return Math.max(0, a - b);
}
