import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { answerCheckIn, type CatalogAnswer, type CheckIn } from '../../shared/fleet/catalogs/catalog-service.ts';
import {
  DEFAULT_HOLD_OPTIONS,
  type HoldOptions,
  StoredCatalogService,
} from '../../shared/fleet/catalogs/stored-catalog-service.ts';
import type { DeployReport } from '../../shared/fleet/code/deploy.ts';
import type { ScanOptions } from '../../shared/fleet/code/scan-environment.ts';
import type { CompileJobReport } from '../../shared/fleet/compiles/compile-job-report.ts';
import { drainExportChanges } from '../../shared/fleet/compiles/invalidate-collectors.ts';
import { workOff } from '../../shared/fleet/compiles/work-off.ts';
import type { WorkerContext } from '../../shared/fleet/compiles/worker-context.ts';
import { DependencyCache } from '../../shared/fleet/dependencies/dependency-cache.ts';
import type { ExternalClassifier } from '../../shared/fleet/nodes/classification.ts';
import { SnapshotCache } from '../../shared/fleet/snapshots/snapshot-cache.ts';
import { KeptValueRecords } from '../../shared/fleet/values/kept-value-records.ts';
import { DEFAULT_COMPILE_SETTINGS } from '../../shared/puppet/compiler/default-settings.ts';
import { PuppetHash } from '../../shared/puppet/types/values/puppet-hash.ts';
import type { Value } from '../../shared/puppet/types/values/values.ts';
import { type EmbeddedStores, openEmbeddedStores } from '../../shared/store/embedded/stores.ts';
import type { Clock } from '../../shared/store/ports/clock.ts';
import { deployFolder } from './deploy-folder.ts';
import { createScriptedCompiler, type Script, type ScriptedCompiler } from './scripted-compile.ts';

/** Collectors are invalidated for each change, and compiled for it. */
export const AT_ONCE = { delayMs: 0, intervalMs: 0 };

type Plain = string | number | boolean | null | { readonly [key: string]: Plain };

/**
 * A small installation on the embedded stores, with a scripted compiler and a control repo that the
 * test writes.
 */
export class CompileWorld {
  readonly directory = mkdtempSync(join(tmpdir(), 'understudy-jobs-'));
  readonly repo = join(this.directory, 'repo');
  readonly compiler: ScriptedCompiler = createScriptedCompiler();
  readonly stores: EmbeddedStores;
  readonly context: WorkerContext;

  /**
   * Uses the scripted compiler unless another one is given, and a data directory of its own unless
   * one is given.
   */
  constructor(clock?: Clock, compile: WorkerContext['compile'] = this.compiler.compile, data?: string) {
    this.stores = openEmbeddedStores(data ?? join(this.directory, 'data'), clock ? { clock } : {});
    this.context = {
      stores: this.stores,
      snapshots: new SnapshotCache(this.stores.blobs),
      dependencies: new DependencyCache(this.stores.blobs),
      keptValues: new KeptValueRecords(this.stores),
      compile,
      settings: DEFAULT_COMPILE_SETTINGS,
      server: { name: 'puppet', ip: '127.0.0.1', release: '0' },
      limitMs: 60_000,
      timing: AT_ONCE,
    };
  }

  close(): void {
    this.stores.close();
    rmSync(this.directory, { recursive: true });
  }

  createService(options: Partial<HoldOptions> = {}, external: ExternalClassifier | null = null): StoredCatalogService {
    return new StoredCatalogService(this.stores, { ...DEFAULT_HOLD_OPTIONS, holdMs: 5000, ...options }, external);
  }

  /** Writes files of the control repo; null deletes a file. */
  write(files: Readonly<Record<string, string | null>>): void {
    for (const [path, content] of Object.entries(files)) {
      const file = join(this.repo, path);
      mkdirSync(dirname(file), { recursive: true });
      if (content === null) rmSync(file, { force: true });
      else writeFileSync(file, content);
    }
  }

  addScript(certname: string, script: Script, environment = 'production'): void {
    this.write({ [`environments/${environment}/manifests/${certname}.json`]: JSON.stringify(script) });
  }

  deploy(environment = 'production', scan: ScanOptions = {}): Promise<DeployReport> {
    return deployFolder(this.stores, this.repo, environment, 'test', {}, scan);
  }

  /** Processes both queues and the change feed until nothing is left. */
  async runJobs(): Promise<readonly CompileJobReport[]> {
    const reports: CompileJobReport[] = [];
    for (;;) {
      while ((await drainExportChanges(this.stores.changes, this.stores, AT_ONCE)) > 0);
      const [received] = await this.stores.queue.receive(1, 0);
      if (!received) return reports;
      reports.push(await workOff(received, this.stores.queue, this.context));
    }
  }

  /** Checks in, and processes the queues meanwhile. */
  async run(checkIn: CheckIn, external: ExternalClassifier | null = null): Promise<CatalogAnswer> {
    const answer = answerCheckIn(this.createService({}, external), checkIn);
    let settled = false;
    const done = answer.finally(() => {
      settled = true;
    });
    while (!settled) {
      await this.runJobs();
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    return done;
  }
}

export function checkIn(certname: string, facts: Plain = {}, more: Partial<CheckIn> = {}): CheckIn {
  const trusted = PuppetHash.of([['certname', certname]]);
  return { certname, environment: 'production', facts: hashOf(facts), trusted, ...more };
}

export function hashOf(plain: Plain): PuppetHash {
  const value = puppetValue(plain);
  if (!(value instanceof PuppetHash)) throw new Error('facts are a hash');
  return value;
}

function puppetValue(plain: Plain): Value {
  if (typeof plain === 'number') return BigInt(plain);
  if (typeof plain !== 'object' || plain === null) return plain;
  return PuppetHash.of(Object.entries(plain).map(([key, value]) => [key, puppetValue(value)] as const));
}

/** Returns the catalog in an answer. */
export function catalogOf(answer: CatalogAnswer): Record<string, unknown> {
  if (answer.status !== 'current' && answer.status !== 'stale')
    throw new Error(`no catalog: ${JSON.stringify(answer)}`);
  return JSON.parse(gunzipSync(answer.catalog).toString('utf8'));
}
