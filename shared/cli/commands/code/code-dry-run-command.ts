import { type Command, Option } from 'commander';
import { LANGUAGE_LEVELS, type LanguageLevel } from '../../../config/language-level.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { createFormatOption, type FormatOption, formatJson, parseWholeNumber } from '../../client/option-values.ts';
import { openProgress } from '../../client/progress.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError } from '../node-files.ts';
import type { DeployProcess } from './code-deploy-command.ts';

interface DryRunOptions extends StateLocation, FormatOption {
  readonly codeOf?: string;
  readonly code?: string;
  readonly nodes: number;
  readonly language?: LanguageLevel;
}

/** Nodes that a dry run compiles at most, unless the user says otherwise. */
export const DRY_RUN_NODES = 100;
/** No further node is compiled after this time. */
export const LONGEST_PREVIEW_MS = 30 * 60_000;

/** Adds `code dry-run`. It compiles nodes with deployed code, and puts nothing in force. */
export function addDryRun(code: Command, context: Pick<DeployProcess, 'print' | 'variables' | 'release'>): void {
  code
    .command('dry-run')
    .description(
      'print how the catalogs of an environment would change with deployed code: that of another environment, as of a branch, or an earlier state; nothing is put in force',
    )
    .argument('<environment>', 'the environment of the nodes')
    .option('--code-of <name>', 'the environment that the code is of: its state in force, or that of --code')
    .option('--code <id>', 'a code id or its prefix, in the history of the environment that the code is of')
    .option(
      '--nodes <count>',
      'the largest number of nodes to compile; if more use what differs, some of each role',
      parseWholeNumber(1, 99_999),
      DRY_RUN_NODES,
    )
    .addOption(
      new Option('--language <level>', 'the language to compile all nodes in: see docs/openvox.md').choices(
        LANGUAGE_LEVELS,
      ),
    )
    .addOption(createFormatOption())
    .option(...DATA_OPTION)
    .action((environment: string, options: DryRunOptions) =>
      withStores(options, context.variables, (stores) => preview(environment, options, stores, context)),
    );
}

async function preview(
  environment: string,
  options: DryRunOptions,
  stores: Stores,
  { print, variables, release }: Pick<DeployProcess, 'print' | 'variables' | 'release'>,
): Promise<void> {
  const { codeOf = environment, code, nodes, language, format } = options;
  if (codeOf === environment && code === undefined && language === undefined) {
    throw new CommandError("'code dry-run' needs --code-of, --code or --language: else it is the code in force");
  }
  const { codeHistory, findDeployed } = await import('../../../fleet/code/code-history.ts');
  const { openTrials } = await import('./open-trials.ts');
  const { previewCatalogs } = await import('../../../fleet/previews/preview-catalogs.ts');
  await codeHistory(stores, environment);
  const [inForce] = await codeHistory(stores, codeOf);
  const found = code === undefined ? inForce : await findDeployed(stores, codeOf, code);
  const { trials, close } = await openTrials(stores, options, variables, release);
  const progress = openProgress(format);
  try {
    const bounds = { nodes, limitMs: LONGEST_PREVIEW_MS, language, codeEnvironment: codeOf };
    const observe = (done: number, of: number) => progress.show(`${environment}: compiling nodes`, done, of);
    const result = await previewCatalogs(environment, found?.codeId ?? '', bounds, trials, stores, observe);
    progress.end();
    if (format === 'json') return await print(formatJson(result));
    const { printCatalogPreview } = await import('./print-preview.ts');
    await print(printCatalogPreview(result));
  } finally {
    progress.end();
    close();
  }
}
