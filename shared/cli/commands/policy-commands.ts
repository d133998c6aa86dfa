import type { Command } from 'commander';
import {
  FreshnessPolicies,
  InvalidPolicy,
  type PolicyEntry,
  readPolicyEntry,
  writePolicyEntry,
} from '../../fleet/catalogs/freshness.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { addListOptions, createListStyle, type ListColumn, type ListOptions, printList } from '../client/list-table.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';
import { CommandError } from './node-files.ts';

type Print = (text: string) => Promise<void>;

interface Target extends StateLocation {
  readonly environment?: string;
  readonly node?: readonly string[];
}

interface Settings extends Target {
  readonly freshness?: string;
  readonly hold?: string;
  readonly afterHold?: string;
  readonly retryAfter?: string;
  readonly exports?: string;
  readonly deployCheck?: string;
  readonly compiler?: string;
  readonly strict?: string;
  readonly strictVariables?: string;
  readonly notify?: string;
  readonly notifyRate?: string;
  readonly notifyWindow?: string;
  readonly canary?: string;
  readonly stageCanaries?: string;
  readonly stageMinutes?: string;
  readonly stageWhenGood?: string;
  readonly stageWhenWorse?: string;
  readonly stageWhenLate?: string;
}

/** Adds `policy list`, `policy set` and `policy delete`. */
export function addPolicyCommands(program: Command, print: Print, variables: AwsNames): void {
  const policy = program
    .command('policy')
    .description('set what nodes get while their catalog is out of date, and whether a changed catalog starts a run');
  const list = policy
    .command('list')
    .description(
      'list the policies; the policy of a node overrides that of its environment, which overrides the default',
    )
    .option(...DATA_OPTION);
  addListOptions(list, COLUMNS).action((options: StateLocation & ListOptions) =>
    withStores(options, variables, async ({ documents, clock }) => {
      const empty = 'There is no policy: all nodes get the built-in default.';
      const found = await new FreshnessPolicies(documents).list();
      if (options.format === 'json') {
        const rows = found.map(({ key, entry }) => ({ key, policy: writePolicyEntry(entry) }));
        return print(`${JSON.stringify(rows, null, 2)}\n`);
      }
      await print(printList(found, COLUMNS, createListStyle(options, clock.now(), empty)));
    }),
  );
  const command = (name: string, description: string) =>
    policy
      .command(name)
      .description(description)
      .option('--environment <name>', 'the policy of the nodes of this environment')
      .option('--node <certname...>', 'the policy of each of these nodes; without either option, of all nodes')
      .option(...DATA_OPTION);
  command('set', 'replace a policy; an omitted value comes from the environment, or the default')
    .option(
      '--freshness <how>',
      'wait (for the compile), stale (the last good catalog at once) or retry (503 with Retry-After at once)',
    )
    .option('--hold <seconds>', 'the longest wait')
    .option('--after-hold <how>', 'after the longest wait: stale or retry')
    .option('--retry-after <range>', 'the range of Retry-After in seconds, such as 30-90')
    .option(
      '--exports <how>',
      'what a changed export does to the nodes that collect it: follow (compile them) or ring (nothing; the verification of the ring finds it); not for a node',
    )
    .option(
      '--deploy-check <how>',
      'on: a deploy compiles one node of each role first, and is refused when one fails that compiled before; off by default, not for a node',
    )
    .option(
      '--compiler <whose>',
      'whose catalogs nodes get: understudy, upstream (those of the server that --compiler-upstream names) or compare (the same, compared with ours)',
    )
    .option(
      '--strict <level>',
      "how strictly nodes are compiled, in place of the server's --strict: off, warning or error; a change compiles the nodes of the environment again; not for a node",
    )
    .option(
      '--strict-variables <boolean>',
      "whether an unknown variable is an error, in place of the server's --strict-variables: true or false; not for a node",
    )
    .option(
      '--notify <how>',
      'what follows when a catalog changes: off (the node gets it at its next check-in), paced or now (it is told to run)',
    )
    .option(
      '--notify-rate <rate>',
      'how many paced nodes are told to run in a period, such as 2%/min or 10/min; not for a node',
    )
    .option(
      '--notify-window <time>',
      "when nodes are told: a time of the day in UTC or another zone, such as '22:00-05:00 Europe/Berlin', or any",
    )
    .option(
      '--canary <count>',
      'how many nodes, or which share of them (2%), run before the others, which wait for their reports; not for a node',
    )
    .option(
      '--stage-canaries <nodes>',
      'stage deploys: how many of the nodes that use what changed, or which share of them (5%), have new code first; off gives it to all; not for a node',
    )
    .option('--stage-minutes <count>', 'how long the canaries of a staged deploy have to run')
    .option('--stage-when-good <end>', 'when all canaries ran, and none is worse: promote or hold')
    .option('--stage-when-worse <end>', 'when a canary is worse than before: hold or abort')
    .option('--stage-when-late <end>', 'when not all canaries ran in time: hold, promote or abort')
    .action((settings: Settings) =>
      withStores(settings, variables, (stores) =>
        withCommandErrors(async () => {
          const [keys, entry] = [keysOf(settings), entryOf(settings)];
          for (const key of keys) {
            await change(key, entry, stores, print);
          }
        }),
      ),
    );
  command('delete', 'delete a policy').action((target: Target) =>
    withStores(target, variables, (stores) =>
      withCommandErrors(async () => {
        const policies = new FreshnessPolicies(stores.documents);
        for (const key of keysOf(target)) {
          if ((await policies.get(key)) === null) throw new CommandError(`there is no policy '${key}'`);
          await change(key, null, stores, print);
        }
      }),
    ),
  );
}

/** Has nodes compiled again, too, whose environment is more or less strict from now on. */
async function change(key: string, entry: PolicyEntry | null, stores: Stores, print: Print): Promise<void> {
  const { changePolicy } = await import('../../fleet/code/environment-strictness.ts');
  const { noteStrictness } = await import('../../fleet/code/note-strictness.ts');
  const { settleEnvironment } = await import('../../fleet/fan-out/settle-environment.ts');
  const changed = await changePolicy(stores, key, entry);
  await print(`${key} ${entry === null ? 'deleted' : 'set'}\n`);
  for (const record of changed) {
    const { count } = await settleEnvironment(record.name, stores);
    await noteStrictness(record, 'command line', stores);
    const nodes = `${countUnits(count, 'node')} ${count === 1 ? 'is' : 'are'}`;
    await print(`environment ${record.name}: another strictness; ${nodes} compiled again\n`);
  }
}

const COLUMNS: readonly ListColumn<{ readonly key: string; readonly entry: PolicyEntry }>[] = [
  { name: 'policy', value: ({ key }) => key },
  { name: 'settings', value: ({ entry }) => describeEntry(entry) },
];

/** `hold_seconds=60 retry_after_seconds=10-300`, by the names that the HTTP API has. */
function describeEntry(entry: PolicyEntry): string {
  return Object.entries(writePolicyEntry(entry))
    .map(([name, value]) => `${name}=${Array.isArray(value) ? value.join('-') : String(value)}`)
    .join(' ');
}

function keysOf({ environment, node }: Target): readonly string[] {
  if (environment !== undefined && node !== undefined) throw new CommandError('give --environment or --node, not both');
  if (node !== undefined) return node.map((certname) => `nodes/${certname}`);
  return [environment === undefined ? 'default' : `environments/${environment}`];
}

function entryOf(settings: Settings): PolicyEntry {
  const { freshness, hold, afterHold, retryAfter, exports, deployCheck, compiler } = settings;
  const { strict, strictVariables, notify, notifyRate, notifyWindow, canary } = settings;
  const document = {
    ...(freshness === undefined ? {} : { freshness }),
    ...(hold === undefined ? {} : { hold_seconds: Number(hold) }),
    ...(afterHold === undefined ? {} : { after_hold: afterHold }),
    ...(retryAfter === undefined ? {} : { retry_after_seconds: retryAfter.split('-').map(Number) }),
    ...(exports === undefined ? {} : { exports }),
    ...(deployCheck === undefined ? {} : { deploy_check: deployCheck }),
    ...(compiler === undefined ? {} : { compiler }),
    ...(strict === undefined ? {} : { strict }),
    ...(strictVariables === undefined ? {} : { strict_variables: readBoolean(strictVariables) }),
    ...(notify === undefined ? {} : { notify }),
    ...(notifyRate === undefined ? {} : { notify_rate: notifyRate }),
    ...(notifyWindow === undefined ? {} : { notify_window: notifyWindow }),
    ...(canary === undefined ? {} : { canary: canary.endsWith('%') ? canary : Number(canary) }),
    ...stageSettingsOf(settings),
  };
  if (Object.keys(document).length > 0) return readPolicyEntry(document);
  const freshnessOptions = '--freshness, --hold, --after-hold, --retry-after, --exports, --deploy-check, --compiler';
  throw new CommandError(
    `nothing to set: give ${freshnessOptions}, --strict, --strict-variables, --notify, --notify-rate, --notify-window, --canary or --stage-canaries`,
  );
}

function stageSettingsOf(settings: Settings) {
  const { stageCanaries, stageMinutes, stageWhenGood, stageWhenWorse, stageWhenLate } = settings;
  const isCount = stageCanaries !== undefined && /^\d+$/.test(stageCanaries);
  return {
    ...(stageCanaries === undefined ? {} : { stage_canaries: isCount ? Number(stageCanaries) : stageCanaries }),
    ...(stageMinutes === undefined ? {} : { stage_minutes: Number(stageMinutes) }),
    ...(stageWhenGood === undefined ? {} : { stage_when_good: stageWhenGood }),
    ...(stageWhenWorse === undefined ? {} : { stage_when_worse: stageWhenWorse }),
    ...(stageWhenLate === undefined ? {} : { stage_when_late: stageWhenLate }),
  };
}

/** Other texts are left to the reader of policies, which refuses them. */
function readBoolean(text: string): boolean | string {
  return text === 'true' || text === 'false' ? text === 'true' : text;
}

async function withCommandErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isRefused = error instanceof InvalidPolicy || (error instanceof Error && error.name === 'CodeIsStaged');
    throw isRefused ? new CommandError(error.message) : error;
  }
}
