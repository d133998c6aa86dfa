import { resolve } from 'node:path';
import { readPublicAuthority } from '../access/ca/authority-record.ts';
import { openAccessFile } from '../cli/commands/access-file.ts';
import { openAuthorityVault } from '../cli/commands/authority-stores.ts';
import { rubyWarnings } from '../cli/commands/ruby-choice.ts';
import { compileJobSeconds } from '../config/compile-limit.ts';
import type { LoadGate } from '../fleet/compiles/load-gate.ts';
import type { LoadAssets } from '../http/console/console-files.ts';
import { PREPARATION } from '../http/preparation.ts';
import { StoreFaults } from '../http/store-faults.ts';
import { planThreads } from '../orchestrator/plan-runs/plan-threads.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import { retryUnavailable } from '../store/retry-unavailable.ts';
import type { BesideDoor } from './beside-door.ts';
import { checkStart } from './check-start.ts';
import { CompileJobCounters } from './compile-job-counters.ts';
import { noteFaults, openControlRepo, openGate } from './control-repo-deploys.ts';
import { renderGreeting } from './greeting.ts';
import { type LocalDoor, startLocalDoor } from './local-door.ts';
import { hasInventory, type LocalInventory, startLocalInventory } from './local-inventory.ts';
import { LocalLog } from './local-log.ts';
import { createLocalSources } from './local-sources.ts';
import { readRubySettings, startLocalWorkers, workerSettings } from './local-workers.ts';
import type { LocalOptions } from './options.ts';
import { openServerStores, type ServerStores } from './server-stores.ts';
import { startUpkeep } from './upkeep.ts';
import { chooseWatchedRepo, describeUnwatched, type ExampleRepo } from './watched-repo.ts';

interface LocalServerContext {
  /** The host name of this machine. */
  readonly hostname: string;
  /** Absent: a test's. */
  readonly release?: string;
  /** The user of this process. */
  readonly uid: number;
  /** Absent: there is none. */
  readonly example?: ExampleRepo;
  /** The module of a compile worker. */
  readonly workerModule: URL;
  /** The module of the thread of a plan; absent: no plan is run. */
  readonly planModule?: URL;
  /** Search path for git; absent: the usual folders. */
  readonly searchPath?: string | undefined;
  readonly print: (line: string) => void;
  /** Shows what the start is doing; null: nothing any more. Absent: it is not shown. */
  readonly showStep?: (step: string | null) => void;
  /** Called when the server cannot go on: nothing can be stored any more. */
  readonly onFailure: (error: Error) => void;
  /** The load average of the last minute. */
  readonly readLoad: () => number;
  /** Gives the files of the console's client; absent: there are none. */
  readonly loadConsole?: LoadAssets;
}

/** A port is null for what does not listen. */
export interface LocalServer extends Omit<BesideDoor, 'close'> {
  readonly port: number;
  /** The port of the inventory's API; null without an inventory. */
  readonly puppetdbPort: number | null;
  /**
   * The addresses of all listeners, for whoever started it: print this once signals are handled.
   */
  readonly greeting: string;
  /** Opens the access log by its name again, after a rotation. */
  reopenLogs(): void;
  /** Lets running requests and compiles end, then stops everything. */
  stop(): Promise<void>;
}

const GRACE_MS = 10_000;

/**
 * Starts everything in one process, again and again for three minutes while the store is
 * unavailable. A start that fails at a check of the options changes nothing. Throws
 * errors that name what cannot be used: NoControlRepo, StoreRefused (the data directory),
 * StartRefused (an option), ListenFailed (the port).
 */
export async function startLocalServer(options: LocalOptions, machine: LocalServerContext): Promise<LocalServer> {
  const context = { ...machine, hostname: options.serverName ?? machine.hostname };
  context.showStep?.('checking the options');
  try {
    await checkStart(options, context.uid);
    return await retryUnavailable(() => startOnce(options, context), context.print);
  } finally {
    context.showStep?.(null);
  }
}

/** Closes everything that is open, the last first. Each gets the time that running work has. */
type Closers = ((graceMs: number) => void | Promise<void>)[];

async function startOnce(options: LocalOptions, context: LocalServerContext): Promise<LocalServer> {
  const limitMs = 1000 * compileJobSeconds(options.compileTimeLimit);
  context.showStep?.(options.database === undefined ? 'opening the data directory' : 'opening the database');
  const stores = await openServerStores(options, limitMs, context);
  const closers: Closers = [() => stores.close()];
  try {
    const vault = await openAuthorityVault(stores, options.data, options.caKeyFile);
    const parts = await openParts(options, context, { stores, vault, closers });
    const opened = { ...parts, startPlanThread: createPlanThreads(options, context, parts, limitMs) };
    const isNew = options.caUpstream === undefined && (await readPublicAuthority(stores.documents)) === null;
    context.showStep?.(`${isNew ? 'creating' : 'opening'} the certificate authority`);
    const door = await startLocalDoor(options, context.hostname, opened, (step) => context.showStep?.(step));
    return startWork(options, context, { ...opened, door, limitMs, closers });
  } catch (error) {
    await closeAll(closers, 0);
    throw error;
  }
}

interface Opening {
  readonly stores: ServerStores;
  readonly vault: KeyVault;
  readonly closers: Closers;
}

/** Opens what requests and workers share. Nothing listens yet but the inventory. */
async function openParts(options: LocalOptions, context: LocalServerContext, { stores, vault, closers }: Opening) {
  for (const warning of rubyWarnings(readRubySettings(options), context.uid)) context.print(warning);
  const accessFile = openAccessFile(options.accessLog ?? null, (line) => log.logEntry(line));
  closers.push(() => accessFile.close());
  const log = new LocalLog(context.print, stores.clock, accessFile.write);
  const reportFault = (error: unknown) => log.logError('The other servers do not see this one', error);
  await stores.begin(reportFault, (line) => log.logEntry(line));
  const watched = await chooseWatchedRepo(options, context.example ?? null, stores);
  const faults = new StoreFaults(stores.clock);
  const controlRepo = watched && openControlRepo(watched, stores, noteFaults(log, faults));
  log.logEntry(
    watched === null ? await describeUnwatched(options, stores) : `Reading the control repo ${watched.directory}`,
  );
  const preparation = { ...PREPARATION, gate: openGate(stores) };
  const git = createLocalSources(options, context.searchPath, stores, preparation, log);
  if (hasInventory(options)) context.showStep?.('starting the inventory');
  const inventory = await startLocalInventory(options, context.hostname, stores, log);
  if (inventory !== null) closers.push((graceMs) => inventory.close(graceMs));
  const counters = new CompileJobCounters();
  const gate: LoadGate = { maxLoad: options.maxLoad ?? null, readLoad: context.readLoad };
  const loadConsole = context.loadConsole ?? (async () => []);
  return { stores, vault, accessFile, log, watched, faults, controlRepo, git, inventory, counters, gate, loadConsole };
}

interface Opened extends Awaited<ReturnType<typeof openParts>> {
  readonly door: LocalDoor;
  readonly inventory: LocalInventory | null;
  /** Time limit of one compile job. */
  readonly limitMs: number;
  readonly closers: Closers;
}

/** Null where no plan can be evaluated. */
function createPlanThreads(
  options: LocalOptions,
  { planModule: module, hostname }: LocalServerContext,
  { stores, log }: Pick<Opened, 'stores' | 'log'>,
  limitMs: number,
) {
  if (module === undefined) return null;
  const settings = workerSettings(options, hostname, limitMs);
  const createData = () => {
    const way = stores.connect();
    return { data: { ...settings, stores: way }, ports: 'writes' in way ? [way.writes] : [] };
  };
  const reportFailure = (message: string, cause: unknown) => log.logError(message, cause);
  return planThreads({ module, createData, blobs: stores.blobs, reportFailure });
}

/** Starts the compile workers and what the server does by itself. */
function startWork(options: LocalOptions, context: LocalServerContext, opened: Opened): LocalServer {
  const { stores, door, git, log, controlRepo, accessFile, closers } = opened;
  const { metrics, health, keepRevocations, close, ...ports } = door;
  const workers = startLocalWorkers(options, context, { ...opened, metrics });
  const stopping = new AbortController();
  const background = [
    controlRepo?.watch(stopping.signal),
    ...startUpkeep(stores, options, log, stopping.signal),
    keepRevocations(stopping.signal),
  ];
  const listening = { ...ports, puppetdbPort: opened.inventory?.port ?? null };
  const data = resolve(options.data);
  const greeting = renderGreeting({ ...listening, options, data, certname: 'web01.example.com' });
  return { ...listening, greeting, reopenLogs: () => accessFile.reopen(), stop };

  async function stop(): Promise<void> {
    health.stop();
    await stores.clock.sleep(1000 * options.drainTime);
    stopping.abort();
    await Promise.race([git.settle(), stores.clock.sleep(GRACE_MS)]);
    await Promise.all([close(GRACE_MS), workers.stop(GRACE_MS), ...background]);
    await closeAll(closers, GRACE_MS);
  }
}

async function closeAll(closers: Closers, graceMs: number): Promise<void> {
  for (const close of closers.toReversed()) await close(graceMs);
}
