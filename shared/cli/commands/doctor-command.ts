import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { environmentsOf, NoSuchEnvironment } from '../../fleet/code/scan-environment.ts';
import { openDirectoryEnvironment, openSingleEnvironment } from '../../puppet/environment/directory-environment.ts';
import { DiskTree } from '../../puppet/environment/disk-tree.ts';
import type { Environment } from '../../puppet/environment/environment.ts';
import { NO_RECORDER } from '../../puppet/environment/inputs.ts';
import { createWasmRuby } from '../../puppet/ruby/wasm/wasm-host.ts';
import { diagnose } from '../doctor/diagnose.ts';
import type { Diagnosis } from '../doctor/finding.ts';
import { PROCESS_WEAKNESSES, printDiagnosis, printRubyHost } from '../doctor/print-diagnosis.ts';
import type { CommandProcess } from './compile-options.ts';

interface DoctorOptions {
  readonly controlRepo: string;
  readonly environment?: string;
  readonly format: 'text' | 'json';
  readonly verbose: boolean;
}

/**
 * Time limit for one piece of Ruby code, in milliseconds; below, for all Ruby code of an
 * environment.
 */
const PIECE_LIMIT_MS = 3_000;
const TRIALS_LIMIT_MS = 120_000;

/** The entries that mark a folder as a control repo or as an environment. */
const LAYOUT = ['environments', 'manifests', 'modules', 'environment.conf'];

/** Adds `understudy doctor`. */
export function addDoctorCommand(program: Command, { print, exit, now }: CommandProcess): void {
  program
    .command('doctor')
    .description('inspect a control repo: what runs here, what does not, and why (exit code 1 if something does not)')
    .option('--control-repo <dir>', 'the control repo, or the folder of one environment', '.')
    .option('--environment <name>', 'the environment to inspect; all by default')
    .addOption(new Option('--format <format>', 'the output format').choices(['text', 'json']).default('text'))
    .option('--verbose', 'print every finding with its file, and all modules', false)
    .action(async (options: DoctorOptions) => {
      const diagnoses = diagnoseAll(options, now);
      const all = diagnoses.flatMap(({ findings }) => findings);
      exit(all.some(({ verdict }) => verdict === 'fails' || verdict === 'invalid') ? 1 : 0);
      await print(options.format === 'json' ? asJson(diagnoses) : asText(diagnoses, options.verbose));
    });
}

function asJson(environments: readonly Diagnosis[]): string {
  const told = { rubyHost: 'wasm', processWeaknesses: PROCESS_WEAKNESSES, environments };
  return `${JSON.stringify(told, null, 2)}\n`;
}

function asText(diagnoses: readonly Diagnosis[], verbose: boolean): string {
  return `${diagnoses.map((one) => printDiagnosis(one, verbose)).join('\n')}\n${printRubyHost()}\n`;
}

/** Inspects the environments. Throws NoSuchEnvironment when there is none. */
function diagnoseAll({ controlRepo, environment }: DoctorOptions, now: () => number): readonly Diagnosis[] {
  const codeDirectory = resolve(controlRepo);
  const tree = new DiskTree();
  const isRepo = LAYOUT.some((name) => tree.kindOf(`${codeDirectory}/${name}`) !== null);
  const names = isRepo ? environmentsOf(codeDirectory) : [];
  if (names.length === 0) throw new NoSuchEnvironment(`control repo '${controlRepo}' has no environments`);
  const ruby = createWasmRuby({ timeLimitMs: PIECE_LIMIT_MS, rendersAll: true });
  try {
    return (environment === undefined ? names : [environment]).map((name) =>
      diagnose({
        open: () => openEnvironment(codeDirectory, name),
        codeDirectory,
        ruby,
        now,
        limitMs: TRIALS_LIMIT_MS,
      }),
    );
  } finally {
    ruby.close();
  }
}

/** Opens an environment. A control repo without `environments` is itself one environment. */
function openEnvironment(codeDirectory: string, name: string): Environment {
  const hasEnvironments = new DiskTree().kindOf(`${codeDirectory}/environments`) === 'directory';
  return (hasEnvironments ? openDirectoryEnvironment : openSingleEnvironment)(codeDirectory, name, NO_RECORDER);
}
