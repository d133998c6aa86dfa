import type { Command } from 'commander';
import type { ClientProcess } from '../cli/commands/client-commands.ts';
import type { AwsNames } from '../store/aws/stores.ts';
import { addCompareCommand } from './comparison/compare-command.ts';
import { addPuppetConfCommand, addServerConfCommand } from './puppet-conf/import-puppet-conf-command.ts';
import { addImportCommand } from './puppetdb/import-command.ts';

/**
 * Adds `import` and `compare`, for fleets that have Puppet Servers. `release`: the version of
 * Understudy.
 */
export function addMovingOverCommands(
  program: Command,
  process: ClientProcess,
  variables: AwsNames,
  release: string,
): void {
  const imports = addImportCommand(program, process);
  addPuppetConfCommand(imports, process.print);
  addServerConfCommand(imports, process.print);
  addCompareCommand(program, { ...process, variables, release });
}
