import { homedir } from 'node:os';
import { type Command, Option } from 'commander';
import {
  FAILING_CAUSES,
  type FailingCause,
  type FleetNodeState,
  type FleetSort,
  failingCause,
  fleetStates,
  type ViewedNode,
} from '../../../fleet/overview/fleet-states.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { suggestSimilar } from '../../../util/suggest-similar.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
  selectRows,
} from '../../client/list-table.ts';
import { repeatPrint, WATCH_OPTION, type WatchedOutput } from '../../client/watch-output.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';

type Print = (text: string) => Promise<void>;

const STATES: readonly FleetNodeState[] = ['current', 'volatile', 'stale', 'failing', 'silent', 'new'];

interface NodeListOptions extends StateLocation, ListOptions, WatchedOutput {
  readonly state?: FleetNodeState;
  readonly cause?: FailingCause;
  readonly environment?: string;
  readonly query?: string;
  readonly serviceUrl?: string;
}

interface ListedNode extends ViewedNode {
  readonly states: readonly FleetNodeState[];
}

const COLUMNS: readonly ListColumn<ListedNode>[] = [
  { name: 'certname', value: ({ certname }) => certname },
  { name: 'environment', value: ({ environment }) => environment },
  { name: 'state', kind: 'state', value: ({ states }) => states },
  { name: 'catalog', kind: 'time', value: ({ compiledAt }) => compiledAt },
  { name: 'check_in', kind: 'time', value: ({ lastSeen }) => lastSeen || null },
  { name: 'failed_run', isWide: true, value: ({ runStatus }) => runStatus === 'failed' },
  { name: 'failure', isWide: true, value: ({ failure }) => failure },
];

/** The columns that order nodes, with the order of the view. */
const SORTS: ReadonlyMap<string, FleetSort> = new Map([
  ['certname', 'certname'],
  ['environment', 'environment'],
  ['state', 'state'],
  ['catalog', 'compiledAt'],
  ['check_in', 'lastSeen'],
]);

/** Puts into `failure` how the last run failed, where the code compiles. */
async function addRunFailures(
  rows: readonly ListedNode[],
  { documents }: Pick<Stores, 'documents'>,
): Promise<readonly ListedNode[]> {
  const { describeRunFailures } = await import('../../../fleet/failures/run-failure-texts.ts');
  const failed = rows.filter((node) => failingCause(node) === 'run').map(({ certname }) => certname);
  const texts = await describeRunFailures(documents, failed, true);
  return rows.map((row) => ({ ...row, failure: row.failure ?? texts.get(row.certname) ?? null }));
}

/** Adds `node list`. */
export function addNodeList(node: Command, print: Print, variables: AwsNames): void {
  const command = node
    .command('list')
    .description('list the nodes: certname, environment, state, age of the catalog, last check-in')
    .addOption(
      new Option(
        '--state <state>',
        'only nodes in this state: failing (does not compile, or the last run failed), silent (no check-in for an hour), stale (an input changed), volatile (its catalog follows from calls that are not deterministic), new (no catalog yet), current (none of these)',
      ).choices(STATES),
    )
    .addOption(
      new Option('--cause <cause>', 'only failing nodes: those that do not compile, or whose last run failed').choices(
        FAILING_CAUSES,
      ),
    )
    .option('--environment <name>', 'only nodes of this environment')
    .option('--query <pql>', 'only nodes that this query of the inventory returns, in PQL or AST')
    .option('--service-url <url>', 'the inventory for --query (default: http://127.0.0.1:8080)')
    .option(...WATCH_OPTION)
    .option(...DATA_OPTION);
  addListOptions(
    command,
    COLUMNS.filter(({ name }) => SORTS.has(name)),
  ).action(async (options: NodeListOptions) => {
    const wanted = options.query === undefined ? null : await findCertnames(options.query, options);
    await repeatPrint(options, { print }, (show) =>
      withStores(options, variables, async (stores) => show(await listNodes(stores, options, wanted))),
    );
  });
}

/** `wanted`: the only nodes to list; null for all. */
async function listNodes(
  stores: Stores,
  options: NodeListOptions,
  wanted: ReadonlySet<string> | null,
): Promise<string> {
  const { FleetWatch } = await import('../../../fleet/overview/fleet-watch.ts');
  const ignore = () => {};
  const watch = new FleetWatch(stores, { changes: null, publish: ignore, reportFailure: ignore });
  await watch.step();
  const now = stores.clock.now();
  const { state = null, cause = null, environment = null } = options;
  const { column = 'certname', isDescending = false } = options.sort ?? {};
  const sort = SORTS.get(column) ?? 'certname';
  const limit = Number.POSITIVE_INFINITY;
  const query = { state: null, cause, search: '', environment, among: wanted, sort, isDescending, after: null, limit };
  const { nodes } = watch.shown.view.list(query, now);
  if (environment !== null && nodes.length === 0) await demandDeployed(environment, stores);
  const rows = nodes
    .map((node) => ({ ...node, states: fleetStates(node, now) }))
    .filter(({ states }) => state === null || states.includes(state));
  const { sort: _, ...ordered } = createListStyle(options, now, 'There is no such node.');
  const { limit: __, ...style } = ordered;
  return printList(await addRunFailures(selectRows(rows, COLUMNS, ordered), stores), COLUMNS, style);
}

/** Throws CommandError for an environment without nodes that has no code either: it is a slip. */
async function demandDeployed(name: string, { environments }: Stores): Promise<void> {
  const known = (await environments.list()).map((one) => one.name);
  if (!known.includes(name)) throw new CommandError(`there is no environment '${name}'${suggestSimilar(name, known)}`);
}

/** The certnames that a query gives. Throws ClientError, also when its rows have none. */
async function findCertnames(
  query: string,
  options: Pick<NodeListOptions, 'serviceUrl'>,
): Promise<ReadonlySet<string>> {
  const { InventoryClient, readInventoryAddress } = await import('../../client/inventory-client.ts');
  const { GLOBAL_CLIENT_FOLDER } = await import('../../client/client-settings.ts');
  const { ClientError } = await import('../../client/client-error.ts');
  const client = new InventoryClient(readInventoryAddress(options, { home: homedir(), global: GLOBAL_CLIENT_FOLDER }));
  const found = new Set<string>();
  try {
    for await (const row of client.readRows('', { query })) {
      const { certname }: { readonly certname?: unknown } = JSON.parse(row);
      if (typeof certname !== 'string') throw new ClientError('the rows of the query have no certname');
      found.add(certname);
    }
    return found;
  } finally {
    client.close();
  }
}
