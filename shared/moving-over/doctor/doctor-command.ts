import { type Command, Option } from 'commander';
import { createFormatOption, type FormatOption } from '../../cli/client/option-values.ts';
import { openProgress } from '../../cli/client/progress.ts';
import type { CommandProcess } from '../../cli/commands/compile-options.ts';
import { DEFAULT_LANGUAGE_LEVEL, LANGUAGE_LEVELS, type LanguageLevel } from '../../config/language-level.ts';

interface DoctorOptions extends FormatOption {
  readonly controlRepo: string;
  readonly environment?: string;
  readonly language: LanguageLevel;
  readonly verbose: boolean;
}

/** Adds `understudy doctor`. */
export function addDoctorCommand(program: Command, { print, exit, now }: CommandProcess): void {
  program
    .command('doctor')
    .description('inspect a control repo: what runs here, what does not, and why (exit code 1 if something does not)')
    .option('--control-repo <dir>', 'the control repo, or the folder of one environment', '.')
    .option('--environment <name>', 'the environment to inspect; all by default')
    .addOption(
      new Option('--language <level>', 'the language that the code is to be compiled in: see docs/openvox.md')
        .choices(LANGUAGE_LEVELS)
        .default(DEFAULT_LANGUAGE_LEVEL),
    )
    .addOption(createFormatOption())
    .option('--verbose', 'print every finding with its file, and all modules', false)
    .action(async (options: DoctorOptions) => {
      const { diagnoseRepo, printDiagnoses, printDiagnosesAsJson } = await import('./diagnose-repo.ts');
      const progress = openProgress(options.format);
      const diagnoses = diagnoseRepo(options, now, (part, done, of) => progress.show(part, done, of));
      progress.end();
      const all = diagnoses.flatMap(({ findings }) => findings);
      exit(all.some(({ verdict }) => verdict === 'fails' || verdict === 'invalid') ? 1 : 0);
      await print(
        options.format === 'json' ? printDiagnosesAsJson(diagnoses) : printDiagnoses(diagnoses, options.verbose),
      );
    });
}
