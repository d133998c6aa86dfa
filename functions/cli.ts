#!/usr/bin/env node
/** `understudy`: commands for operators and for measurements. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Command, InvalidArgumentError, Option } from 'commander';
import { PuppetError } from '../shared/errors/puppet-error.ts';
import { NoSuchEnvironment } from '../shared/jobs/scan-environment.ts';
import { PARSE_FORMATS, type ParseFormat, parsedText } from '../shared/language/parse-command.ts';
import { addCertificateCommands, NoCertificate } from '../shared/local/certificate-commands.ts';
import { addCodeCommands, NoSuchNode } from '../shared/local/code-commands.ts';
import { addCompileCommand } from '../shared/local/compile-options.ts';
import { CommandError } from '../shared/local/node-files.ts';
import { DEFAULT_EXTERNAL_MODULES, InvalidCase, runParityFiles } from '../shared/parity/parity-command.ts';
import { StoreRefused } from '../shared/store/ports.ts';

const STDIN = 0;

async function print(text: string): Promise<void> {
  if (!process.stdout.write(text)) await once(process.stdout, 'drain');
}

function positive(text: string): number {
  const value = Number(text);
  if (!(value > 0)) throw new InvalidArgumentError('It has to be a number above zero.');
  return value;
}

async function parse(file: string, options: { format: ParseFormat; epp?: true }): Promise<void> {
  const source = readFileSync(file === '-' ? STDIN : file, 'utf8');
  const epp = options.epp ?? file.endsWith('.epp');
  await print(parsedText(source, file === '-' ? null : file, options.format, epp));
}

interface ParityOptions {
  readonly externalModules: string;
  readonly workers: number;
  readonly timeLimit: number;
}

async function parity(files: string[], { externalModules, workers, timeLimit }: ParityOptions): Promise<void> {
  await runParityFiles(files, { externalModules, workers, timeLimit: timeLimit * 1000 }, (line) => print(`${line}\n`));
}

const program = new Command('understudy').description('A serverless stand-in for Puppet compile masters');

program
  .command('parse')
  .description('print the syntax tree of a manifest or an EPP template')
  .argument('[file]', 'the file, - for standard input', '-')
  .addOption(new Option('--format <format>', 'what to print').choices(PARSE_FORMATS).default('pn'))
  .option('--epp', 'read a template (default for *.epp)')
  .action(parse);

program
  .command('parity')
  .description('run parity cases and print the outcome of each as a line of JSON')
  .argument('<file...>', 'JSONL files of cases')
  .option('--external-modules <dir>', 'modules for cases that ask for them', DEFAULT_EXTERNAL_MODULES)
  .option('--workers <number>', 'threads', positive, availableParallelism())
  .option('--time-limit <seconds>', 'time that a case may take', positive, 20)
  .action(parity);

addCertificateCommands(program, print);
addCompileCommand(program, {
  print,
  now: Date.now,
  warn: (line) => process.stderr.write(`${line}\n`),
  exit: setExitCode,
});
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
