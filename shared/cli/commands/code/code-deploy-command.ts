import { type Command, Option } from 'commander';
import { LANGUAGE_LEVELS, type LanguageLevel } from '../../../config/language-level.ts';
import { readLeftOut, USUALLY_LEFT_OUT } from '../../../config/left-out.ts';
import type { DeployReport, FileChanges } from '../../../fleet/code/deploy.ts';
import type { ScannedEnvironment, ScanOptions } from '../../../fleet/code/scan-environment.ts';
import type { CatalogPreview, PreviewObserver } from '../../../fleet/previews/preview-catalogs.ts';
import type { TrialCompiler } from '../../../fleet/previews/trial-compiler.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { countUnits } from '../../../util/count-units.ts';
import { shortenId } from '../../../util/short-id.ts';
import { type Confirmed, confirm, withYes } from '../../client/confirm.ts';
import { createFormatOption, type FormatOption, formatJson, parseWholeNumber } from '../../client/option-values.ts';
import { openProgress } from '../../client/progress.ts';
import type { Terminal } from '../../client/terminal.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';
import { DRY_RUN_NODES, LONGEST_PREVIEW_MS } from './code-dry-run-command.ts';
import {
  addCanaryOptions,
  type CanaryOptions,
  readCanaryOptions,
  stageAsPolicySays,
  stageScanned,
} from './code-stage-command.ts';
import type { SourceProcess } from './source-commands.ts';

/** The parts of a process that the commands need. */
export interface DeployProcess extends SourceProcess {
  /** Whom a deploy asks that removes many files. */
  readonly terminal: Terminal;
}

interface DeployOptions extends StateLocation, Omit<ScanOptions, 'leaveOut'>, CanaryOptions, Confirmed, FormatOption {
  readonly leaveOut: string;
  readonly environment?: readonly string[];
  readonly by: string;
  readonly dryRun?: boolean;
  readonly language?: LanguageLevel;
  readonly check?: boolean;
  readonly nodes: number;
  readonly purge?: boolean;
}

/** More than this share of an environment's files is not removed without asking. */
const MOST_REMOVED = 0.1;

/** Adds `code deploy`. It checks all environments before it deploys the first one. */
export function addDeploy(code: Command, context: DeployProcess): void {
  const command = code
    .command('deploy')
    .description('deploy environments of a control repo; catalogs that used a changed file are compiled again')
    .argument('<dir>', 'the control repo')
    .option('--environment <name...>', 'the environments to deploy; all by default')
    .option('--by <name>', 'the author, for the history', 'command line')
    .option(
      '--dry-run',
      'compile nodes that use what changed, print the files and catalogs that would change, and deploy nothing',
    )
    .option(
      '--check',
      'deploy only if all changed manifests are valid, and a node of each role compiles as before; a policy can require this',
    )
    .option('--no-check', 'deploy without the check, even if the policy requires it')
    .option(
      '--nodes <count>',
      'the largest number of nodes that --dry-run compiles; if more use what changed, some of each role',
      parseWholeNumber(1, 99_999),
      DRY_RUN_NODES,
    )
    .addOption(
      new Option(
        '--language <level>',
        'the language that --dry-run compiles all nodes in, to rehearse a change of it: see docs/openvox.md',
      ).choices(LANGUAGE_LEVELS),
    )
    .addOption(createFormatOption(undefined, 'text, or with --dry-run json for programs'))
    .option(
      '--yes',
      'do not ask when more than a tenth of the files of an environment, or whole environments, would be removed',
    )
    .option('--allow-empty', 'also deploy a folder without any part of an environment')
    .option('--follow-links', 'follow symbolic links that lead out of the control repo')
    .option(
      '--leave-out <names>',
      'names of files and folders to leave out, separated by commas; none for none',
      USUALLY_LEFT_OUT.join(','),
    )
    .option('--purge', 'remove deployed environments that the control repo does not have')
    .option(...DATA_OPTION);
  addCanaryOptions(command).action((directory: string, options: DeployOptions) =>
    withStores(options, context.variables, (stores) => deploy(directory, options, stores, context)),
  );
}

async function deploy(directory: string, options: DeployOptions, stores: Stores, context: DeployProcess) {
  const { print } = context;
  if (options.language !== undefined && !options.dryRun) {
    throw new CommandError("'--language' needs --dry-run: a policy sets the language ('policy set --language')");
  }
  if (options.format === 'json' && !options.dryRun) throw new CommandError("'--format json' needs --dry-run");
  const { deployEnvironment } = await import('../../../fleet/code/deploy.ts');
  const { scanEnvironment } = await import('../../../fleet/code/scan-environment.ts');
  const { PREPARATION } = await import('../../../http/preparation.ts');
  const scan = {
    allowEmpty: options.allowEmpty ?? false,
    followLinks: options.followLinks ?? false,
    leaveOut: readLeftOut(options.leaveOut),
  };
  const stage = await readCanaryOptions(options);
  const scans: ScannedEnvironment[] = [];
  const progress = openProgress(options.format);
  for (const name of await checkEnvironments(directory, options.environment, scan)) {
    progress.show(`${name}: reading files`);
    scans.push(await scanEnvironment(directory, name, scan));
  }
  progress.end();
  if (stage && scans.length > 1)
    throw new CommandError('--canary stages one environment: --environment names it. Nothing was deployed');
  if (options.dryRun) await preview(scans, options, stores, context);
  else {
    const doomed = options.purge ? await findPurged(directory, stores) : [];
    await confirmChanges(scans, options, doomed, stores, context);
    await check(scans, options, stores, context);
    for (const [index, scanned] of scans.entries()) {
      const staged = stage
        ? await stageScanned(scanned, stage, options.by, stores)
        : options.canary !== false && (await stageAsPolicySays(scanned, options.by, stores));
      if (staged) await print(staged);
      else {
        progress.show(`deploying ${scanned.snapshot.environment}`, index, scans.length);
        const report = await deployEnvironment(stores, scanned, options.by, PREPARATION);
        progress.end();
        await print(deployLine(report));
      }
    }
  }
  if (options.purge) await purge(directory, options, stores, context);
}

/** Prints what the code would change. It is stored, and not in force. */
async function preview(
  scans: readonly ScannedEnvironment[],
  options: DeployOptions,
  stores: Stores,
  context: DeployProcess,
): Promise<void> {
  const { previewCatalogs } = await import('../../../fleet/previews/preview-catalogs.ts');
  const bounds = { nodes: options.nodes, limitMs: LONGEST_PREVIEW_MS, language: options.language };
  const found = await withTrials(scans, options, stores, context, (environment, codeId, trials, observe) =>
    previewCatalogs(environment, codeId, bounds, trials, stores, observe),
  );
  if (options.format === 'json') return context.print(formatJson(found));
  const { printCatalogPreview } = await import('./print-preview.ts');
  for (const one of found) await context.print(printCatalogPreview(one));
}

/** Throws DeployRefused when an environment must not be deployed; then none is. */
async function check(
  scans: readonly ScannedEnvironment[],
  options: DeployOptions,
  stores: Stores,
  context: DeployProcess,
): Promise<void> {
  const { checkDeploy, isCheckedByPolicy } = await import('../../../fleet/previews/deploy-gate.ts');
  const checked: ScannedEnvironment[] = [];
  for (const scanned of scans) {
    const { environment } = scanned.snapshot;
    if (options.check ?? (await isCheckedByPolicy(environment, stores))) checked.push(scanned);
  }
  const found = await withTrials(checked, options, stores, context, (environment, codeId, trials, observe) =>
    checkDeploy(environment, codeId, trials, stores, observe),
  );
  for (const { environment, compared, unanswered } of found) {
    const late = unanswered === 0 ? '' : `, ${unanswered} ${unanswered === 1 ? 'was' : 'were'} not compiled in time`;
    await context.print(
      `${environment} checked: ${countUnits(compared, 'node')} ${compared === 1 ? 'compiles' : 'compile'}${late}\n`,
    );
  }
}

type Trial = (
  environment: string,
  codeId: string,
  trials: TrialCompiler,
  observe: PreviewObserver,
) => Promise<CatalogPreview>;

/** Stores the code of each environment and tries it; progress goes to standard error. */
async function withTrials(
  scans: readonly ScannedEnvironment[],
  options: DeployOptions,
  stores: Stores,
  { variables, release }: DeployProcess,
  attempt: Trial,
): Promise<readonly CatalogPreview[]> {
  if (scans.length === 0) return [];
  const { prepareEnvironment } = await import('../../../fleet/code/deploy.ts');
  const { PREPARATION } = await import('../../../http/preparation.ts');
  const { openTrials } = await import('./open-trials.ts');
  const { trials, close } = await openTrials(stores, options, variables, release);
  const progress = openProgress(options.format);
  try {
    const found: CatalogPreview[] = [];
    for (const scanned of scans) {
      const { environment } = scanned.snapshot;
      progress.show(`${environment}: storing files`);
      const { codeId } = await prepareEnvironment(stores, scanned, PREPARATION);
      const observe = (done: number, of: number) => progress.show(`${environment}: compiling nodes`, done, of);
      found.push(await attempt(environment, codeId, trials, observe));
    }
    return found;
  } finally {
    progress.end();
    close();
  }
}

/**
 * Prints what will change, and asks before much of an environment is removed. Throws CommandError
 * when the answer is no, or when there is nobody to ask.
 */
async function confirmChanges(
  scans: readonly ScannedEnvironment[],
  options: DeployOptions,
  doomed: readonly string[],
  stores: Stores,
  { print, terminal }: DeployProcess,
): Promise<void> {
  const { compareScanned } = await import('../../../fleet/code/deploy.ts');
  const losses: string[] = [];
  for (const scanned of scans) {
    const changes = await compareScanned(stores, scanned);
    const { environment } = scanned.snapshot;
    const { filesBefore, removed } = changes;
    if (filesBefore > 0 && countChanges(changes) > 0) await print(`${environment}: ${describeChanges(changes)}\n`);
    if (removed.length > filesBefore * MOST_REMOVED) {
      const lost = filesBefore === 1 ? 'the only file' : `${removed.length} of the ${filesBefore} files`;
      losses.push(`${lost} of environment ${environment}`);
    }
  }
  for (const environment of doomed) {
    const nodes = await countNodesOf(environment, stores);
    if (nodes > 0) losses.push(`environment ${environment} with ${countUnits(nodes, 'node')}`);
  }
  if (losses.length > 0) await confirm(`${losses.join(' and ')} would be removed`, options, terminal);
}

function countChanges({ added, changed, removed }: FileChanges): number {
  return added.length + changed.length + removed.length;
}

function describeChanges({ added, changed, removed, filesBefore }: FileChanges): string {
  const counts = `${added.length} added, ${changed.length} changed, ${removed.length} removed`;
  return `${counts} (${countUnits(filesBefore, 'file')} before)`;
}

/** Adds `code remove`. */
export function addRemove(
  code: Command,
  { print, variables, terminal }: Pick<DeployProcess, 'print' | 'variables' | 'terminal'>,
): void {
  withYes(code.command('remove'))
    .description(
      'remove a deployed environment and its staged uploads; its nodes fail until they use another environment',
    )
    .argument('<environment>')
    .option(...DATA_OPTION)
    .action((environment: string, options: StateLocation & Confirmed) =>
      withStores(options, variables, async (stores) => {
        if ((await stores.environments.get(environment)) === null) {
          throw new CommandError(`no environment '${environment}' is deployed`);
        }
        const nodes = await countNodesOf(environment, stores);
        if (nodes > 0) {
          const what = `environment ${environment} would be removed, and ${countUnits(nodes, 'node')} would get no catalogs`;
          await confirm(what, options, terminal);
        }
        await print(await remove(environment, stores));
      }),
    );
}

/** Formats a completed deploy as a line, with a further line for each note. */
function deployLine({ environment, codeId, changed, files, nodeCount, notes = [] }: DeployReport): string {
  const what = changed ? 'deployed' : 'unchanged';
  const line = `${environment} ${what}: ${shortenId(codeId)}, ${countUnits(files, 'file')}, ${countUnits(nodeCount, 'node')} touched\n`;
  return line + notes.map((note) => `${environment}: ${note}\n`).join('');
}

/**
 * Lists the environments to deploy. Throws before anything is deployed if one of them cannot be.
 */
async function checkEnvironments(
  directory: string,
  wanted: readonly string[] | undefined,
  scan: ScanOptions,
): Promise<readonly string[]> {
  const { checkEnvironment, EmptyEnvironment, environmentsOf, NoSuchEnvironment } = await import(
    '../../../fleet/code/scan-environment.ts'
  );
  const names = wanted ?? environmentsOf(directory);
  if (names.length === 0) {
    throw new NoSuchEnvironment(
      `control repo '${directory}' has no environment: its folder 'environments' contains none`,
    );
  }
  try {
    for (const name of names) checkEnvironment(directory, name, scan);
  } catch (error) {
    if (!(error instanceof EmptyEnvironment)) throw error;
    throw new CommandError(`${error.message}. Nothing was deployed; --allow-empty deploys it anyway`);
  }
  return names;
}

async function purge(
  directory: string,
  { dryRun = false, format }: DeployOptions,
  stores: Stores,
  { print, warn }: Pick<DeployProcess, 'print' | 'warn'>,
): Promise<void> {
  for (const name of await findPurged(directory, stores)) {
    if (!dryRun) await print(await remove(name, stores));
    else if (format === 'json') warn(`${name} would be removed`);
    else await print(`${name} would be removed\n`);
  }
}

/** The deployed environments that the control repo does not have. */
async function findPurged(directory: string, { environments }: Stores): Promise<readonly string[]> {
  const { environmentsOf } = await import('../../../fleet/code/scan-environment.ts');
  const present = environmentsOf(directory);
  return (await environments.list()).map(({ name }) => name).filter((name) => !present.includes(name));
}

/** The number of nodes that use an environment. */
async function countNodesOf(environment: string, { dependencies }: Stores): Promise<number> {
  const { findPartsOf, listAffectedNodes } = await import('../../../fleet/dependencies/affected-nodes.ts');
  const { listRootPaths } = await import('../../../fleet/snapshots/snapshot-manifest.ts');
  const ports = { dependencies };
  const parts = await findPartsOf(environment, listRootPaths(environment), ports);
  return (await listAffectedNodes(environment, parts, ports)).length;
}

async function remove(environment: string, stores: Stores): Promise<string> {
  const { removeEnvironment } = await import('../../../fleet/fan-out/remove-environment.ts');
  const { forgetUploadedCode } = await import('../../../fleet/code/uploaded-code.ts');
  await forgetUploadedCode(stores, environment);
  const nodes = await removeEnvironment(stores, environment);
  return `${environment} removed: ${countUnits(nodes.length, 'node')} touched\n`;
}
