import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { createFormatOption, type FormatOption, formatJson } from '../client/option-values.ts';
import { readPreflightContext } from '../preflight/preflight-context.ts';
import { printFindings } from '../preflight/print-findings.ts';
import { type PreflightPorts, type ProgramEnd, runPreflight } from '../preflight/run-preflight.ts';
import type { CommandProcess } from './compile-options.ts';

interface PreflightOptions extends FormatOption {
  readonly folder: string;
}

/** `run` runs the programs `docker` and `aws`. */
interface PreflightProcess extends Pick<CommandProcess, 'print' | 'exit' | 'now'> {
  readonly run: PreflightPorts['run'];
}

/** Adds `understudy preflight`. */
export function addPreflightCommand(program: Command, { print, exit, now, run }: PreflightProcess): void {
  program
    .command('preflight')
    .description('check this machine and the AWS account before `cdk deploy` (exit code 1 if it would not work)')
    .option('--folder <dir>', 'the folder of cdk.json', '.')
    .addOption(createFormatOption())
    .action(async ({ folder, format }: PreflightOptions) => {
      const readText = (path: string) => readFileSync(resolve(folder, path), 'utf8');
      const context = readPreflightContext(readFileSync(join(folder, 'cdk.json'), 'utf8'));
      const findings = await runPreflight(context, { run, readText, now });
      exit(findings.some(({ verdict }) => verdict === 'fails') ? 1 : 0);
      await print(format === 'json' ? formatJson(findings) : printFindings(findings));
    });
}

/** Runs a program to its end. */
export function runToEnd(program: string, args: readonly string[]): Promise<ProgramEnd> {
  return new Promise((done) => {
    execFile(program, [...args], (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code === 'ENOENT' ? 127 : Number(error.code ?? 1);
      done({ code, stdout, stderr });
    });
  });
}
