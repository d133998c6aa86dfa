import { readFile } from 'node:fs/promises';
import { type Command, Option } from 'commander';
import { STAGE_ENDS, STAGE_MINUTES } from '../../../config/stage-limits.ts';
import type { ScannedEnvironment } from '../../../fleet/code/scan-environment.ts';
import type { BegunStage } from '../../../fleet/stages/begin-stage.ts';
import type { ShownStage } from '../../../fleet/stages/show-stage.ts';
import { type CanaryChoice, createStagePlan, parseCanaries } from '../../../fleet/stages/stage-plan.ts';
import type { StagePlan } from '../../../store/ports/environment-store.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { countUnits } from '../../../util/count-units.ts';
import { shortenId } from '../../../util/short-id.ts';
import {
  addListOptions,
  createListStyle,
  type ListColumn,
  type ListOptions,
  printList,
} from '../../client/list-table.ts';
import { parseWholeNumber } from '../../client/option-values.ts';
import { Progress } from '../../client/progress.ts';
import { formatAge } from '../../client/relative-time.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';
import type { DeployProcess } from './code-deploy-command.ts';

/** Options of `code deploy` that stage a deploy. */
export interface CanaryOptions {
  /** False: all nodes have the code at once, whatever the policy says. */
  readonly canary?: string | false;
  readonly canaryMinutes: number;
  readonly whenGood: string;
  readonly whenWorse: string;
  readonly whenLate: string;
  readonly countChanges?: boolean;
}

/** Adds the options of a staged deploy to `code deploy`. */
export function addCanaryOptions(command: Command): Command {
  const choices = (flags: string, text: string, known: readonly string[]) =>
    new Option(flags, text).choices(known).default(known[0]);
  return command
    .option(
      '--canary <nodes>',
      'give the code to some nodes first: a number or share (5%) of those that use what changed, certnames, or @FILE with certnames',
    )
    .option('--no-canary', 'give the code to all nodes at once, even if the policy stages it')
    .option(
      '--canary-minutes <count>',
      'how long the canaries have to run',
      parseWholeNumber(STAGE_MINUTES.least, STAGE_MINUTES.most),
      STAGE_MINUTES.usual,
    )
    .addOption(choices('--when-good <end>', 'when all canaries ran, and none is worse', STAGE_ENDS.whenGood))
    .addOption(choices('--when-worse <end>', 'when a canary is worse than before', STAGE_ENDS.whenWorse))
    .addOption(choices('--when-late <end>', 'when not all canaries ran in time', STAGE_ENDS.whenLate))
    .option('--count-changes', 'a canary is worse, too, when its run changes more resources than the one before');
}

/** A staged deploy as its options have it. */
interface WantedStage {
  readonly canaries: CanaryChoice;
  readonly plan: StagePlan;
}

/** Reads the options; null for a deploy to all nodes. Throws InvalidStage, CommandError. */
export async function readCanaryOptions({ canary, ...options }: CanaryOptions): Promise<WantedStage | null> {
  if (canary === undefined || canary === false) return null;
  const text = canary.startsWith('@') ? await readNames(canary.slice(1)) : canary;
  const { canaryMinutes: minutes, whenGood, whenWorse, whenLate, countChanges: countsChanges } = options;
  const plan = createStagePlan({ minutes, whenGood, whenWorse, whenLate, countsChanges });
  return { canaries: parseCanaries(text), plan };
}

async function readNames(file: string): Promise<string> {
  return readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`cannot read the names of canaries: ${error.message}`);
  });
}

/** Stores scanned code and begins its stage; returns what is to be printed. */
export async function stageScanned(
  scanned: ScannedEnvironment,
  { canaries, plan }: WantedStage,
  by: string,
  stores: Stores,
): Promise<string> {
  const { prepareEnvironment } = await import('../../../fleet/code/deploy.ts');
  const { beginStage } = await import('../../../fleet/stages/begin-stage.ts');
  const { PREPARATION } = await import('../../../http/preparation.ts');
  const { environment } = scanned.snapshot;
  const progress = new Progress();
  progress.show(`${environment}: storing files`);
  const { codeId } = await prepareEnvironment(stores, scanned, PREPARATION);
  progress.show(`${environment}: invalidating canaries`);
  const begun = await beginStage({ environment, codeId, by, canaries, plan }, stores);
  progress.end();
  return begun === null ? `${environment} unchanged: ${shortenId(codeId)} is in force\n` : describeBegun(begun);
}

/**
 * Stages scanned code where the policy says so; returns what is to be printed, and null when all
 * nodes are to have it.
 */
export async function stageAsPolicySays(
  scanned: ScannedEnvironment,
  by: string,
  stores: Stores,
): Promise<string | null> {
  const { isStagedByPolicy, stageDeploy } = await import('../../../fleet/stages/stage-by-policy.ts');
  const { environment } = scanned.snapshot;
  if (!(await isStagedByPolicy(environment, stores))) return null;
  const { prepareEnvironment } = await import('../../../fleet/code/deploy.ts');
  const { PREPARATION } = await import('../../../http/preparation.ts');
  const progress = new Progress();
  progress.show(`${environment}: storing files`);
  const { codeId } = await prepareEnvironment(stores, scanned, PREPARATION);
  progress.show(`${environment}: invalidating canaries`);
  const staged = await stageDeploy({ environment, codeId, by }, stores);
  progress.end();
  if (staged === null) return null;
  return staged.kind === 'kept'
    ? `${environment} unchanged: ${shortenId(codeId)} is staged\n`
    : describeBegun(staged.begun);
}

function describeBegun({ environment, stage, touched, replaced }: BegunStage): string {
  const { codeId, canaries, plan } = stage;
  const named = canaries.slice(0, 5).join(', ') + (canaries.length > 5 ? ` and ${canaries.length - 5} more` : '');
  const former = replaced === null ? '' : ` in place of the staged ${shortenId(replaced)}`;
  return [
    `${environment} staged: ${shortenId(codeId)}${former}, ${countUnits(touched, 'node')} touched\n`,
    `  canaries: ${named}\n`,
    `  ${describePlan(plan)}\n`,
    `'code stage show ${environment}' prints how they do.\n`,
  ].join('');
}

function describePlan({ waitMs, whenGood, whenWorse, whenLate }: StagePlan): string {
  return `${countUnits(waitMs / 60_000, 'minute')}; all good: ${whenGood}, one worse: ${whenWorse}, late: ${whenLate}`;
}

/** Adds `code stage show`, `promote` and `abort`. */
export function addStages(code: Command, { print, variables }: Pick<DeployProcess, 'print' | 'variables'>): void {
  const stage = code.command('stage').description('manage staged deploys: code that canary nodes have first');
  const show = stage
    .command('show')
    .description('list the staged deploys; with an environment, its canaries')
    .argument('[environment]')
    .option(...DATA_OPTION);
  addListOptions(show, [...STAGE_COLUMNS, ...CANARY_COLUMNS]).action(
    (environment: string | undefined, options: StateLocation & ListOptions) =>
      withStores(options, variables, (stores) => showStage(environment, options, stores, print)),
  );
  stage
    .command('promote')
    .description('put staged code in force for all nodes, whatever its canaries say')
    .argument('<environment>')
    .option(...DATA_OPTION)
    .action((environment: string, options: StateLocation) =>
      withStores(options, variables, async (stores) => {
        const { promoteStage } = await import('../../../fleet/stages/finish-stage.ts');
        const progress = new Progress();
        progress.show(`${environment}: invalidating nodes`);
        const { stage, nodeCount } = await promoteStage(environment, stores);
        progress.end();
        await print(`${environment} promoted: ${shortenId(stage.codeId)}, ${countUnits(nodeCount, 'node')} touched\n`);
      }),
    );
  stage
    .command('abort')
    .description('take staged code back: its canaries get the code of the other nodes')
    .argument('<environment>')
    .option('--by <name>', 'who takes it back', 'command line')
    .option(...DATA_OPTION)
    .action((environment: string, options: StateLocation & { readonly by: string }) =>
      withStores(options, variables, async (stores) => {
        const { endStage } = await import('../../../fleet/stages/finish-stage.ts');
        const { stage, nodeCount } = await endStage(environment, stores, options.by);
        await print(
          `${environment} aborted: ${shortenId(stage.codeId)} taken back, ${countUnits(nodeCount, 'node')} touched\n`,
        );
      }),
    );
}

async function showStage(
  environment: string | undefined,
  options: ListOptions,
  stores: Stores,
  print: DeployProcess['print'],
): Promise<void> {
  const { showStages } = await import('../../../fleet/stages/show-stage.ts');
  const shown = await showStages(stores, environment);
  const now = stores.clock.now();
  const empty = environment === undefined ? 'No deploy is staged.' : `No deploy of ${environment} is staged.`;
  const style = createListStyle(options, now, empty);
  const [one] = shown;
  if (environment === undefined || one === undefined) return print(printList(shown, STAGE_COLUMNS, style));
  if (options.format === 'text') await print(describeStage(one, now));
  await print(printList(one.canaries, CANARY_COLUMNS, style));
}

function describeStage({ environment, codeId, begunAt, by, state, reason, plan, lateAt }: ShownStage, now: number) {
  const left = Math.max(0, Math.ceil((lateAt - now) / 60_000));
  const how =
    state === 'trial'
      ? `on trial, ${countUnits(left, 'minute')} left`
      : state === 'held'
        ? `held: ${reason}`
        : 'ending';
  return `${environment}: ${shortenId(codeId)} staged ${formatAge(begunAt, now)} by ${by}, ${how}\n  ${describePlan(plan)}\n`;
}

const STAGE_COLUMNS: readonly ListColumn<ShownStage>[] = [
  { name: 'environment', value: ({ environment }) => environment },
  { name: 'code_id', kind: 'id', value: ({ codeId }) => codeId },
  { name: 'in_force', kind: 'id', value: ({ inForce }) => inForce, isWide: true },
  { name: 'state', kind: 'state', value: ({ state }) => state },
  { name: 'begun', kind: 'time', value: ({ begunAt }) => begunAt },
  { name: 'late', kind: 'time', value: ({ lateAt }) => lateAt, isWide: true },
  { name: 'by', value: ({ by }) => by },
  { name: 'good', value: ({ counts }) => counts.good },
  { name: 'worse', value: ({ counts }) => counts.worse },
  { name: 'waiting', value: ({ counts }) => counts.waiting },
  { name: 'reason', value: ({ reason }) => reason },
];

const CANARY_COLUMNS: readonly ListColumn<ShownStage['canaries'][number]>[] = [
  { name: 'certname', value: ({ certname }) => certname },
  { name: 'status', kind: 'state', value: ({ status }) => status },
  { name: 'reason', value: ({ reason }) => reason },
];
