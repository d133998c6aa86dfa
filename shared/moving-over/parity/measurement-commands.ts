import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { createFormatOption } from '../../cli/client/option-values.ts';
import { LANGUAGE_LEVELS, type LanguageLevel } from '../../config/language-level.ts';
import { PARSE_FORMATS, type ParseFormat } from '../../puppet/language/parse-formats.ts';
import { DEFAULT_EXTERNAL_MODULES, runParityFiles } from './parity-command.ts';

type Print = (text: string) => Promise<void>;

const STDIN = 0;

/**
 * Adds `understudy parse` and `understudy parity`. `processors`: the number of cases to run in
 * parallel.
 */
export function addMeasurementCommands(program: Command, print: Print, processors: number): void {
  program
    .command('parse')
    .description('print the syntax tree of a manifest or an EPP template')
    .argument('[file]', 'the file; - for standard input', '-')
    .addOption(createFormatOption(PARSE_FORMATS, 'how the tree is written'))
    .option('--epp', 'parse the file as an EPP template (default for *.epp)')
    .action((file: string, options: { format: ParseFormat; epp?: true }) => parse(file, options, print));
  program
    .command('parity')
    .description('run parity cases and print the outcome of each as a line of JSON')
    .argument('<file...>', 'JSONL files with cases')
    .option('--external-modules <dir>', 'the folder of modules for cases that need them', DEFAULT_EXTERNAL_MODULES)
    .addOption(
      new Option('--language <level>', 'the level of cases that name none')
        .choices(LANGUAGE_LEVELS)
        .default('puppet-8'),
    )
    .option('--workers <number>', 'threads', parsePositive, processors)
    .option('--time-limit <seconds>', 'the time limit of a case', parsePositive, 20)
    .action((files: string[], options: ParityOptions) => runParity(files, options, print));
}

function parsePositive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It must be a number above zero.');
  return value;
}

async function parse(file: string, options: { format: ParseFormat; epp?: true }, print: Print): Promise<void> {
  const source = readFileSync(file === '-' ? STDIN : file, 'utf8');
  const { renderParsed } = await import('../../puppet/language/parse-command.ts');
  const epp = options.epp ?? file.endsWith('.epp');
  await print(renderParsed(source, file === '-' ? null : file, options.format, epp));
}

interface ParityOptions {
  readonly externalModules: string;
  readonly language: LanguageLevel;
  readonly workers: number;
  readonly timeLimit: number;
}

async function runParity(files: string[], options: ParityOptions, print: Print): Promise<void> {
  const { timeLimit, ...others } = options;
  await runParityFiles(files, { ...others, timeLimit: timeLimit * 1000 }, (line) => print(`${line}\n`));
}
