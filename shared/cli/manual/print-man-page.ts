import type { DescribedCommand } from './describe-program.ts';
import { type CommandExample, examplesOf } from './examples.ts';

/** A page of the manual. */
interface ManPage {
  /** Such as `understudy-node.1`. */
  readonly file: string;
  readonly text: string;
}

/**
 * Prints the manual in roff: a page for the program, and one for each of its commands with those
 * below it. `version` is that of the program.
 */
export function printManPages(program: DescribedCommand, version: string): readonly ManPage[] {
  const pages = program.commands.map((command) => ({
    file: `understudy-${command.path.join('-')}.1`,
    text: printPage(command, version),
  }));
  return [{ file: 'understudy.1', text: printMainPage(program, version) }, ...pages];
}

function printMainPage(program: DescribedCommand, version: string): string {
  const commands = program.commands.flatMap(({ path, description }) => [
    '.TP',
    `\\fBunderstudy\\-${quoteRoff(path.join('-'))}\\fR(1)`,
    quoteRoff(description),
  ]);
  return [
    ...head('UNDERSTUDY', version, `understudy \\- ${quoteRoff(program.description)}`),
    '.SH SYNOPSIS',
    '.B understudy',
    '.I command',
    '[options]',
    '.SH COMMANDS',
    ...commands,
    ...printOptions(program),
    '',
  ].join('\n');
}

function printPage(command: DescribedCommand, version: string): string {
  const name = ['understudy', ...command.path].join('-');
  return [
    ...head(name.toUpperCase(), version, `${quoteRoff(name)} \\- ${quoteRoff(command.description)}`),
    ...(command.commands.length === 0
      ? ['.SH SYNOPSIS', ...printCommand(command)]
      : command.commands.flatMap(printSections)),
    '.SH SEE ALSO',
    '.BR understudy (1)',
    '',
  ].join('\n');
}

function head(title: string, version: string, name: string): readonly string[] {
  return [`.TH ${quoteRoff(title)} 1 "" "understudy ${version}" "Understudy"`, '.SH NAME', name];
}

/** The commands below a command of a page, each with its words as the heading. */
function printSections(command: DescribedCommand): readonly string[] {
  if (command.commands.length > 0) return command.commands.flatMap(printSections);
  return [
    `.SH ${quoteRoff(command.path.join(' ').toUpperCase())}`,
    quoteRoff(command.description),
    ...printCommand(command),
  ];
}

function printCommand(command: DescribedCommand): readonly string[] {
  const words = command.arguments.map(({ term }) => term);
  const explained = command.arguments.filter(({ description }) => description !== '');
  return [
    '.PP',
    `.B ${quoteRoff(['understudy', ...command.path].join(' '))}`,
    quoteRoff([...words, ...(command.options.length === 0 ? [] : ['[options]'])].join(' ')),
    ...explained.flatMap(({ term, description }) => ['.TP', quoteRoff(term), quoteRoff(description)]),
    ...printOptions(command),
    ...examplesOf(command.path).flatMap(printExample),
  ];
}

function printOptions({ options }: DescribedCommand): readonly string[] {
  return options.flatMap(({ flags, description, choices }) => [
    '.TP',
    `.B ${quoteRoff(flags)}`,
    quoteRoff(`${description}${choices.length === 0 ? '' : ` (${choices.join(', ')})`}`),
  ]);
}

function printExample({ call, meaning }: CommandExample): readonly string[] {
  return ['.PP', `Example: ${quoteRoff(meaning)}`, '.PP', '.RS', '.nf', quoteRoff(call), '.fi', '.RE'];
}

/** Signs that roff reads are quoted, also at the beginning of a line. */
function quoteRoff(text: string): string {
  const quoted = text.replaceAll('\\', '\\e').replaceAll('-', '\\-');
  return quoted.replace(/^([.'])/gm, '\\&$1');
}
