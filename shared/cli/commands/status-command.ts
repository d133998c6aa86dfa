import type { Command } from 'commander';
import { readLastBackup } from '../../fleet/code/last-backup.ts';
import { NO_CODE } from '../../fleet/code/no-code.ts';
import { FLEET_STATES } from '../../fleet/overview/fleet-states.ts';
import { printStrictness } from '../../fleet/policies/strictness-policy.ts';
import type { SyncOutcome } from '../../fleet/sources/code-source-store.ts';
import { noteEnvironment, stateOfStage } from '../../fleet/stages/environment-note.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import type { QueueDepth } from '../../store/ports/compile-queue.ts';
import type { EnvironmentRecord } from '../../store/ports/environment-store.ts';
import type { ServerState } from '../../store/ports/servers.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import {
  addTableOptions,
  createListStyle,
  type ListColumn,
  printList,
  type TableFormat,
} from '../client/list-table.ts';
import { formatJson } from '../client/option-values.ts';
import { formatAge } from '../client/relative-time.ts';
import { repeatPrint, WATCH_OPTION, type WatchedOutput } from '../client/watch-output.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';
import { describeState } from './database-state-line.ts';

type Print = (text: string) => Promise<void>;
type QueueRow = readonly [queue: string, depth: QueueDepth];
/** An environment with its staged deploy and what was rolled back, in words. */
type EnvironmentRow = EnvironmentRecord & { readonly note: string | null };

const QUEUES: readonly ListColumn<QueueRow>[] = [
  { name: 'queue', value: ([queue]) => queue },
  { name: 'waiting', value: ([, { visible }]) => visible },
  { name: 'running', value: ([, { inFlight }]) => inFlight },
  { name: 'oldest', value: ([, { oldestAgeMs }]) => (oldestAgeMs === 0 ? null : `${Math.ceil(oldestAgeMs / 1000)} s`) },
];

const SERVERS: readonly ListColumn<ServerState>[] = [
  { name: 'server', value: ({ name }) => name },
  { name: 'release', value: ({ release }) => release },
  { name: 'started', kind: 'time', value: ({ startedAt }) => startedAt },
  { name: 'seen', kind: 'time', value: ({ seenAt }) => seenAt },
  { name: 'state', value: ({ isAlive }) => (isAlive ? 'alive' : 'dead') },
  { name: 'leads', value: ({ leads }) => (leads.length === 0 ? null : leads.join(', ')) },
];

const ENVIRONMENTS: readonly ListColumn<EnvironmentRow>[] = [
  { name: 'environment', value: ({ name }) => name },
  { name: 'code_id', kind: 'id', value: ({ codeId }) => codeId },
  { name: 'deployed', kind: 'time', value: ({ deployedAt }) => deployedAt },
  { name: 'by', value: ({ by }) => by },
  { name: 'language', value: ({ strictness }) => strictness?.language ?? null, isOptional: true },
  {
    name: 'strictness',
    isWide: true,
    value: ({ strictness: { language: _, ...others } = {} }) => printStrictness(others),
  },
  { name: 'nodes_invalidated', value: ({ settled, revision }) => (settled >= revision ? 'all' : 'some') },
  { name: 'note', value: ({ note }) => note, isOptional: true },
];

const SOURCES: readonly ListColumn<readonly [name: string, outcome: SyncOutcome]>[] = [
  { name: 'git_source', value: ([name]) => name },
  { name: 'synchronised', kind: 'time', value: ([, { at }]) => at },
  {
    name: 'state',
    value: ([, { isRunning, troubles }]) => (isRunning ? 'running' : troubles.length > 0 ? 'troubles' : 'well'),
  },
  {
    name: 'troubles',
    value: ([, { troubles }]) => (troubles.length === 0 ? null : troubles.join('; ')),
    isOptional: true,
  },
];

/** Adds `status`: how many nodes are in which state, what waits, and which code is in force. */
export function addStatusCommand(program: Command, print: Print, variables: AwsNames): void {
  const command = program
    .command('status')
    .description('print how many nodes are in which state, what the queues hold, and which code is in force')
    .option(...WATCH_OPTION)
    .option(...DATA_OPTION);
  addTableOptions(command).action((options: StateLocation & TableFormat & WatchedOutput) =>
    repeatPrint(options, { print }, (show) =>
      withStores(options, variables, async (stores) => show(await describeStatus(stores, options))),
    ),
  );
}

async function describeStatus(stores: Stores, options: TableFormat): Promise<string> {
  const { FleetWatch } = await import('../../fleet/overview/fleet-watch.ts');
  const ignore = () => {};
  const watch = new FleetWatch(stores, { changes: null, publish: ignore, reportFailure: ignore });
  await watch.step();
  const now = stores.clock.now();
  const { view } = watch.shown;
  const states = view.countStates(now);
  const depth = await stores.queue.getDepth();
  const environments = (await stores.environments.list()).map((record) => ({
    ...record,
    note: noteEnvironment(record, now),
  }));
  const backup = await readLastBackup(stores.documents);
  const servers = (await stores.servers?.list()) ?? null;
  const database = (await stores.servers?.describeDatabase()) ?? null;
  const { GitSourceStore } = await import('../../fleet/sources/code-source-store.ts');
  const syncs = [...(await new GitSourceStore(stores).listSyncs(now))];
  const requests = watch.waitingRequests ?? 0;
  if (options.format === 'json') {
    const deployed = environments.map(describeEnvironment);
    const last_backup = backup && new Date(backup.at).toISOString();
    const all = {
      ...{ nodes: view.size, states, certificate_requests: requests, last_backup },
      ...(servers === null ? {} : { servers: servers.map(printServer), database }),
      ...(syncs.length === 0 ? {} : { git_sources: syncs.map(printSync) }),
    };
    return formatJson({ ...all, queues: depth, environments: deployed });
  }
  const counted = FLEET_STATES.flatMap((state) => (states[state] === 0 ? [] : [`${states[state]} ${state}`]));
  const style = (empty: string) => createListStyle(options, now, empty);
  return [
    `${countUnits(view.size, 'node')}${counted.length === 0 ? '' : `: ${counted.join(', ')}`}\n`,
    requests === 0
      ? ''
      : `${countUnits(requests, 'request')} for a certificate: 'understudy ca list --state requested' lists them\n`,
    `last backup: ${backup === null ? 'none' : formatAge(backup.at, now)}\n\n`,
    printList(
      Object.entries(depth).map(([name, one]): QueueRow => [name, one]),
      QUEUES,
      style(''),
    ),
    '\n',
    printList(environments, ENVIRONMENTS, style(`${NO_CODE}. 'code deploy' deploys some.`)),
    ...(syncs.length === 0 ? [] : ['\n', printList(syncs, SOURCES, style(''))]),
    ...(servers === null ? [] : ['\n', printList(servers, SERVERS, style('No server runs.'))]),
    ...(database === null ? [] : ['\n', `${database.address}: ${describeState(database)}\n`]),
  ].join('');
}

function printServer({ name, host, release, process: number, startedAt, seenAt, isAlive, leads }: ServerState) {
  const [started, seen] = [startedAt, seenAt].map((at) => new Date(at).toISOString());
  return { name, host, release, process: number, started, seen, alive: isAlive, leads };
}

function printSync([source, { at, isRunning, troubles }]: readonly [string, SyncOutcome]) {
  return { source, synchronised: new Date(at).toISOString(), running: isRunning, troubles };
}

function describeEnvironment({
  name,
  codeId,
  deployedAt,
  by,
  settled,
  revision,
  strictness = {},
  stage,
  note,
}: EnvironmentRow) {
  return {
    environment: name,
    code_id: codeId,
    deployed: new Date(deployedAt).toISOString(),
    by,
    ...(strictness.language === undefined ? {} : { language: strictness.language }),
    ...(strictness.strict === undefined ? {} : { strict: strictness.strict }),
    ...(strictness.strictVariables === undefined ? {} : { strict_variables: strictness.strictVariables }),
    nodes_invalidated: settled >= revision ? 'all' : 'some',
    staged_code_id: stage?.codeId ?? null,
    stage: stage ? stateOfStage(stage) : null,
    note,
  };
}
