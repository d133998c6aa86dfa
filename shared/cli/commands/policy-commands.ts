import type { Command } from 'commander';
import {
  FreshnessPolicies,
  InvalidPolicy,
  type PolicyEntry,
  readPolicyEntry,
  writePolicyEntry,
} from '../../fleet/catalogs/freshness.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
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
  readonly notify?: string;
  readonly notifyRate?: string;
  readonly notifyWindow?: string;
  readonly canary?: string;
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
    .action((settings: Settings) =>
      withStores(settings, variables, ({ documents }) =>
        withCommandErrors(async () => {
          const [keys, entry] = [keysOf(settings), entryOf(settings)];
          for (const key of keys) {
            await new FreshnessPolicies(documents).put(key, entry);
            await print(`${key} set\n`);
          }
        }),
      ),
    );
  command('delete', 'delete a policy').action((target: Target) =>
    withStores(target, variables, ({ documents }) =>
      withCommandErrors(async () => {
        const policies = new FreshnessPolicies(documents);
        for (const key of keysOf(target)) {
          if ((await policies.get(key)) === null) throw new CommandError(`there is no policy '${key}'`);
          await policies.delete(key);
          await print(`${key} deleted\n`);
        }
      }),
    ),
  );
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
  const { notify, notifyRate, notifyWindow, canary } = settings;
  const document = {
    ...(freshness === undefined ? {} : { freshness }),
    ...(hold === undefined ? {} : { hold_seconds: Number(hold) }),
    ...(afterHold === undefined ? {} : { after_hold: afterHold }),
    ...(retryAfter === undefined ? {} : { retry_after_seconds: retryAfter.split('-').map(Number) }),
    ...(exports === undefined ? {} : { exports }),
    ...(deployCheck === undefined ? {} : { deploy_check: deployCheck }),
    ...(compiler === undefined ? {} : { compiler }),
    ...(notify === undefined ? {} : { notify }),
    ...(notifyRate === undefined ? {} : { notify_rate: notifyRate }),
    ...(notifyWindow === undefined ? {} : { notify_window: notifyWindow }),
    ...(canary === undefined ? {} : { canary: canary.endsWith('%') ? canary : Number(canary) }),
  };
  if (Object.keys(document).length > 0) return readPolicyEntry(document);
  const freshnessOptions = '--freshness, --hold, --after-hold, --retry-after, --exports, --deploy-check, --compiler';
  throw new CommandError(
    `nothing to set: give ${freshnessOptions}, --notify, --notify-rate, --notify-window or --canary`,
  );
}

async function withCommandErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof InvalidPolicy ? new CommandError(error.message) : error;
  }
}
