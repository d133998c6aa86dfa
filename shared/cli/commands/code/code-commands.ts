import type { Command } from 'commander';
import type { DeployToken } from '../../../access/tokens/deploy-tokens.ts';
import { SETTINGS } from '../../../config/settings.ts';
import type { Deployed, RollBackReport } from '../../../fleet/code/code-history.ts';
import { NO_CODE } from '../../../fleet/code/no-code.ts';
import type { PrunedCode } from '../../../fleet/code/prune-code.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { countUnits } from '../../../util/count-units.ts';
import { DAY_MS } from '../../../util/day.ts';
import { shortenId } from '../../../util/short-id.ts';
import type { WorkObserver } from '../../../util/work-observer.ts';
import { chooseId } from '../../client/choose-id.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { createFormatOption, type FormatOption, formatJson, parseWholeNumber } from '../../client/option-values.ts';
import { Progress } from '../../client/progress.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';
import { addDeploy, addRemove, type DeployProcess } from './code-deploy-command.ts';
import { addDryRun } from './code-dry-run-command.ts';
import { addStages } from './code-stage-command.ts';
import { addValues } from './code-values-command.ts';
import { addSources } from './source-commands.ts';

/** The parts of a process that the commands need. */
interface CodeProcess extends DeployProcess {
  /** Returns a secret of 256 random bits, as text. */
  readonly newSecret: () => string;
}

/**
 * Adds `code`. Its commands work on a data directory, or on the deployment in AWS that the
 * environment variables name.
 */
export function addCodeCommands(program: Command, context: CodeProcess): void {
  const code = program.command('code').description('deploy code, and manage deployed code');
  addDeploy(code, context);
  addDryRun(code, context);
  addRemove(code, context);
  addHistory(code, context);
  addStages(code, context);
  addPrune(code, context);
  addTokens(code, context);
  addSources(code, context);
  addValues(code, context);
}

type DiffOptions = StateLocation & FormatOption;

function addHistory(code: Command, { print, variables }: CodeProcess): void {
  const list = code
    .command('list')
    .description(
      'list the deployed environments: name, code id, time, author; or the history of one environment, newest first',
    )
    .argument('[environment]')
    .option(...DATA_OPTION);
  addListOptions(list, ENVIRONMENT_COLUMNS).action(
    (environment: string | undefined, options: StateLocation & ListOptions) =>
      withStores(options, variables, async (stores) => {
        const { codeHistory } = await import('../../../fleet/code/code-history.ts');
        const states =
          environment === undefined
            ? await listInForce(stores)
            : (await codeHistory(stores, environment)).map((state) => ({
                ...state,
                environment,
                progress: null,
                note: null,
              }));
        const empty = `${NO_CODE}. 'code deploy' deploys some.`;
        const columns = environment === undefined ? ENVIRONMENT_COLUMNS : STATE_COLUMNS;
        await print(printList(states, columns, createListStyle(options, stores.clock.now(), empty)));
      }),
  );
  code
    .command('diff')
    .description('list the files that differ between two states of an environment, and the nodes that use them')
    .argument('<environment>')
    .argument('[from]', 'a code id or its prefix; the previous state by default')
    .argument('[to]', 'a code id or its prefix; the state in force by default')
    .addOption(createFormatOption())
    .option(...DATA_OPTION)
    .action((environment: string, from: string | undefined, to: string | undefined, options: DiffOptions) =>
      withStores(options, variables, async (stores) => {
        const { diffDeployed } = await import('../../../fleet/code/code-history.ts');
        const { printPreview } = await import('./print-preview.ts');
        const { codeId, ...found } = await diffDeployed(stores, environment, from ?? null, to ?? null);
        await print(
          options.format === 'json' ? formatJson({ ...found, code_id: codeId }) : printPreview({ ...found, codeId }),
        );
      }),
    );
  code
    .command('rollback')
    .description(
      'put an earlier state of an environment in force again; a second rollback returns to the state that the first one left, --to goes to any other',
    )
    .argument('<environment>')
    .option('--to <code id>', 'a code id or its prefix; the previous state by default')
    .option('--by <name>', 'the author, for the history', 'command line')
    .option(...DATA_OPTION)
    .action((environment: string, options: StateLocation & { to?: string; by: string }) =>
      withStores(options, variables, async (stores) => {
        const { rollBack } = await import('../../../fleet/code/code-history.ts');
        await print(printRollBack(await rollBack(stores, environment, options.to ?? null, options.by)));
      }),
    );
}

/** Lists the code in force, with the progress of its deploys. */
async function listInForce(stores: Stores): Promise<readonly ListedState[]> {
  const { noteEnvironment } = await import('../../../fleet/stages/environment-note.ts');
  const { printFanOutProgress, readFanOutProgress } = await import('../../../fleet/fan-out/fan-out-progress.ts');
  const listed: ListedState[] = [];
  for (const record of await stores.environments.list()) {
    const fanOut = await readFanOutProgress(record, stores);
    const progress = fanOut && printFanOutProgress(fanOut);
    listed.push({ ...record, environment: record.name, progress, note: noteEnvironment(record, stores.clock.now()) });
  }
  return listed;
}

interface PruneOptions extends StateLocation {
  readonly keepHistory: number;
  readonly keepDays: number;
  readonly dryRun?: boolean;
}

function addPrune(code: Command, { print, variables }: CodeProcess): void {
  const { keepHistory, keepCode } = SETTINGS;
  code
    .command('prune')
    .description('delete code that no environment, history, staged upload or catalog of a node needs')
    .option(
      '--keep-history <states>',
      'how many earlier states of an environment to keep',
      parseWholeNumber(0, 99_999),
      keepHistory.usual,
    )
    .option(
      '--keep-days <days>',
      'how long to keep code that nothing needs',
      parseWholeNumber(0, 99_999),
      keepCode.usual,
    )
    .option('--dry-run', 'print what would be deleted, and delete nothing')
    .option(...DATA_OPTION)
    .action((options: PruneOptions) =>
      withStores(options, variables, async (stores) => {
        const { pruneCode } = await import('../../../fleet/code/prune-code.ts');
        const { dryRun = false } = options;
        const progress = new Progress();
        const observe: WorkObserver = (what, done, of) => progress.show(what, done, of);
        const pruned = await pruneCode(stores, {
          observe,
          historyKept: options.keepHistory,
          keptMs: options.keepDays * DAY_MS,
          dryRun,
        });
        progress.end();
        if (pruned === null) throw new CommandError('another deploy or prune is running: try again later');
        await print(printPruned(pruned, dryRun));
      }),
    );
}

function printPruned({ snapshots, leaving, files, bytes }: PrunedCode, dryRun: boolean): string {
  const would = dryRun ? 'would be ' : '';
  return [
    ...snapshots.map((codeId) => `${shortenId(codeId)} ${would}pruned\n`),
    ...leaving.map((codeId) => `${shortenId(codeId)} no longer needed, kept for now\n`),
    `${countUnits(snapshots.length, 'snapshot')}, ${countUnits(files, 'file')}, ${countUnits(bytes, 'byte')} ${would}pruned\n`,
  ].join('');
}

function addTokens(code: Command, { print, variables, newSecret }: CodeProcess): void {
  const token = code.command('token').description('tokens for deploys over HTTP');
  token
    .command('create')
    .description('create a token and print it; it cannot be shown again')
    .requiredOption('--by <name>', 'the owner, recorded as the author of deploys')
    .option('--days <count>', 'how long the token is valid; without a limit by default', parseWholeNumber(1, 99_999))
    .option(...DATA_OPTION)
    .action((options: StateLocation & { by: string; days?: number }) =>
      withStores(options, variables, async (stores) => {
        const { createToken } = await import('../../../access/tokens/deploy-tokens.ts');
        const { days } = options;
        const secret = newSecret();
        await createToken(stores, secret, options.by, days === undefined ? null : days * DAY_MS);
        await print(`${secret}\n`);
      }),
    );
  const list = token
    .command('list')
    .description('list the tokens: id, owner, time of creation, expiry')
    .option(...DATA_OPTION);
  addListOptions(list, TOKEN_COLUMNS).action((options: StateLocation & ListOptions) =>
    withStores(options, variables, async (stores) => {
      const { listTokens } = await import('../../../access/tokens/deploy-tokens.ts');
      const style = createListStyle(options, stores.clock.now(), 'There is no token.');
      await print(printList(await listTokens(stores), TOKEN_COLUMNS, style));
    }),
  );
  token
    .command('revoke')
    .description('revoke a token')
    .argument('<id>', 'the id, as `list` prints it, or its first digits')
    .option(...DATA_OPTION)
    .action((id: string, options: StateLocation) =>
      withStores(options, variables, async (stores) => {
        const { listTokens, revokeToken } = await import('../../../access/tokens/deploy-tokens.ts');
        const known = await listTokens(stores);
        const found = chooseId(
          known.map((token) => token.id),
          id,
          'token',
        );
        await revokeToken(stores, found);
        await print(`${found} revoked\n`);
      }),
    );
}

interface ListedState extends Deployed {
  readonly environment: string;
  /** Progress of the deploy's fan-out; null when it is complete. */
  readonly progress: string | null;
  /** Its staged deploy, and what was rolled back; null without either. */
  readonly note: string | null;
}

const STATE_COLUMNS: readonly ListColumn<ListedState>[] = [
  { name: 'environment', value: ({ environment }) => environment },
  { name: 'code_id', kind: 'id', value: ({ codeId }) => codeId },
  { name: 'deployed', kind: 'time', value: ({ deployedAt }) => deployedAt },
  { name: 'by', value: ({ by }) => by },
];

/** Columns of the code in force alone. */
const ENVIRONMENT_COLUMNS: readonly ListColumn<ListedState>[] = [
  ...STATE_COLUMNS,
  { name: 'invalidating', value: ({ progress }) => progress, isWide: true },
  { name: 'note', value: ({ note }) => note, isOptional: true },
];

const TOKEN_COLUMNS: readonly ListColumn<DeployToken>[] = [
  { name: 'id', kind: 'id', value: ({ id }) => id },
  { name: 'by', value: ({ by }) => by },
  { name: 'created', kind: 'time', value: ({ createdAt }) => createdAt },
  { name: 'expires', kind: 'time', value: ({ expiresAt }) => expiresAt },
];

function printRollBack({ environment, from, to, changed, files, nodeCount, wasStaged }: RollBackReport): string {
  const describe = ({ codeId, deployedAt, by }: Deployed) => `${shortenId(codeId)} (${formatTime(deployedAt)}, ${by})`;
  if (!changed) return `${environment} unchanged: ${describe(to)} is in force\n`;
  return [
    `${environment} rolled back: ${countUnits(files, 'file')}, ${countUnits(nodeCount, 'node')} touched\n`,
    `  from ${describe(from)}\n`,
    `  to   ${describe(to)}\n`,
    wasStaged
      ? 'The staged deploy was taken back; --to goes to an earlier state.\n'
      : `Another rollback returns to ${shortenId(from.codeId)}; --to chooses a state of 'code list ${environment}'.\n`,
    'A git source or a watched control repo that has this code does not bring it again; its next change goes on.\n',
  ].join('');
}

function formatTime(at: number): string {
  return new Date(at).toISOString();
}
