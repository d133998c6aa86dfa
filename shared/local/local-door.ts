import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Authorization } from '../access/authorization/authorization.ts';
import { NO_TRUSTED_NAMES, readTrustedOidMapping, type TrustedNames } from '../access/ca/trusted-oid-mapping.ts';
import { autosignOf } from '../cli/commands/autosign.ts';
import { openEncProgram } from '../cli/commands/enc-program.ts';
import { CONNECTIONS } from '../config/connections.ts';
import { factKeepingOf } from '../config/read-setting.ts';
import { createUploadSource, directorySource } from '../fleet/code/code-source.ts';
import { describeLoadGate, type LoadGate } from '../fleet/compiles/load-gate.ts';
import type { GitSync } from '../fleet/sources/git-sync.ts';
import type { LoadAssets } from '../http/console/console-files.ts';
import { type FrontDoor, type FrontDoorOptions, openFrontDoor } from '../http/front-door.ts';
import { type EdgeServer, startEdgeServer } from '../http/listener/edge-server.ts';
import { readOpenFileLimit, shareConnections } from '../http/listener/open-files.ts';
import { PREPARATION } from '../http/preparation.ts';
import type { StoreFaults } from '../http/store-faults.ts';
import { InventoryQueries } from '../orchestrator/jobs/inventory-queries.ts';
import type { StartPlanThread } from '../orchestrator/plan-runs/plan-thread.ts';
import { countDamage, describeDamage, readDamage } from '../store/embedded/damage/damage-log.ts';
import type { KeyVault } from '../store/ports/secrets.ts';
import { StoreRefused } from '../store/ports/store-errors.ts';
import type { Stores } from '../store/ports/stores.ts';
import { type BesideDoor, startBesideDoor } from './beside-door.ts';
import type { CompileJobCounters } from './compile-job-counters.ts';
import type { ControlRepo } from './control-repo.ts';
import { deployFirst } from './control-repo-deploys.ts';
import { createDataDirectoryCheck } from './data-directory-check.ts';
import { accessSettings } from './local-access.ts';
import { hasInventory, type LocalInventory } from './local-inventory.ts';
import type { LocalLog } from './local-log.ts';
import type { LocalOptions } from './options.ts';
import type { ServerStores } from './server-stores.ts';
import type { WatchedRepo } from './watched-repo.ts';

const HOURS_PAUSE_MS = 60_000;

interface DoorParts {
  /** Null without an inventory. */
  readonly inventory: LocalInventory | null;
  readonly stores: ServerStores;
  readonly vault: KeyVault;
  readonly log: LocalLog;
  readonly counters: CompileJobCounters;
  readonly gate: LoadGate;
  readonly git: GitSync;
  readonly watched: WatchedRepo | null;
  readonly faults: StoreFaults;
  readonly controlRepo: ControlRepo | null;
  readonly loadConsole: LoadAssets;
  /** Null: no plan is run. */
  readonly startPlanThread: StartPlanThread | null;
}

/** The front door and what listens beside it. */
export type LocalDoor = Pick<EdgeServer, 'port'> &
  BesideDoor &
  Pick<FrontDoor, 'health' | 'metrics' | 'keepRevocations'>;

/**
 * Opens the front door, deploys the control repo when no code is in force, and listens. Throws
 * NoControlRepo, StoreRefused and ListenFailed.
 */
export async function startLocalDoor(
  options: LocalOptions,
  hostname: string,
  parts: DoorParts,
  showStep: (step: string) => void,
): Promise<LocalDoor> {
  const { stores, vault, log, inventory, watched, controlRepo, loadConsole, startPlanThread } = parts;
  const door = await openLocalFrontDoor(options, hostname, parts);
  const name = hostname.toLowerCase();
  const credentials = await door.serverCredentials(name, namesOf(options));
  const shares = shareConnections(options.maxConnections, readOpenFileLimit(), options.workers);
  showStep('opening the ports');
  if (watched !== null && controlRepo !== null) await deployFirst(watched.directory, stores, controlRepo);
  if (shares.frontDoor < options.maxConnections) {
    log.logEntry(`The limit of open files (ulimit -n) allows ${shares.frontDoor} connections at a time`);
  }
  const server = await startEdgeServer({
    app: door.app,
    credentials,
    trusted: door.trusted,
    host: options.host,
    port: options.port,
    clock: stores.clock,
    connections: { ...CONNECTIONS.frontDoor, most: shares.frontDoor },
    reportFailure: (error) => log.logError('A connection failed', error),
  });
  const access = { stores, changes: stores.nodeChanges, log, vault, inventory, door, credentials, loadConsole };
  const listening = { server: name, mostSockets: shares.broker, frontDoorPort: server.port, startPlanThread };
  const others = await startBesideDoor(options, { ...access, ...listening }).catch(async (error: unknown) => {
    await server.close(0);
    throw error;
  });
  const stopping = new AbortController();
  const counting = keepHours(door.hours, stores, log, stopping.signal);
  const close = async (graceMs: number) => {
    // Streams of events end first: their requests would last for the whole of the grace.
    await door.fleet.stop();
    await Promise.all([server.close(graceMs), others.close(graceMs)]);
    stopping.abort();
    await counting;
  };
  const { health, metrics, keepRevocations } = door;
  return { ...others, port: server.port, close, health, metrics, keepRevocations };
}

/** Writes the counted work once a minute, and at the end, with the age of the queues. */
async function keepHours(
  hours: FrontDoor['hours'],
  { queue, clock }: Pick<Stores, 'queue' | 'clock'>,
  log: LocalLog,
  signal: AbortSignal,
): Promise<void> {
  const write = async () => {
    const { dead: _, ...queues } = await queue.getDepth();
    hours.noteQueueAge(Math.max(...Object.values(queues).map(({ oldestAgeMs }) => oldestAgeMs)));
    await hours.flush();
  };
  for (let isLast = false; !isLast; ) {
    await clock.sleep(HOURS_PAUSE_MS, signal);
    isLast = signal.aborted;
    await write().catch((error: unknown) => log.logError('The work of the hour could not be written', error));
  }
}

function openLocalFrontDoor(options: LocalOptions, hostname: string, parts: DoorParts): Promise<FrontDoor> {
  const { stores, counters, gate, watched, git, log, faults, controlRepo } = parts;
  const own = watched ? directorySource(stores, watched.directory, PREPARATION, watched) : createUploadSource(stores);
  const directory = resolve(options.data);
  const queries = parts.inventory && new InventoryQueries(parts.inventory.reader);
  return openFrontDoor(stores, {
    authorityName: hostname,
    ...readDoorSettings(options, parts),
    ...describeCompilerUpstream(options, hostname.toLowerCase()),
    log,
    // Servers that share a log would take each other's changes.
    ...(stores.shared === null ? { nodeChanges: stores.nodeChanges } : {}),
    ...{ queries, faults },
    checks: { 'data directory': createDataDirectoryCheck(stores, directory) },
    readWarnings: () => [
      ...(controlRepo?.faults ?? []).map(([what, fault]) => `${what} was not deployed: ${fault}`),
      ...describeDamage(readDamage(directory)),
    ],
    readServers: stores.shared?.readServers,
    countDamage: () => countDamage(readDamage(directory)),
    readCounters: () => ({ jobs: counters.getCounts(), load: describeLoadGate(gate) }),
    preparation: PREPARATION,
    codeSource: git.withSources(own),
    git,
  });
}

function describeCompilerUpstream(options: LocalOptions, name: string): Pick<FrontDoorOptions, 'compilerUpstream'> {
  const { compilerUpstream: url, compilerUpstreamCa: file } = options;
  if (url === undefined) return {};
  const trusted = file === undefined ? {} : { trusted: readFileSync(file, 'utf8') };
  return { compilerUpstream: { url, names: [name, ...namesOf(options)], ...trusted } };
}

/** Lists the names of the server's certificate beside its own. */
function namesOf({ host, serverNames = [] }: LocalOptions): readonly string[] {
  return [
    ...new Set(['puppet', 'localhost', '127.0.0.1', '::1', ...(host === '0.0.0.0' ? [] : [host]), ...serverNames]),
  ];
}

interface SettingsParts {
  readonly stores: Stores;
  readonly vault: KeyVault;
  readonly log: LocalLog;
}

/**
 * Translates the options of the server into those of its front door, and reads the files that they
 * name. Throws StoreRefused that names what cannot be used.
 */
function readDoorSettings(options: LocalOptions, parts: SettingsParts) {
  const trustedNames = readTrustedNames(options);
  return {
    ...certificateSettings(options, parts),
    ...authorizationOf(options, trustedNames),
    ...accessSettings(options, parts.vault),
    ...(options.enc === undefined ? {} : { external: openEncProgram(options.enc, parts.stores.clock) }),
    settings: {
      language: options.language,
      poolAddress: options.poolAddress ?? null,
      trustedNames,
      reportDays: options.keepReports,
    },
    keepFacts: hasInventory(options) ? factKeepingOf(options) : undefined,
  };
}

function certificateSettings(options: LocalOptions, { log, vault }: SettingsParts) {
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
