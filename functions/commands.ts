/** `understudy`: commands for operators and for measurements. */
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Command } from 'commander';
import { PuppetError } from '../shared/errors/puppet-error.ts';
import { NoSuchEnvironment } from '../shared/jobs/scan-environment.ts';
import { addCertificateCommands, NoCertificate } from '../shared/local/certificate-commands.ts';
import { addCodeCommands, NoSuchNode } from '../shared/local/code-commands.ts';
import { addCompileCommand } from '../shared/local/compile-options.ts';
import { addDiffCommand } from '../shared/local/diff-command.ts';
import { addLookupCommand } from '../shared/local/lookup-options.ts';
import { addMeasurementCommands } from '../shared/local/measurement-commands.ts';
import { CommandError } from '../shared/local/node-files.ts';
import { InvalidCase } from '../shared/parity/parity-command.ts';
import { StoreRefused } from '../shared/store/ports.ts';

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

const program = new Command('understudy').description('A serverless stand-in for Puppet compile masters');

addMeasurementCommands(program, print, availableParallelism());
addCertificateCommands(program, print);
const commandProcess = {
  print,
  now: Date.now,
  warn: (line: string) => process.stderr.write(`${line}\n`),
  exit: setExitCode,
};
addCompileCommand(program, commandProcess);
addLookupCommand(program, commandProcess);
addDiffCommand(program, commandProcess);
addCodeCommands(program, print, process.env);

const EXPECTED = [CommandError, PuppetError, InvalidCase, NoCertificate, NoSuchEnvironment, NoSuchNode, StoreRefused];

function setExitCode(code: number): void {
  process.exitCode = code;
}

function fail(error: unknown): void {
  const isExpected = EXPECTED.some((kind) => error instanceof kind) || isSystemError(error);
  const text = error instanceof Error ? (isExpected ? error.message : error.stack) : String(error);
  process.stderr.write(`understudy: ${text}\n`);
  process.exitCode = 1;
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && 'syscall' in error;
}

program.parseAsync().catch(fail);
