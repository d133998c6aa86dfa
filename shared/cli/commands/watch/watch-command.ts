import type { Command } from 'commander';
import { SETTINGS } from '../../../config/settings.ts';
import { systemClock } from '../../../store/system-clock.ts';
import { type OrchestratorOptions, obtainToken, readOrchestratorSettings } from '../../client/orchestrator-client.ts';
import type { Screen } from '../../client/screen.ts';
import { demandService, readPermitted, type ServiceAddress } from '../../client/service-client.ts';
import { readSeconds } from '../../client/watch-output.ts';
import type { JobProcess } from '../orchestrator/run-job.ts';
import type { ReadFleet } from './watch-fleet.ts';

interface WatchCommandOptions extends OrchestratorOptions {
  readonly interval: number;
  readonly once?: boolean;
}

/** The parts of a process that `watch` needs. */
export interface WatchProcess extends Pick<JobProcess, 'print' | 'folders' | 'terminal' | 'sleep'> {
  /** The screen of the terminal; null without one. */
  readonly openScreen: () => Promise<Screen | null>;
  /** Ends the process, although an answer is outstanding. */
  readonly quit: () => void;
}

const USUAL_SECONDS = 2;

/** Adds `watch`: the overview of a server, live, by its console's API. */
export function addWatchCommand(program: Command, context: WatchProcess): void {
  program
    .command('watch')
    .description('watch nodes, queues, runs, failures, deploys and servers in a terminal; q or CTRL-C ends')
    .option('--interval <seconds>', 'how often it is refreshed', readSeconds, USUAL_SECONDS)
    .option('--once', 'print one screen, and end')
    .option(
      '--service-url <url>',
      `the console (default: port ${SETTINGS.consolePort.usual} of the orchestrator's host)`,
    )
    .option('--ca-cert <file>', "the certificates of the server's CA, PEM")
    .option('--token-file <file>', "the token's file (default: ~/.puppetlabs/token)")
    .option('--config-file <file>', 'the configuration of the orchestrator that names its host')
    .action((options: WatchCommandOptions) => watch(options, context));
}

async function watch(options: WatchCommandOptions, context: WatchProcess): Promise<void> {
  const settings = readOrchestratorSettings(options, context.folders);
  const address = options.serviceUrl?.replace(/\/+$/, '') ?? consoleBeside(settings.url);
  const token = await obtainToken(settings, context.terminal);
  const { printFleetStates, watchFleet } = await import('./watch-fleet.ts');
  const { readWatchedFleet } = await import('./watched-fleet.ts');
  const service = { url: `${address}/understudy/v1`, caFile: settings.caFile, token };
  const read: ReadFleet = async () => readWatchedFleet(await askForFleet(service), systemClock.now());
  const watching = { address, intervalMs: options.interval * 1000, now: systemClock.now };
  const screen = options.once === true ? null : await context.openScreen();
  if (screen === null) {
    return printFleetStates(read, context.print, { ...watching, isOnce: options.once ?? false, sleep: context.sleep });
  }
  if (await watchFleet(read, screen, watching)) context.quit();
}

function consoleBeside(orchestrator: string): string {
  const { hostname } = new URL(orchestrator);
  return `https://${hostname}:${SETTINGS.consolePort.usual}`;
}

/** Failures that a screen may have room for. */
const MOST_FAILURES = 100;

async function askForFleet(service: ServiceAddress) {
  const ask = (path: string) => demandService(service, 'GET', path);
  const [overview, hours, environments, failures] = await Promise.all([
    ask('/overview'),
    ask('/overview/hours?hours=24'),
    ask('/environments'),
    // A user who sees the overview may not see the data of nodes.
    readPermitted(service, `/failures?state=open&limit=${MOST_FAILURES}`),
  ]);
  return { overview, hours, environments, failures };
}
