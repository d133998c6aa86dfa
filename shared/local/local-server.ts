import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Authorization } from '../access/authorization/authorization.ts';
import { NO_TRUSTED_NAMES, readTrustedOidMapping, type TrustedNames } from '../access/ca/trusted-oid-mapping.ts';
import { openAccessFile } from '../cli/commands/access-file.ts';
import { openAuthorityVault } from '../cli/commands/authority-stores.ts';
import { autosignOf } from '../cli/commands/autosign.ts';
import { openEncProgram } from '../cli/commands/enc-program.ts';
import { rubyWarnings } from '../cli/commands/ruby-choice.ts';
import { compileJobSeconds } from '../config/compile-limit.ts';
import { forgetDeadLeases } from '../fleet/code/code-lock.ts';
import { createStagedSource, directorySource } from '../fleet/code/code-source.ts';
import type { DeployGate } from '../fleet/code/deploy.ts';
import { prune } from '../fleet/code/prune.ts';
import { exportTiming } from '../fleet/compiles/export-interval.ts';
import { describeLoadGate, type LoadGate } from '../fleet/compiles/load-gate.ts';
import { DEFAULT_RING, feed } from '../fleet/compiles/ring.ts';
import { faultPause } from '../fleet/compiles/work-off.ts';
import { createDeployGate } from '../fleet/previews/deploy-gate.ts';
import { createWorkerTrials } from '../fleet/previews/trial-compiler.ts';
import type { GitSync } from '../fleet/sources/git-sync.ts';
import type { LoadAssets } from '../http/console/console-files.ts';
import { type FrontDoor, openFrontDoor } from '../http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../http/listener/edge-server.ts';
import { readOpenFileLimit, shareConnections } from '../http/listener/open-files.ts';
import { PREPARATION } from '../http/preparation.ts';
import { StoreFaults } from '../http/store-faults.ts';
import { visibilityOf } from '../store/embedded/stores.ts';
import { openThreadedStores, type ThreadedStores } from '../store/embedded/threaded-stores.ts';
import type { ReceivedCompileJob } from '../store/ports/compile-queue.ts';
import type { KeyVault } from '../store/ports/key-vault.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';
import type { Stores } from '../store/ports/stores.ts';
import { retryUnavailable } from '../store/retry-unavailable.ts';
import { startBesideDoor } from './beside-door.ts';
import { checkStart } from './check-start.ts';
import { CompileJobCounters } from './compile-job-counters.ts';
import { ControlRepo, type DeployObserver, NoControlRepo } from './control-repo.ts';
import { createDataDirectoryCheck } from './data-directory-check.ts';
import { renderGreeting } from './greeting.ts';
import { accessSettings } from './local-access.ts';
import { factKeepingOf, type LocalInventory, startLocalInventory } from './local-inventory.ts';
import { LocalLog } from './local-log.ts';
import { createLocalSources } from './local-sources.ts';
import { keepMemoryAtRest } from './memory-at-rest.ts';
import type { LocalOptions } from './options.ts';
import { chooseWatchedRepo, describeUnwatched, type WatchedRepo } from './watched-repo.ts';
import { WorkerPool } from './worker-pool.ts';

export interface LocalServerContext {
  /** The host name of this machine. */
  readonly hostname: string;
  /** The user of this process. */
  readonly uid: number;
  /** The module of a compile worker. */
  readonly workerModule: URL;
  /** Where git is looked for; absent: in the usual folders. */
  readonly searchPath?: string | undefined;
  readonly print: (line: string) => void;
  /** Called when the server cannot go on: nothing can be stored any more. */
  readonly onFailure: (error: Error) => void;
  /** The load average of the last minute. */
  readonly readLoad: () => number;
  /** Gives the files of the console's client; absent: there are none. */
  readonly loadConsole?: LoadAssets;
}

export interface LocalServer {
  readonly port: number;
  /** The port of the PCP broker; null without one. */
  readonly pcpPort: number | null;
  /** The port of the access API; null without one. */
  readonly accessPort: number | null;
  /** The port of the orchestrator; null without one. */
  readonly orchestratorPort: number | null;
  /** The port of the inventory's API; null without an inventory. */
  readonly puppetdbPort: number | null;
  /** The port of the inventory's API with TLS; null without it. */
  readonly puppetdbTlsPort: number | null;
  /** The port of the console; null without it. */
  readonly consolePort: number | null;
  /** Opens the access log by its name again, after a rotation. */
  reopenLogs(): void;
  /** Lets running requests and compiles end, then stops everything. */
  stop(): Promise<void>;
}

const FEED_PAUSE_MS = 60_000;
const PRUNE_PAUSE_MS = 6 * 3600_000;
/** The pause before pruning is retried when a deploy prevented it. */
const PRUNE_AGAIN_MS = 10 * 60_000;
/** How long a check of changed code waits for each compile. */
const GATE_HOLD_MS = 120_000;
const GRACE_MS = 10_000;
const MEGABYTE = 2 ** 20;

/**
 * Starts everything in one process, again and again for three minutes while the store is
 * unavailable. A start that fails at a check of the options changes nothing. Throws
 * errors that name what cannot be used: NoControlRepo, StoreRefused (the data directory),
 * StartRefused (an option), ListenFailed (the port).
 */
export async function startLocalServer(options: LocalOptions, context: LocalServerContext): Promise<LocalServer> {
  await checkStart(options, context.uid);
  return retryUnavailable(() => startOnce(options, context), context.print);
}

async function startOnce(options: LocalOptions, context: LocalServerContext): Promise<LocalServer> {
  const limitMs = 1000 * compileJobSeconds(options.compileTimeLimit);
  const stores = openThreadedStores(resolve(options.data), { visibilityMs: visibilityOf(limitMs) }, context.onFailure);
  try {
    const vault = await openAuthorityVault(stores, options.data, options.caKeyFile);
    return await serve(stores, vault, options, context, limitMs);
  } catch (error) {
    await stores.close();
    throw error;
  }
}

async function serve(
  stores: ThreadedStores,
  vault: KeyVault,
  options: LocalOptions,
  context: LocalServerContext,
  limitMs: number,
): Promise<LocalServer> {
  const data = resolve(options.data);
  const ruby = {
    host: options.ruby,
    user: options.rubyUser ?? null,
    commands: options.rubyCommand,
    memoryLimitBytes: options.rubyMemory === undefined ? null : options.rubyMemory * MEGABYTE,
  };
  for (const warning of rubyWarnings(ruby, context.uid)) context.print(warning);
  const accessFile = openAccessFile(options.accessLog ?? null, (line) => log.logEntry(line));
  const log = new LocalLog(context.print, stores.clock, accessFile.write);
  // The former server of this directory received the jobs in flight, and is gone.
  await stores.releaseInFlight();
  await forgetDeadLeases(stores);
  const watched = await chooseWatchedRepo(options, stores);
  const faults = new StoreFaults(stores.clock);
  const controlRepo = watched && openControlRepo(watched, stores, noteFaults(log, faults));
  if (controlRepo === null) log.logEntry(await describeUnwatched(stores));
  const preparation = { ...PREPARATION, gate: openGate(stores) };
  const git = createLocalSources(options, context.searchPath, stores, preparation, log);
  const counters = new CompileJobCounters();
  const timing = exportTiming({ delay: options.exportDelay, interval: options.exportInterval ?? null });
  const gate = { maxLoad: options.maxLoad ?? null, readLoad: context.readLoad };
  const inventory = await startLocalInventory(options, context.hostname, stores, log).catch((error: unknown) => {
    accessFile.close();
    throw error;
  });
  const edge = await listen(options, context.hostname, {
    inventory,
    stores,
    vault,
    log,
    faults,
    counters,
    gate,
    git,
    watched,
    controlRepo,
    loadConsole: context.loadConsole ?? (async () => []),
  }).catch(async (error: unknown) => {
    await inventory?.close(0);
    accessFile.close();
    throw error;
  });
  const workers = new WorkerPool({
    module: context.workerModule,
    count: options.workers,
    settings: {
      directory: data,
      server: { name: context.hostname, ip: options.host },
      ruby,
      strictness: { strict: options.strict, strictVariables: options.strictVariables },
      limitMs,
      timing,
      maxLoad: gate.maxLoad,
    },
    connect: () => stores.connect(),
    connectInventory: () => inventory?.connect() ?? null,
    clock: stores.clock,
    limitMs,
    onMessage: (message) => {
      if (message.kind === 'report') edge.metrics.countCompileJob(message.report, message.missingPacks);
      else edge.metrics.countJobFault();
      counters.count(message);
      log.logWorkerMessage(message);
    },
    onCrash: (error, job) => {
      log.logError('A compile worker ended and is restarted', error);
      if (job) comeAgain(stores, job).catch((fault: unknown) => log.logError('A job will be retried late', fault));
    },
  });
  const stopping = new AbortController();
  const background = [
    controlRepo?.watch(stopping.signal),
    keepFeeding(stores, options, log, stopping.signal),
    keepPruning(stores, options, log, stopping.signal),
    keepMemoryAtRest(stores.clock, stopping.signal),
    edge.keepRevocations(stopping.signal),
  ];
  const puppetdbPort = inventory?.port ?? null;
  context.print(renderGreeting({ ...edge, puppetdbPort, options, data, certname: 'web01.example.com' }));
  return {
    port: edge.port,
    pcpPort: edge.pcpPort,
    accessPort: edge.accessPort,
    orchestratorPort: edge.orchestratorPort,
    puppetdbPort,
    puppetdbTlsPort: edge.puppetdbTlsPort,
    consolePort: edge.consolePort,
    reopenLogs: () => accessFile.reopen(),
    stop,
  };

  async function stop(): Promise<void> {
    edge.health.stop();
    stopping.abort();
    await Promise.race([git.settle(), stores.clock.sleep(GRACE_MS)]);
    await Promise.all([edge.close(GRACE_MS), workers.stop(GRACE_MS), ...background]);
    await inventory?.close(GRACE_MS);
    accessFile.close();
    await stores.close();
  }
}

/**
 * Makes the job of a dead worker visible again, after the pause that a fault has in AWS. The job
 * continues with its own lease.
 */
async function comeAgain({ queue, clock }: Stores, job: ReceivedCompileJob): Promise<void> {
  await queue.retryAfter(job, faultPause(job, clock.random()));
}

interface EdgeParts {
  /** Null without an inventory. */
  readonly inventory: LocalInventory | null;
  readonly stores: ThreadedStores;
  readonly vault: KeyVault;
  readonly log: LocalLog;
  readonly counters: CompileJobCounters;
  readonly gate: LoadGate;
  readonly git: GitSync;
  readonly watched: WatchedRepo | null;
  readonly faults: StoreFaults;
  readonly controlRepo: ControlRepo | null;
  readonly loadConsole: LoadAssets;
}

async function listen(
  options: LocalOptions,
  hostname: string,
  parts: EdgeParts,
): Promise<
  EdgeServer &
    Pick<FrontDoor, 'health' | 'metrics' | 'keepRevocations'> &
    Pick<LocalServer, 'pcpPort' | 'accessPort' | 'orchestratorPort' | 'puppetdbTlsPort' | 'consolePort'>
> {
  const { stores, vault, log, counters: tally, gate, watched, git } = parts;
  const trustedNames = readTrustedNames(options);
  const own = watched ? directorySource(stores, watched.directory, PREPARATION, watched) : createStagedSource(stores);
  const door = await openFrontDoor(stores, {
    authorityName: hostname,
    ...certificateSettings(options, parts),
    ...authorizationOf(options, trustedNames),
    ...accessSettings(options),
    ...(options.enc === undefined ? {} : { external: openEncProgram(options.enc, stores.clock) }),
    settings: { poolAddress: options.poolAddress ?? null, trustedNames, reportDays: options.keepReports },
    keepFacts: factKeepingOf(options),
    log,
    nodeChanges: stores.nodeChanges,
    faults: parts.faults,
    checks: { 'data directory': createDataDirectoryCheck(stores, resolve(options.data)) },
    readWarnings: () => (parts.controlRepo?.faults ?? []).map(([what, fault]) => `${what} was not deployed: ${fault}`),
    readCounters: () => ({ jobs: tally.getCounts(), load: describeLoadGate(gate) }),
    preparation: PREPARATION,
    codeSource: git.withSources(own),
    git,
  });
  const names = ['puppet', 'localhost', '127.0.0.1', '::1', ...(options.host === '0.0.0.0' ? [] : [options.host])];
  const { app, trusted, health, metrics, keepRevocations } = door;
  const credentials = await door.serverCredentials(hostname.toLowerCase(), names);
  const shares = shareConnections(options.maxConnections, readOpenFileLimit(), options.workers);
  if (parts.controlRepo !== null) await deployFirst(options, stores, parts.controlRepo);
  if (shares.frontDoor < options.maxConnections) {
    log.logEntry(`The limit of open files (ulimit -n) allows ${shares.frontDoor} connections at a time`);
  }
  const server = await startEdgeServer({
    app,
    credentials,
    trusted,
    host: options.host,
    port: options.port,
    clock: stores.clock,
    mostConnections: shares.frontDoor,
    reportFailure: (error) => log.logError('A connection failed', error),
  });
  const beside = {
    stores,
    changes: stores.nodeChanges,
    log,
    vault,
    inventory: parts.inventory,
    door,
    credentials,
    mostSockets: shares.broker,
    frontDoorPort: server.port,
    loadConsole: parts.loadConsole,
  };
  const others = await startBesideDoor(options, { ...beside, server: hostname.toLowerCase() }).catch(
    async (error: unknown) => {
      await server.close(0);
      throw error;
    },
  );
  const close = async (graceMs: number) => {
    // Streams of events end first: their requests would last for the whole of the grace.
    await door.fleet.stop();
    await Promise.all([server.close(graceMs), others.close(graceMs)]);
  };
  const { close: _, ...ports } = others;
  return { ...server, ...ports, close, health, metrics, keepRevocations };
}

/** The control repo, whose deploys are checked where the policy demands it. */
function openControlRepo(watched: WatchedRepo, stores: Stores, notes: DeployObserver): ControlRepo {
  return new ControlRepo(watched.directory, stores, notes, { ...watched, gate: openGate(stores) });
}

function openGate(stores: Stores): DeployGate {
  return createDeployGate(createWorkerTrials(stores, GATE_HOLD_MS), stores);
}

/** Has the status show a deploy that could not be stored. */
function noteFaults(log: LocalLog, faults: StoreFaults): DeployObserver {
  return {
    onDeployed: (report) => log.onDeployed(report),
    onRemoved: (environment) => log.onRemoved(environment),
    kept: (environment) => log.kept(environment),
    onFailed: (environment, error) => {
      faults.note(error);
      log.onFailed(environment, error);
    },
  };
}

/** Reads the certificate settings. Throws StoreRefused that names what cannot be used. */
function certificateSettings(options: LocalOptions, { log, vault }: Pick<EdgeParts, 'log' | 'vault'>) {
  const { autosign, allowSubjectAltNames, allowAuthorizationExtensions, allowWeakKeys, renewalHours } = options;
  const { caKeyType: keyType, maxPendingRequests: mostPending } = options;
  const logFailure = (message: string, cause: unknown) => log.logError(message, cause);
  return {
    autosign: typeof autosign === 'string' ? autosignOf(autosign, logFailure) : autosign,
    authority: {
      vault,
      keyType,
      renewalHours,
      mostPending,
      allowSubjectAltNames,
      allowAuthorizationExtensions,
      allowWeakKeys,
    },
    ...upstreamOf(options),
  };
}

function authorizationOf({ authConf: file }: LocalOptions, names: TrustedNames) {
  return file === undefined ? {} : { authorization: Authorization.read(readFileSync(file, 'utf8'), file, names) };
}

function readTrustedNames({ trustedOidMapping: file }: LocalOptions): TrustedNames {
  return file === undefined ? NO_TRUSTED_NAMES : readTrustedOidMapping(readFileSync(file, 'utf8'), file);
}

function upstreamOf({ caUpstream: url, tlsCertificate, tlsKey, tlsCa }: LocalOptions) {
  if (url === undefined) return {};
  const text = (name: string, file: string | undefined) => {
    if (file === undefined) throw new StoreRefused(`--ca-upstream requires ${name}`);
    return readFileSync(file, 'utf8');
  };
  const [certificate, key] = [text('--tls-certificate', tlsCertificate), text('--tls-key', tlsKey)];
  return { upstream: { url, certificate, key, trusted: text('--tls-ca', tlsCa) } };
}

/**
 * Deploys before the start when no environment is in force, because there is nothing to serve. Code
 * in force is served at once; changes since then are deployed meanwhile.
 */
async function deployFirst(options: LocalOptions, stores: Stores, controlRepo: ControlRepo): Promise<void> {
  if ((await stores.environments.list()).length > 0) return;
  await controlRepo.deployChanges();
  if ((await stores.environments.list()).length > 0) return;
  const faults = controlRepo.faults.map(([environment, message]) => `\n  ${environment}: ${message}`);
  throw new NoControlRepo(
    `No environment of the control repo '${options.controlRepo}' could be deployed:${faults.join('')}`,
  );
}

async function keepPruning(stores: Stores, options: LocalOptions, log: LocalLog, signal: AbortSignal): Promise<void> {
  const { keepHistory: historyKept, keepCode: codeDays, keepReports: reportDays, keepBucket: bucketDays } = options;
  while (!signal.aborted) {
    const pruned = await prune(stores, { historyKept, codeDays, reportDays, bucketDays }).catch((error: unknown) => {
      log.logError('Pruning failed', error);
      return null;
    });
    await stores.clock.sleep(pruned?.code === null ? PRUNE_AGAIN_MS : PRUNE_PAUSE_MS, signal);
  }
}

async function keepFeeding(
  stores: Stores,
  { ringTurn, volatileRest }: LocalOptions,
  log: LocalLog,
  signal: AbortSignal,
): Promise<void> {
  const ring = { ...DEFAULT_RING, turnMs: ringTurn * 3600_000, volatileRestMs: volatileRest * 3600_000 };
  // The former process may have died before it sent a job for a reason that it had accepted. A job
  // that is in the queue is joined.
  let lostAfterMs = 0;
  while (!signal.aborted) {
    await feed(stores, { ...ring, lostAfterMs }).then(
      () => {
        lostAfterMs = ring.lostAfterMs;
      },
      (error: unknown) => log.logError('Feeding the ring failed', error),
    );
    await stores.clock.sleep(FEED_PAUSE_MS, signal);
  }
}
