/** The commands of `understudy`, for operators and for measurements. */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import type { Command } from 'commander';
import packageFile from '../package.json' with { type: 'json' };
import { ProcessTerminal } from '../shared/cli/client/terminal.ts';
import { addAuthorityCommands } from '../shared/cli/commands/authority-commands.ts';
import { addCopyTablesCommand } from '../shared/cli/commands/aws/copy-tables-command.ts';
import { addBackupCommands } from '../shared/cli/commands/backup/backup-commands.ts';
import { addBrokerCommand } from '../shared/cli/commands/broker-command.ts';
import { addCertificateCommands } from '../shared/cli/commands/certificate-commands.ts';
import { addClientCommands } from '../shared/cli/commands/client-commands.ts';
import { addCodeCommands } from '../shared/cli/commands/code/code-commands.ts';
import { addCompileCommand } from '../shared/cli/commands/compile-options.ts';
import { addCompletionCommand } from '../shared/cli/commands/completion-command.ts';
import { addDatabaseCommands } from '../shared/cli/commands/database-commands.ts';
import { addGroupCommands } from '../shared/cli/commands/group-commands.ts';
import { addLookupCommand } from '../shared/cli/commands/lookup-options.ts';
import { addNodeCommands, addWhy } from '../shared/cli/commands/node/node-commands.ts';
import { addNotifyCommands } from '../shared/cli/commands/notify-commands.ts';
import { addLetterCommands } from '../shared/cli/commands/orchestrator/letter-commands.ts';
import { addPackageCommands } from '../shared/cli/commands/package-commands.ts';
import { addPolicyCommands } from '../shared/cli/commands/policy-commands.ts';
import { addPreflightCommand, runToEnd } from '../shared/cli/commands/preflight-command.ts';
import { addReportCommands } from '../shared/cli/commands/reports/report-commands.ts';
import { newProgram, thisProcess } from '../shared/cli/commands/run-program.ts';
import { addStatusCommand } from '../shared/cli/commands/status-command.ts';
import { addExamples } from '../shared/cli/manual/examples.ts';
import { addDiffCommand } from '../shared/moving-over/comparison/diff-command.ts';
import { addDoctorCommand } from '../shared/moving-over/doctor/doctor-command.ts';
import { addMovingOverCommands } from '../shared/moving-over/moving-over-commands.ts';
import { addMeasurementCommands } from '../shared/moving-over/parity/measurement-commands.ts';
import { allVariables } from '../shared/puppet/environment/operator-variables.ts';

/** Creates `understudy` with all its commands, for this process. Nothing runs yet. */
export function createProgram(): Command {
  const program = newProgram(packageFile.version).description('A serverless stand-in for Puppet compile masters');
  // The script `understudy` runs it; here it is in the help.
  program.command('server').description('run a server: all of Understudy in one process; see `server --help`');
  const { print } = thisProcess;
  const compiling = { ...thisProcess, variables: allVariables(() => process.env) };
  const terminal = new ProcessTerminal();
  const operating = { ...thisProcess, variables: process.env, terminal };

  addMeasurementCommands(program, print, availableParallelism());
  const ca = program.command('ca').description('manage the certificate authority');
  addCertificateCommands(ca, print, process.env);
  addAuthorityCommands(ca, print, process.env);
  addDatabaseCommands(program, thisProcess, process.env);
  addPackageCommands(program, print, process.env);
  addCompileCommand(program, compiling);
  addLookupCommand(program, compiling);
  addDoctorCommand(program, thisProcess);
  addPreflightCommand(program, { ...thisProcess, run: runToEnd });
  addDiffCommand(program, compiling);
  addCodeCommands(program, {
    ...thisProcess,
    variables: process.env,
    release: packageFile.version,
    newSecret: () => randomBytes(32).toString('base64url'),
    terminal,
  });
  addNodeCommands(program, operating);
  addWhy(program, print, process.env);
  addStatusCommand(program, print, process.env);
  addGroupCommands(program, operating);
  addPolicyCommands(program, operating);
  addNotifyCommands(program, print, process.env);
  addReportCommands(program, print, process.env);
  addLetterCommands(program, print, process.env);
  addBrokerCommand(program, thisProcess);
  addBackupCommands(program, print, process.env);
  addCopyTablesCommand(program, print, process.env);

  const client = addClientCommands(program, thisProcess, process.env);
  addMovingOverCommands(program, client, process.env, packageFile.version);
  addCompletionCommand(program, print);
  addExamples(program);
  return program;
}
