import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ENVIRONMENT_VARIABLES } from '../../shared/config/deployment.ts';
import type { HoldOptions } from '../../shared/fleet/catalogs/stored-catalog-service.ts';
import { prune } from '../../shared/fleet/code/prune.ts';
import { createWorkerContext } from '../../shared/fleet/compiles/create-worker-context.ts';
import { processCompileJob } from '../../shared/fleet/compiles/process-compile-job.ts';
import { DEFAULT_RING, feed } from '../../shared/fleet/compiles/ring.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { type FrontDoor, openFrontDoor } from '../../shared/http/front-door.ts';
import { frontDoorSettings } from '../../shared/http/front-door-settings.ts';
import { createWasmRuby } from '../../shared/puppet/ruby/wasm/wasm-host.ts';
import { openAwsStores } from '../../shared/store/aws/stores.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import type { Stores } from '../../shared/store/ports/stores.ts';
import { systemClock } from '../../shared/store/system-clock.ts';
import { deployNames, startEmulators } from '../helpers/aws-emulators.ts';
import { deployFolder } from '../helpers/deploy-folder.ts';
import { createPeer } from '../helpers/http-services.ts';
import { CountingClients } from './counting-clients.ts';

/**
 * Time passes only as a measure says, so that caches end with the same calls on any machine. Sleeps
 * are short.
 */
export class PassingClock implements Clock {
  passed = 0;
  readonly #start: number;

  constructor(start = Date.UTC(2026, 10, 21)) {
    this.#start = start;
  }

  now(): number {
    return this.#start + this.passed;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return systemClock.sleep(Math.min(milliseconds, 20), signal);
  }

  random(): number {
    return 0.5;
  }
}

/** Opened over the emulators, with all their requests counted. */
export interface CountedInstallation {
  readonly installation: Installation;
  readonly counting: CountingClients;
  close(): Promise<void>;
}

/** See `Installation.over`. */
export async function openCountedInstallation(hold?: Partial<HoldOptions>): Promise<CountedInstallation> {
  const clock = new PassingClock();
  const emulators = await startEmulators();
  const names = await deployNames(emulators.clients, { visibilityMs: 60_000, maxReceives: 5 });
  const counting = new CountingClients(emulators.clients, names[ENVIRONMENT_VARIABLES.nodesTable] ?? '');
  const installation = await Installation.over(openAwsStores(names, emulators.clients, clock), clock, hold);
  return {
    installation,
    counting,
    close: async () => {
      installation.close();
      await emulators.close();
    },
  };
}

const MODULES = 40;
/** More than any installation here has. */
const MOST_NODES = 10_000;
const MINUTE_MS = 60_000;
const ENVIRONMENT = 'environment=production';
const LISTINGS = ['pluginfacts', 'plugins', 'locales'];
const LISTED = 'recurse=true&links=follow&checksum_type=sha256&source_permissions=ignore';

/** Writes a control repo of many small modules, with this text in its data, and more code. */
export function writeControlRepo(folder: string, text: string, more = ''): void {
  const write = (path: string, content: string) => {
    const file = join(folder, 'environments/production', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  };
  const modules = Array.from({ length: MODULES }, (_, index) => `part${index}`);
  write('hiera.yaml', HIERA);
  write('data/common.yaml', modules.map((name) => `${name}::text: '${text}'\n`).join(''));
  write('manifests/site.pp', `include ${modules.join(', ')}\nnotify { "tier \${facts['tier']}": }\n${more}`);
  for (const name of modules) {
    write(
      `modules/${name}/manifests/init.pp`,
      `class ${name}(String $text) { file { "/etc/${name}": content => epp('${name}/a.epp') } }`,
    );
    write(`modules/${name}/templates/a.epp`, `${name} <%= $facts['os'] %>\n`);
  }
}

/** A small installation, with nodes of one role. */
export class Installation {
  readonly #folder = mkdtempSync(join(tmpdir(), 'understudy-cost-'));
  /** Starts only when code needs it, which none here does. */
  readonly #ruby = createWasmRuby();
  readonly #stores: Stores;
  readonly #door: FrontDoor;
  readonly #context: WorkerContext;
  readonly #clock: PassingClock;
  /** Whether requests for catalogs wait for their compile. */
  readonly #holds: boolean;

  private constructor(stores: Stores, door: FrontDoor, clock: PassingClock, holds: boolean) {
    this.#holds = holds;
    this.#clock = clock;
    this.#stores = stores;
    this.#door = door;
    this.#context = createWorkerContext({
      stores,
      ruby: this.#ruby,
      processVariables: {},
      server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
      limitMs: 60_000,
    });
  }

  /**
   * Opens one over stores that no other uses, with their clock. `hold`: limits of requests for
   * catalogs that are not compiled yet.
   */
  static async over(stores: Stores, clock: PassingClock, hold: Partial<HoldOptions> = {}): Promise<Installation> {
    const door = await openFrontDoor(stores, {
      ...frontDoorSettings({ variables: {}, readText: () => '' }),
      authorityName: 'understudy.example.com',
      awaitsReports: true,
      hold,
      // As with an inventory: a run stores facts that changed, also where no compile needs them.
      keepFacts: { intervalMs: Number.POSITIVE_INFINITY, blocked: [] },
      log: { logError: (message, cause) => process.stderr.write(`${message}: ${String(cause)}\n`) },
    });
    return new Installation(stores, door, clock, hold.holdMs !== 0);
  }

  /**
   * Deploys the control repo with this text in its common data, and more code for all nodes, and
   * compiles who uses it: so many at a time.
   */
  async deploy(text: string, more = '', atOnce = 1): Promise<void> {
    writeControlRepo(this.#folder, text, more);
    this.#clock.passed += MINUTE_MS;
    await deployFolder(this.#stores, this.#folder, 'production', 'test');
    await this.work(atOnce);
  }

  /** Does all jobs: what SQS asks on behalf of the function is counted as it is here. */
  async work(atOnce = 1): Promise<void> {
    await Promise.all(Array.from({ length: atOnce }, () => this.#workAlone()));
  }

  async #workAlone(): Promise<void> {
    for (;;) {
      const [received] = await this.#stores.queue.receive(1, 0);
      if (!received) return;
      await processCompileJob(received.job, this.#context);
      await this.#stores.queue.acknowledge(received);
    }
  }

  /** One run of an agent; its catalog is compiled meanwhile if it has to be. */
  async run(certname: string, tier: string): Promise<void> {
    await this.list(certname);
    await this.check(certname, tier);
    await this.report(certname, 'unchanged');
  }

  /** Asks for the node and for the files that agents synchronise. */
  async list(certname: string): Promise<void> {
    await this.#ask(certname, 'GET', `node/${certname}?${ENVIRONMENT}`);
    for (const mount of LISTINGS) {
      await this.#ask(certname, 'GET', `file_metadatas/${mount}?${ENVIRONMENT}&${LISTED}`);
    }
  }

  async report(certname: string, status: 'unchanged' | 'changed'): Promise<void> {
    const report = { host: certname, status, noop: false, ...USUAL_REPORT, logs: [], resource_statuses: {} };
    await this.#ask(certname, 'PUT', `report/${certname}?${ENVIRONMENT}`, JSON.stringify(report), 'application/json');
  }

  /** Asks for the catalog, and compiles it meanwhile if the request is held, else after it. */
  async check(certname: string, tier: string, colour = 'blue'): Promise<void> {
    let isDone = false;
    const ended = this.askCatalog(certname, tier, colour).finally(() => {
      isDone = true;
    });
    while (this.#holds && !isDone) {
      await this.work();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    await ended;
    await this.work();
  }

  /** Asks for the catalog, which others compile. */
  async askCatalog(certname: string, tier: string, colour = 'blue'): Promise<void> {
    const facts = JSON.stringify({ name: certname, values: { os: 'Debian', tier, colour } });
    const form = new URLSearchParams({ environment: 'production', facts_format: 'application/json', facts });
    const path = `catalog/${certname}?${ENVIRONMENT}`;
    await this.#ask(certname, 'POST', path, form.toString(), 'application/x-www-form-urlencoded');
  }

  /** Lets time pass, as between two runs of an agent. */
  async pass(minutes: number): Promise<void> {
    this.#clock.passed += minutes * MINUTE_MS;
    await this.#door.visits.flush();
  }

  /** One turn of the ring for all nodes, or what the feeder does of it in so many minutes. */
  async turnRing(minutes?: number, atOnce = 1): Promise<void> {
    this.#clock.passed += MINUTE_MS;
    const part =
      minutes === undefined ? { restMs: 0, leastBudget: MOST_NODES } : { roundMs: minutes * 60_000, leastBudget: 1 };
    await feed(this.#stores, { ...DEFAULT_RING, ...part });
    await this.work(atOnce);
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

  close(): void {
    this.#ruby.close();
    rmSync(this.#folder, { recursive: true });
  }

  async #ask(certname: string, method: string, path: string, body?: string, type = 'text/plain'): Promise<void> {
    const headers = { 'Content-Type': type, Accept: 'application/vnd.puppet.rich+json, application/json' };
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await this.#door.app.request(`/puppet/v3/${path}`, init, { peer: createPeer(certname) });
    const text = await response.text();
    // A first catalog that is not held is not there yet.
    if (response.status === 200 || (response.status === 503 && !this.#holds)) return;
    throw new Error(`${method} ${path}: ${response.status} ${text}`);
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
