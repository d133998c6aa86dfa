import { statSync } from 'node:fs';
import type { Command } from 'commander';

/** The kind of path that an option takes, by its flags. */
const PLACE = /<(?:file|path|dir)>/;
/** Options of files and folders that commands make, or may be without. */
const MADE = new Set([
  '--data',
  '--into',
  '--state-file',
  '--token-file',
  '--token-path',
  '--git-folder',
  '--ca-key-file',
]);
/** Arguments of this name are files that are read; the others say themselves what is wrong. */
const FILE_ARGUMENT = 'file';
/** They make their file, or know more of one that is missing. */
const OWN_MESSAGE = new Set(['backup', 'restore']);

/**
 * Before each command of a program: a file that an option or an argument names has to be there.
 * Otherwise the command fails in the form of every value that cannot be used.
 */
export function demandFiles(program: Command): void {
  program.hook('preAction', (_, command) => {
    for (const option of command.options) {
      const value: unknown = command.getOptionValue(option.attributeName());
      const isGiven = command.getOptionValueSource(option.attributeName()) === 'cli';
      if (!isGiven || !PLACE.test(option.flags) || MADE.has(option.long ?? '') || typeof value !== 'string') continue;
      const fault = faultOf(value);
      if (fault !== null) command.error(`error: option '${option.flags}' argument '${value}' is invalid. ${fault}`);
    }
    if (OWN_MESSAGE.has(command.name())) return;
    for (const [index, argument] of command.registeredArguments.entries()) {
      const given: unknown = command.processedArgs[index];
      if (argument.name() !== FILE_ARGUMENT) continue;
      for (const value of [given].flat()) {
        const fault = typeof value === 'string' ? faultOf(value) : null;
        if (fault !== null) {
          command.error(`error: command-argument value '${String(value)}' is invalid for argument 'file'. ${fault}`);
        }
      }
    }
  });
}

/** `-` is the input of the command. */
function faultOf(path: string): string | null {
  if (path === '-') return null;
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined ? 'It does not exist.' : null;
  } catch (error) {
    return `It cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
