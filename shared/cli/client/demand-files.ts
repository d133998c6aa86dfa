import { statSync } from 'node:fs';
import type { Command } from 'commander';

/** Flags of options that take a path. */
const PLACE = /<(?:file|path|dir)>/;
/** Options whose file or folder may be missing: the command creates it, or works without it. */
const MADE = new Set([
  '--data',
  '--into',
  '--state-file',
  '--token-file',
  '--token-path',
  '--git-folder',
  '--ca-key-file',
]);
/** The name of arguments that are files to read. */
const FILE_ARGUMENT = 'file';
/** Commands that create their file, or have a better message for a missing one. */
const OWN_MESSAGE = new Set(['backup', 'restore']);

/**
 * Checks before each command of a program that the files exist which its options and arguments
 * name. A missing file is an error like any other invalid value.
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

/** Returns the fault of a path; null for none, and for `-`, which is standard input. */
function faultOf(path: string): string | null {
  if (path === '-') return null;
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined ? 'It does not exist.' : null;
  } catch (error) {
    return `It cannot be read: ${error instanceof Error ? error.message : String(error)}`;
  }
}
