import { once } from 'node:events';
import { Command, Help } from 'commander';
import { MachineryFault } from '../../puppet/errors/machinery-fault.ts';
import { PuppetError } from '../../puppet/errors/puppet-error.ts';
import { demandFiles } from '../client/demand-files.ts';
import type { CommandProcess } from './compile-options.ts';
import { CommandError } from './node-files.ts';

/** This process as commands see it. */
export const thisProcess: CommandProcess = {
  print: async (text) => {
    if (!process.stdout.write(text)) await once(process.stdout, 'drain');
  },
  now: Date.now,
  warn: (line) => process.stderr.write(`${line}\n`),
  exit: (code) => {
    process.exitCode = code;
  },
};

/**
 * Calls `handle` at the first CTRL-C, in place of ending the process; the second ends it. The
 * returned function ends that.
 */
export function onInterrupt(handle: () => void): () => void {
  process.once('SIGINT', handle);
  return () => process.off('SIGINT', handle);
}

/**
 * Creates `understudy` of this version, without commands. Its help, and the help of all commands
 * added to it, marks required options. Files that a command reads have to be there.
 */
export function newProgram(version: string): Command {
  const program = new Command('understudy').version(version, '-V, --version', 'print the version').configureHelp({
    optionDescription(option) {
      const description = Help.prototype.optionDescription.call(this, option);
      return option.mandatory ? `${description} (required)` : description;
    },
  });
  demandFiles(program);
  return program;
}

type ErrorClass = abstract new (...parameters: never[]) => Error;

/**
 * Runs the command that `args` name. Errors that a user can fix (of the classes that
 * `loadExpected` returns, of Puppet code, of arguments, of the system) print their message; others
 * are bugs and print their stack. Both end with exit code 1.
 */
export async function runProgram(
  program: Command,
  args: readonly string[],
  loadExpected: () => Promise<readonly ErrorClass[]> = async () => [],
): Promise<void> {
  // The reader closed the pipe early, as `head` does. That is no error.
  process.stdout.once('error', (error) => {
    if (!isSystemError(error) || error.code !== 'EPIPE') throw error;
    process.exit();
  });
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    const kinds = [CommandError, PuppetError, MachineryFault, ...(await loadExpected())];
    const isExpected = kinds.some((kind) => error instanceof kind) || isSystemError(error);
    const text = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
    process.stderr.write(`understudy: ${text}\n`);
    process.exitCode = 1;
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}
