import type { Command } from 'commander';
import { readRunnerProgram } from '../../../orchestrator/runner/runner-program.ts';
import { systemClock } from '../../../store/system-clock.ts';
import { describeAgent, describePing, describePings } from '../../client/agent-texts.ts';
import { ClientError } from '../../client/client-error.ts';
import { makeFactQuery } from '../../client/fact-filter.ts';
import { listRecords } from '../../client/job-progress.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
  selectRows,
} from '../../client/list-table.ts';
import { createClientFormatOption, type FormatOption, formatJson } from '../../client/option-values.ts';
import type { JsonRecord, OrchestratorClient, OrchestratorOptions } from '../../client/orchestrator-client.ts';
import { type JobProcess, openOrchestrator } from './run-job.ts';
import { addFinderOptions, addServiceOptions, type FinderOptions, readFinderOptions } from './target-options.ts';

interface AgentListOptions extends FinderOptions, OrchestratorOptions, ListOptions {
  readonly connected?: boolean;
  readonly disconnected?: boolean;
  readonly names?: boolean;
  readonly outdated?: boolean;
}

type PingOptions = FinderOptions & OrchestratorOptions & FormatOption;

const COLUMNS: readonly ListColumn<JsonRecord>[] = [
  { name: 'name', value: ({ name }) => String(name) },
  { name: 'state', kind: 'state', value: ({ connected }) => (connected === true ? 'connected' : 'not connected') },
  {
    name: 'since',
    kind: 'time',
    value: ({ timestamp }) => (typeof timestamp === 'string' ? Date.parse(timestamp) : null),
  },
  { name: 'broker', isWide: true, value: ({ broker }) => (typeof broker === 'string' ? broker : null) },
];

const PINGED_AT_ONCE = 250;
const RUNNER_FACT = 'understudy_runner_version';

/** Adds `agents`: which agents there are, whether they answer, and what is known of their nodes. */
export function addAgentsCommands(program: Command, context: JobProcess): void {
  const agents = program.command('agents').description('find agents, ping them, and look at their nodes');
  const list = addServiceOptions(addFinderOptions(agents.command('list')))
    .alias('find')
    .description('list nodes, and whether their agents are connected; all nodes without a filter')
    .option('--connected', 'only connected ones')
    .option('--disconnected', 'only those that are not connected')
    .option('--outdated', "only nodes whose understudy-runner is not this release's; needs the inventory")
    .option('--names', 'print names alone, one a line, as --nodes @FILE takes them');
  addListOptions(list, COLUMNS, { format: createClientFormatOption() }).action((options: AgentListOptions) =>
    listAgents(options, context),
  );
  addServiceOptions(addFinderOptions(agents.command('ping')))
    .description('ping agents: all that are connected, or those of a filter. The exit code is 1 unless all answer')
    .addOption(createClientFormatOption())
    .action((options: PingOptions) => pingAgents(options, context));
  addServiceOptions(agents.command('status'))
    .alias('inventory')
    .description("show a node's connection, catalog and facts")
    .argument('<node>', 'its certname')
    .addOption(createClientFormatOption())
    .action((node: string, options: OrchestratorOptions & FormatOption) => showAgent(node, options, context));
}

async function listAgents(options: AgentListOptions, context: JobProcess): Promise<void> {
  if (options.connected && options.disconnected) {
    throw new ClientError('--connected and --disconnected exclude each other');
  }
  const scope = options.outdated ? findOutdated(options) : readFinderOptions(options);
  const { client } = await openOrchestrator(options, context);
  const found = (await findAgents(client, scope)).filter(
    ({ connected }) => !(connected === true ? options.disconnected : options.connected),
  );
  const style = createListStyle(options, systemClock.now(), 'There is no such node.');
  if (options.names && options.format === 'text') {
    const names = selectRows(found, COLUMNS, style).map(({ name }) => `${name}\n`);
    return context.print(names.join(''));
  }
  await context.print(printList(found, COLUMNS, style, (agent) => agent));
}

/** Nodes say by a fact which runner they have; those without the fact have none. */
function findOutdated({ nodes, query, fact = [] }: AgentListOptions): JsonRecord {
  if (nodes !== undefined || query !== undefined) throw new ClientError('--outdated excludes --nodes and --query');
  const { version } = readRunnerProgram();
  return { query: makeFactQuery([...fact, `${RUNNER_FACT}=~^`, `${RUNNER_FACT}!=${version}`]) };
}

async function findAgents(client: OrchestratorClient, scope: JsonRecord | null): Promise<readonly JsonRecord[]> {
  const { items } = scope === null ? await client.get('/inventory') : await client.post('/inventory', scope);
  return listRecords(items);
}

async function pingAgents(options: PingOptions, context: JobProcess): Promise<void> {
  const scope = readFinderOptions(options);
  const { client } = await openOrchestrator(options, context);
  const found = await findAgents(client, scope);
  const names = found.flatMap(({ name, connected }) => (scope === null && connected !== true ? [] : [String(name)]));
  const pings: JsonRecord[] = [];
  for (let start = 0; start < names.length; start += PINGED_AT_ONCE) {
    const { items } = await client.post('/agents/ping', { nodes: names.slice(start, start + PINGED_AT_ONCE) });
    const page = listRecords(items);
    pings.push(...page);
    if (options.format === 'text') await context.print(page.map(describePing).join(''));
  }
  if (options.format === 'json') await context.print(formatJson(pings));
  else await context.print(describePings(pings));
  context.exit(pings.every(({ reason }) => reason === null) ? 0 : 1);
}

async function showAgent(
  node: string,
  options: OrchestratorOptions & FormatOption,
  context: JobProcess,
): Promise<void> {
  const { client } = await openOrchestrator(options, context);
  const agent = await client.get(`/agents/${encodeURIComponent(node)}`);
  await context.print(options.format === 'json' ? formatJson(agent) : describeAgent(agent));
}
