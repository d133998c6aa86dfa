import type { Command } from 'commander';
import {
  addEncOption,
  addNodeOptions,
  askEnc,
  type CompilingProcess,
  type NodeOptions,
} from '../../cli/commands/compile-options.ts';
import { CommandError, readJsonFile } from '../../cli/commands/node-files.ts';
import { diffCatalogs, type ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import { printDifferences } from '../../puppet/catalog/print-difference.ts';
import { compileWithPuppet } from './puppet-catalog.ts';

interface DiffOptions extends NodeOptions {
  /** `puppet`, or the path of a file with a catalog. */
  readonly with: string;
  readonly puppet: string;
  readonly enc?: string;
}

/**
 * Adds `understudy diff`. Exit code 0: the catalogs are equal; 2: they differ; 1: one of them could
 * not be compiled or read.
 */
export function addDiffCommand(program: Command, { print, warn, exit, now, variables }: CompilingProcess): void {
  const command = program
    .command('diff')
    .description(
      'compile a node here and with real Puppet, and print the differences of the catalogs (exit code 2 if any)',
    );
  addEncOption(command);
  addNodeOptions(command)
    .option('--with <puppet|file>', "'puppet' for the installed Puppet, or a file with a catalog", 'puppet')
    .option('--puppet <program>', "the program to run for '--with puppet'", 'puppet')
    .action(async (certname: string, options: DiffOptions) => {
      const { compileLocally } = await import('../../cli/commands/compile-command.ts');
      const classification = await askEnc(certname, options.enc, now);
      const ours = compileLocally({ ...options, classification, certname, variables, explain: false, at: now() });
      for (const line of ours.log) warn(line);
      if (ours.exitCode !== 0) return exit(1);
      const theirs = await otherCatalog(certname, options);
      const found = diffCatalogs(parseCatalog(ours.output, 'the catalog compiled here'), theirs);
      exit(found.length === 0 ? 0 : 2);
      await print(printDifferences(found, 'understudy', options.with));
    });
}

async function otherCatalog(certname: string, options: DiffOptions): Promise<ParsedCatalog> {
  if (options.with !== 'puppet') return assertCatalog(readJsonFile(options.with, 'catalog'), options.with);
  if (options.exports !== undefined) {
    throw new CommandError(
      "--exports requires --with FILE: 'puppet catalog compile' has no store of exported resources",
    );
  }
  if (options.trusted !== undefined) {
    throw new CommandError("--trusted requires --with FILE: 'puppet catalog compile' reads no certificate");
  }
  return parseCatalog(
    await compileWithPuppet({ ...options, certname, settings: puppetSettings(options.set) }),
    'puppet',
  );
}

/**
 * Returns the settings that make Puppet compile as we do. Puppet's defaults differ between its
 * releases.
 */
function puppetSettings(set: readonly string[]): Readonly<Record<string, string>> {
  const given = Object.fromEntries(
    set.map((text) => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)]),
  );
  return { strict: given.strict ?? 'error', strict_variables: given.strict_variables ?? 'true' };
}

function parseCatalog(text: string, origin: string): ParsedCatalog {
  return assertCatalog(JSON.parse(text), origin);
}

function assertCatalog(catalog: unknown, origin: string): ParsedCatalog {
  const found = Object(catalog);
  if (!Array.isArray(found.resources) || !Array.isArray(found.edges))
    throw new CommandError(`${origin} is not a catalog`);
  return { resources: found.resources, edges: found.edges, classes: Array.isArray(found.classes) ? found.classes : [] };
}
