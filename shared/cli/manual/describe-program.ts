import { type Argument, type Command, Help, type Option } from 'commander';

/** An option of a command, as help, completion and manual show it. */
interface DescribedOption {
  /** Such as `-e, --environment <name>`. */
  readonly flags: string;
  /** The long form: `--environment`; the short one where there is no other. */
  readonly name: string;
  readonly description: string;
  readonly choices: readonly string[];
  /** Whether a value follows. */
  readonly hasValue: boolean;
}

/** A command with those below it. */
export interface DescribedCommand {
  /** The words that call it, such as `code token list`; empty for the program itself. */
  readonly path: readonly string[];
  /** Other names of its last word. */
  readonly aliases: readonly string[];
  readonly description: string;
  /** Such as `<certname>` or `[file]`, each with what is said of it. */
  readonly arguments: readonly { readonly term: string; readonly description: string }[];
  readonly options: readonly DescribedOption[];
  readonly commands: readonly DescribedCommand[];
}

/** Describes a program by the tree of its commands, the one source of completion and manual. */
export function describeProgram(program: Command): DescribedCommand {
  return describeCommand(program, []);
}

function describeCommand(command: Command, path: readonly string[]): DescribedCommand {
  const help = new Help();
  return {
    path,
    aliases: command.aliases(),
    description: command.description(),
    arguments: command.registeredArguments.map((argument) => ({
      term: termOf(argument),
      description: argument.description,
    })),
    options: help.visibleOptions(command).map(describeOption),
    commands: command.commands.map((one) => describeCommand(one, [...path, one.name()])),
  };
}

function termOf(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? '...' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function describeOption({ flags, long, short, description, argChoices, required, optional, mandatory }: Option) {
  return {
    flags,
    name: long ?? short ?? flags,
    description: mandatory ? `${description} (required)` : description,
    choices: argChoices ?? [],
    hasValue: required || optional,
  };
}
