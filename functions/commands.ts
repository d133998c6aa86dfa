/** `understudy`: commands for operators and for measurements. */
import { randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { NoSuchCode } from '../shared/jobs/no-such-code.ts';
import { NoSuchEnvironment } from '../shared/jobs/scan-environment.ts';
import { addCertificateCommands, NoCertificate } from '../shared/local/certificate-commands.ts';
import { addCodeCommands, NoSuchNode } from '../shared/local/code-commands.ts';
import { addCompileCommand } from '../shared/local/compile-options.ts';
import { addDiffCommand } from '../shared/local/diff-command.ts';
import { addLookupCommand } from '../shared/local/lookup-options.ts';
import { addMeasurementCommands } from '../shared/local/measurement-commands.ts';
import { runProgram, thisProcess } from '../shared/local/run-program.ts';
import { InvalidCase } from '../shared/parity/parity-command.ts';
import { StoreRefused } from '../shared/store/ports.ts';

const program = new Command('understudy').description('A serverless stand-in for Puppet compile masters');
const { print } = thisProcess;

addMeasurementCommands(program, print, availableParallelism());
addCertificateCommands(program, print);
addCompileCommand(program, thisProcess);
addLookupCommand(program, thisProcess);
addDiffCommand(program, thisProcess);
addCodeCommands(program, {
  print,
  variables: process.env,
  newSecret: () => randomBytes(32).toString('base64url'),
});

const expected = [InvalidCase, NoCertificate, NoSuchCode, NoSuchEnvironment, NoSuchNode, StoreRefused];
await runProgram(program, process.argv.slice(2), expected);
