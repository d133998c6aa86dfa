import type { Command } from 'commander';
import type { OperatorVariables } from '../../puppet/environment/operator-variables.ts';
import type { Classification } from '../../store/ports/node-record.ts';
import { collect } from '../client/option-values.ts';
import type { CompileCommand } from './compile-command.ts';
import type { LogOptions } from './log-line.ts';
import { CommandError } from './node-files.ts';

/** Parts of the process for a command. */
export interface CommandProcess {
  readonly print: (text: string) => Promise<void>;
  /** Writes a line to standard error. */
  readonly warn: (line: string) => void;
  readonly exit: (code: number) => void;
  readonly now: () => number;
}

/** The process of a command that compiles with the rights of the user who runs it. */
export interface CompilingProcess extends CommandProcess {
  readonly variables: OperatorVariables;
}

/** The options that name a node and its data, for commands that compile. */
export type NodeOptions = Omit<
  CompileCommand,
  'certname' | 'at' | 'explain' | keyof LogOptions | 'variables' | 'classification'
>;

/** Adds the argument and the options of `NodeOptions`. */
export function addNodeOptions(command: Command): Command {
  return command
    .argument('<certname>', 'the certname of the node')
    .requiredOption('--control-repo <dir>', 'the control repo: the folder that contains environments/')
    .option('--environment <name>', 'the environment', 'production')
    .requiredOption('--facts <file>', 'the facts, a JSON file: a hash of facts, or {"name": ..., "values": {...}}')
    .option('--trusted <file>', '$trusted, a JSON file (default: an authenticated node without extensions)')
    .option(
      '--exports <file>',
      'exported resources of other nodes, a JSON file: a list of resources, each with its certname',
    )
    .option('--set <name=value>', 'a setting: language, strict, strict_variables, tasks, storeconfigs', collect, []);
}

/** Adds the options of `LogOptions`. */
export function addLogOptions(command: Command): Command {
  return command
    .option('-d, --debug', 'log every message', false)
    .option('-v, --verbose', 'log messages of level info too', false);
}

/** Adds `understudy compile`. */
export function addCompileCommand(program: Command, { print, warn, exit, now, variables }: CompilingProcess): void {
  const command = program
    .command('compile')
    .description('compile the catalog of a node from a control repo on disk; the log goes to standard error');
  addNodeOptions(command).option('--explain', 'print the recorded inputs instead of the catalog', false);
  addEncOption(command);
  addLogOptions(command).action(async (certname: string, options: CompileOptions) => {
    const { compileLocally } = await import('./compile-command.ts');
    const classification = await askEnc(certname, options.enc, now);
    const { output, log, exitCode } = compileLocally({ ...options, classification, certname, variables, at: now() });
    for (const line of log) warn(line);
    exit(exitCode);
    await print(output);
  });
}

type CompileOptions = Omit<CompileCommand, 'certname' | 'at' | 'classification'> & { readonly enc?: string };

/** Adds `--enc`, for `askEnc`. */
export function addEncOption(command: Command): void {
  command.option('--enc <program>', 'an external node classifier: its classes, parameters and environment count');
}

/** Asks the program of `--enc` about a node; null without one. Throws CommandError. */
export async function askEnc(
  certname: string,
  enc: string | undefined,
  now: () => number,
): Promise<Classification | null> {
  if (enc === undefined) return null;
  const { openEncProgram } = await import('./enc-program.ts');
  const { ExternalClassifierFailed } = await import('../../fleet/nodes/classification.ts');
  try {
    return await openEncProgram(enc, { now }).classify(certname);
  } catch (error) {
    throw error instanceof ExternalClassifierFailed ? new CommandError(error.message) : error;
  }
}
