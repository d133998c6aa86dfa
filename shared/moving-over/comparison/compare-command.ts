import { type Command, Option } from 'commander';
import type { ClientFolders } from '../../cli/client/client-settings.ts';
import { createFormatOption, formatJson, parseWholeNumber } from '../../cli/client/option-values.ts';
import { openProgress } from '../../cli/client/progress.ts';
import type { SourceProcess } from '../../cli/commands/code/source-commands.ts';
import { DATA_OPTION, withStores } from '../../cli/commands/command-stores.ts';
import { CommandError } from '../../cli/commands/node-files.ts';
import { LANGUAGE_LEVELS, type LanguageLevel } from '../../config/language-level.ts';
import { STRICT_LEVELS, type StrictLevel, type Strictness } from '../../config/strictness.ts';
import { ComparisonSummary, type FleetComparison } from '../../fleet/comparisons/fleet-comparison.ts';
import type { NodeComparison } from '../../fleet/comparisons/node-comparison.ts';
import type { Stores } from '../../store/ports/stores.ts';
import { countUnits } from '../../util/count-units.ts';
import type { CompilerOptions, OpenCompiler } from './open-compiler.ts';
import type { ExistingOptions, openExisting } from './open-existing.ts';

/** Parts of the process for the command. */
interface CompareProcess extends SourceProcess {
  readonly exit: (code: number) => void;
  readonly now: () => number;
  readonly sleep: (milliseconds: number) => Promise<void>;
  readonly folders: ClientFolders;
}

interface CompareOptions extends ExistingOptions {
  readonly controlRepo?: string;
  readonly followLinks?: boolean;
  readonly data?: string;
  readonly environment?: string;
  readonly node?: readonly string[];
  readonly enc?: string;
  readonly strict?: StrictLevel;
  readonly language?: LanguageLevel;
  readonly strictVariables?: 'true' | 'false';
  readonly stateFile: string;
  readonly atOnce: number;
  readonly format: 'text' | 'json' | 'html';
}

const MOST_AT_ONCE = 64;

/** Adds `understudy compare`. Exit code 0: all nodes are equal; 2: not all; 1: it did not end. */
export function addCompareCommand(program: Command, process: CompareProcess): void {
  program
    .command('compare')
    .description(
      'compile the nodes of an existing installation here, and compare the catalogs with its own; writes to no node; an interrupted comparison resumes',
    )
    .option('--puppetdb <url>', 'facts, exports and last catalogs of this PuppetDB, such as https://HOST:8081')
    .option('--catalogs <dir>', 'a folder of catalogs, CERTNAME.json, as agents cache them; facts in its folder facts/')
    .option(
      '--server <url>',
      'compare with catalogs that this Puppet Server compiles now, such as https://HOST:8140; facts come from --puppetdb or --facts',
    )
    .option('--facts <dir>', 'a folder of facts, CERTNAME.json or CERTNAME.yaml')
    .option('--ca-cert <file>', 'the CA of the certificates of PuppetDB and Puppet Server, PEM')
    .option('--cert <file>', 'our certificate for both, PEM; the rules of the server must allow it')
    .option('--key <file>', 'its key, PEM')
    .addOption(
      new Option('--server-api <version>', 'v4 stores nothing on that server; v3 may store facts and catalogs')
        .choices(['v3', 'v4'])
        .default('v4'),
    )
    .option('--control-repo <dir>', 'compile with this control repo; without it, with deployed code')
    .option('--follow-links', 'follow symbolic links that lead out of the control repo; without it, they are refused')
    .option(...DATA_OPTION)
    .option('--environment <name>', 'compile all nodes in this environment, not in that of their catalogs')
    .option('--node <certname...>', 'compare these nodes only')
    .option('--enc <program>', 'an external node classifier; without it, the node groups of the data directory count')
    .addOption(
      new Option(
        '--language <level>',
        'the language of our compiles (default: the policy of the environment, or openvox-8)',
      ).choices(LANGUAGE_LEVELS),
    )
    .addOption(
      new Option(
        '--strict <level>',
        "Puppet's setting; Puppet 7 has warning (default: the policy of the environment, or error)",
      ).choices(STRICT_LEVELS),
    )
    .addOption(
      new Option(
        '--strict-variables <boolean>',
        "Puppet's setting; Puppet 7 has false (default: the policy of the environment, or true)",
      ).choices(['true', 'false']),
    )
    .option(
      '--state-file <file>',
      'the file that keeps the progress: a line of JSON for each compared node',
      'understudy-compare.jsonl',
    )
    .option('--at-once <number>', 'how many nodes are read at the same time', parseWholeNumber(1, MOST_AT_ONCE), 8)
    .addOption(createFormatOption(['text', 'json', 'html'], 'text, json for programs, or html: a page'))
    .action((options: CompareOptions) => compare(options, process));
}

async function compare(options: CompareOptions, process: CompareProcess): Promise<void> {
  const { controlRepo, data } = options;
  if (controlRepo === undefined)
    return withStores(options, process.variables, (stores) => run(options, stores, process));
  if (data !== undefined) throw new CommandError('give --control-repo or --data, not both');
  return run(options, null, process);
}

/** `stores`: those with the deployed code; null: the control repo has the code. */
async function run(options: CompareOptions, stores: Stores | null, process: CompareProcess): Promise<void> {
  const { openExisting } = await import('./open-existing.ts');
  const existing = openExisting(options, process.folders);
  try {
    const compiler = await openCompiler(options, stores, existing.nodes, process);
    try {
      await report(await compareAll(options, stores, { existing, compiler }, process), options, process);
    } finally {
      compiler.close();
    }
  } finally {
    existing.close();
  }
}

async function openCompiler(
  options: CompareOptions,
  stores: Stores | null,
  nodes: CompilerOptions['nodes'],
  { now, release, variables }: CompareProcess,
): Promise<OpenCompiler> {
  const { openRepoCompiler, openStoreCompiler } = await import('./open-compiler.ts');
  const { openEncProgram } = await import('../../cli/commands/enc-program.ts');
  const enc = options.enc === undefined ? null : openEncProgram(options.enc, { now });
  const { language, strict, strictVariables } = options;
  const strictness: Partial<Strictness> = {
    ...(language === undefined ? {} : { language }),
    ...(strict === undefined ? {} : { strict }),
    ...(strictVariables === undefined ? {} : { strictVariables: strictVariables === 'true' }),
  };
  const classify = enc && ((certname: string) => enc.classify(certname));
  const parts = { strictness, classify, nodes, release, variables };
  if (stores !== null) return openStoreCompiler(stores, parts);
  return openRepoCompiler(options.controlRepo ?? '', { followLinks: options.followLinks ?? false }, parts);
}

interface Sides {
  readonly existing: ReturnType<typeof openExisting>;
  readonly compiler: OpenCompiler;
}

async function compareAll(
  options: CompareOptions,
  stores: Stores | null,
  { existing, compiler }: Sides,
  { now, sleep, warn }: CompareProcess,
): Promise<FleetComparison> {
  const code = options.controlRepo ?? options.data ?? 'deployed code';
  const [summary, finished] = [new ComparisonSummary(), new Set<string>()];
  const { compareFleet } = await import('./compare-fleet.ts');
  const { ComparisonState } = await import('./comparison-state.ts');
  const state = await ComparisonState.open(options.stateFile, { existing: existing.name, code }, (comparison) => {
    summary.add(comparison);
    finished.add(comparison.certname);
  });
  if (finished.size > 0)
    warn(`continuing: ${countUnits(finished.size, 'node')} ${finished.size === 1 ? 'is' : 'are'} compared already`);
  const store = stores && (await openComparisonStore(stores));
  const progress = openProgress(options.format);
  const found = await compareFleet({
    ...existing,
    compile: compiler.compile,
    environment: options.environment ?? null,
    certnames: options.node ?? null,
    summary,
    finished,
    atOnce: options.atOnce,
    clock: { now, sleep },
    keep: async (comparison, done, total) => {
      state.add(comparison);
      await store?.put(comparison);
      progress.show('comparing nodes', done, total);
    },
  });
  progress.end();
  state.finish();
  return found;
}

async function openComparisonStore({ documents }: Stores): Promise<{ put(comparison: NodeComparison): Promise<void> }> {
  const { ComparisonStore } = await import('../../fleet/comparisons/comparison-store.ts');
  return new ComparisonStore(documents);
}

async function report(found: FleetComparison, { format }: CompareOptions, { print, exit }: CompareProcess) {
  exit(found.equal === found.compared ? 0 : 2);
  if (format === 'json') return print(formatJson(found));
  if (format === 'html') {
    const { printComparisonPage } = await import('./comparison-page.ts');
    return print(printComparisonPage(found, 'Comparison of catalogs'));
  }
  const { printFleetComparison } = await import('../../cli/commands/node/print-node-comparison.ts');
  return print(printFleetComparison(found));
}
