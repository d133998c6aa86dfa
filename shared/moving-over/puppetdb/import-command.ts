import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ClientError } from '../../cli/client/client-error.ts';
import {
  checkUrl,
  InventoryClient,
  type InventoryOptions,
  readInventoryAddress,
} from '../../cli/client/inventory-client.ts';
import { parseWholeNumber } from '../../cli/client/option-values.ts';
import { Progress } from '../../cli/client/progress.ts';
import type { InventoryProcess } from '../../cli/commands/inventory/query-command.ts';
import { countUnits } from '../../util/count-units.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { ImportState } from './import-puppetdb.ts';

interface ImportCommandOptions {
  readonly to: string;
  readonly caCert?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly stateFile: string;
  readonly reports: number;
}

interface ImportProcess extends InventoryProcess {
  /** Writes a line to standard error. */
  readonly warn: (line: string) => void;
  readonly exit: (code: number) => void;
  readonly sleep: (milliseconds: number) => Promise<void>;
}

const REPORTS_A_PAGE = 20;

/** Adds `import puppetdb`; returns `import`, for more of them. */
export function addImportCommand(program: Command, process: ImportProcess): Command {
  const imports = program.command('import').description('import data and settings of other servers');
  imports
    .command('puppetdb')
    .description(
      'import the nodes of a running PuppetDB, with facts, catalogs and reports; an interrupted import resumes',
    )
    .argument('<url>', 'the PuppetDB, such as https://HOST:8081')
    .option('--to <url>', 'the inventory that gets them, without TLS', 'http://127.0.0.1:8080')
    .option('--ca-cert <file>', "the CA of PuppetDB's certificate, PEM")
    .option('--cert <file>', 'our certificate for PuppetDB, PEM')
    .option('--key <file>', 'its key, PEM')
    .option('--state-file <file>', 'the file that keeps the progress of the import', 'understudy-import.json')
    .option(
      '--reports <number>',
      'how many reports of a node to import, newest first',
      parseWholeNumber(0, 100_000),
      100,
    )
    .action((url: string, options: ImportCommandOptions) => runImport(url, options, process));
  return imports;
}

async function runImport(url: string, options: ImportCommandOptions, process: ImportProcess): Promise<void> {
  checkUrl(options.to);
  const state = readState(options.stateFile, url, options.to);
  const source = openSource(url, options, process);
  const target = new InventoryClient({ url: options.to });
  if (state.after !== '') await process.print(`continuing after ${state.after}\n`);
  const progress = new Progress();
  try {
    const { importPuppetdb } = await import('./import-puppetdb.ts');
    const { state: last, rejected } = await importPuppetdb({
      source,
      target,
      state,
      reportsAPage: REPORTS_A_PAGE,
      mostReports: options.reports,
      sleep: process.sleep,
      onRejected: process.warn,
      save: async (next, total) => {
        writeState(options.stateFile, next);
        progress.show('importing nodes', next.nodes, total);
      },
    });
    progress.end();
    const rest = rejected === 0 ? '' : `, ${rejected} rejected`;
    await process.print(
      `imported ${countUnits(last.nodes, 'node')} with ${countUnits(last.commands, 'document')}${rest}\n`,
    );
    if (rejected > 0) process.exit(1);
  } finally {
    progress.end();
    source.close();
    target.close();
  }
}

function openSource(
  url: string,
  { caCert, cert, key }: ImportCommandOptions,
  { folders }: ImportProcess,
): InventoryClient {
  const given: InventoryOptions = {
    serviceUrl: url,
    ...(caCert === undefined ? {} : { caCert }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
  };
  return new InventoryClient(readInventoryAddress(given, folders));
}

/** The state of an import of this source into this target; that of another one is an error. */
function readState(file: string, source: string, target: string): ImportState {
  if (!existsSync(file)) return { source, target, after: '', nodes: 0, commands: 0 };
  const state = parseState(file);
  if (state.source === source && state.target === target) return state;
  throw new ClientError(
    `'${file}' is the state of an import from ${state.source} to ${state.target}: name another --state-file, or delete it`,
  );
}

function parseState(file: string): ImportState {
  try {
    const data: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (isJsonObject(data) && typeof data.after === 'string') {
      const [nodes, commands] = [Number(data.nodes), Number(data.commands)];
      return { source: String(data.source), target: String(data.target), after: data.after, nodes, commands };
    }
  } catch (error) {
    throw new ClientError(`'${file}' cannot be read as the state of an import: ${String(error)}`);
  }
  throw new ClientError(`'${file}' is not the state of an import`);
}

/** Written beside it and renamed: a death leaves the former state. */
function writeState(file: string, state: ImportState): void {
  writeFileSync(`${file}.new`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}
