import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  InvalidPolicy,
  POLICY_FIELDS,
  POLICY_NAMES,
  type PolicyEntry,
  type PolicyName,
  readNumberOrText,
  readPolicyEntry,
  wireNameOf,
  writePolicyEntry,
} from '../../fleet/policies/policy-fields.ts';
import type { AwsNames } from '../../store/aws/stores.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import { suggestSimilar } from '../../util/suggest-similar.ts';
import { type Confirmed, confirm, withYes } from '../client/confirm.ts';
import { addListOptions, createListStyle, type ListColumn, type ListOptions, printList } from '../client/list-table.ts';
import type { Terminal } from '../client/terminal.ts';
import { DATA_OPTION, type StateLocation, withStores } from './command-stores.ts';
import { CommandError } from './node-files.ts';

/** The option of a field; a value that the policy refuses is refused as that of any option is. */
function toOption(name: PolicyName): Option {
  const { option, help, readText = readNumberOrText } = POLICY_FIELDS[name];
  return new Option(option, help).argParser((text) => {
    try {
      return readPolicyEntry({ [wireNameOf(name)]: readText(text) });
    } catch (error) {
      if (!(error instanceof InvalidPolicy)) throw error;
      throw new InvalidArgumentError(`${error.message.replace(/^'\w+' must/, 'It must')}.`);
    }
  });
}

/** The settings that are given. Throws CommandError without any. */
function readPolicyOptions(given: Readonly<Record<string, unknown>>): PolicyEntry {
  const entries = POLICY_NAMES.flatMap((name) => {
    const value = given[toOption(name).attributeName()];
    return typeof value === 'object' && value !== null ? [value as PolicyEntry] : [];
  });
  if (entries.length > 0) return Object.assign({}, ...entries);
  const names = POLICY_NAMES.map(flagOf);
  throw new CommandError(`nothing to set: give ${names.slice(0, -1).join(', ')} or ${names.at(-1)}`);
}

/** The options of all settings. */
function createPolicyOptions(): readonly Option[] {
  return POLICY_NAMES.map(toOption);
}

/** A message of `InvalidPolicy` with the name of the option in place of that in the HTTP API. */
function nameOption(message: string): string {
  return message.replace(/^'(\w+)'/, (quoted, wireName) => {
    const name = POLICY_NAMES.find((one) => wireNameOf(one) === wireName);
    return name === undefined ? quoted : flagOf(name);
  });
}

function flagOf(name: PolicyName): string {
  return POLICY_FIELDS[name].option.replace(/ .*/, '');
}

type Print = (text: string) => Promise<void>;

interface Target extends StateLocation, Confirmed {
  readonly environment?: string;
  readonly node?: readonly string[];
}

/** The parts of a process that the commands need. */
interface PolicyProcess {
  readonly print: Print;
  readonly variables: AwsNames;
  readonly terminal: Terminal;
  /** Writes a line to standard error. */
  readonly warn: (line: string) => void;
}

/** Adds `policy list`, `policy set` and `policy delete`. */
export function addPolicyCommands(program: Command, process: PolicyProcess): void {
  const { print, variables } = process;
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
      const found = await (await openPolicies(documents)).list();
      const style = createListStyle(options, clock.now(), empty);
      const toJson = ({ key, entry }: KeyedPolicy) => ({ key, policy: writePolicyEntry(entry) });
      await print(printList(found, COLUMNS, style, toJson));
    }),
  );
  const command = (name: string, description: string) =>
    withYes(policy.command(name))
      .description(description)
      .option('--environment <name>', 'the policy of the nodes of this environment')
      .option('--node <certname...>', 'the policy of each of these nodes; without either option, of all nodes')
      .option(...DATA_OPTION);
  const set = command('set', 'replace a policy; an omitted value comes from the environment, or the default');
  for (const option of createPolicyOptions()) set.addOption(option);
  set.action((given: Target & Readonly<Record<string, unknown>>) =>
    withStores(given, variables, (stores) =>
      withCommandErrors(async () => {
        const [keys, entry] = [keysOf(given), readPolicyOptions(given)];
        await confirmForAll(keys, given, stores, process);
        for (const key of keys) await change(key, entry, stores, print);
        await warnOfUnknown(given, stores, process);
      }),
    ),
  );
  command('delete', 'delete a policy').action((target: Target) =>
    withStores(target, variables, (stores) =>
      withCommandErrors(async () => {
        const policies = await openPolicies(stores.documents);
        const keys = keysOf(target);
        for (const key of keys) {
          if ((await policies.get(key)) === null) throw new CommandError(`there is no policy '${key}'`);
        }
        await confirmForAll(keys, target, stores, process);
        for (const key of keys) await change(key, null, stores, print);
      }),
    ),
  );
}

async function openPolicies(documents: Stores['documents']) {
  const { FreshnessPolicies } = await import('../../fleet/policies/freshness-policies.ts');
  return new FreshnessPolicies(documents);
}

/** Asks before the policy of all nodes changes, when there are some. */
async function confirmForAll(
  keys: readonly string[],
  options: Confirmed,
  { nodes }: Stores,
  { terminal }: PolicyProcess,
): Promise<void> {
  if (!keys.includes('default')) return;
  const { nodes: count } = await nodes.getCounts();
  if (count > 0)
    await confirm(`the policy of all nodes would change (${countUnits(count, 'node')})`, options, terminal);
}

/** A policy may precede the first deploy, and a slip looks the same. */
async function warnOfUnknown(
  { environment }: Target,
  { environments }: Stores,
  { warn }: PolicyProcess,
): Promise<void> {
  if (environment === undefined) return;
  const known = (await environments.list()).map(({ name }) => name);
  if (known.includes(environment)) return;
  warn(`there is no environment '${environment}' yet${suggestSimilar(environment, known)}`);
}

/** Has nodes compiled again, too, whose environment is more or less strict from now on. */
async function change(key: string, entry: PolicyEntry | null, stores: Stores, print: Print): Promise<void> {
  const { changePolicy, noteStrictness } = await import('../../fleet/code/environment-strictness.ts');
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

interface KeyedPolicy {
  readonly key: string;
  readonly entry: PolicyEntry;
}

const COLUMNS: readonly ListColumn<KeyedPolicy>[] = [
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

async function withCommandErrors(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    const isRefused = error instanceof InvalidPolicy || (error instanceof Error && error.name === 'CodeIsStaged');
    throw isRefused ? new CommandError(nameOption(error.message)) : error;
  }
}
