import type { Command } from 'commander';
import type { ClientFolders } from '../../client/client-settings.ts';
import { InventoryClient, type InventoryOptions, readInventoryAddress } from '../../client/inventory-client.ts';
import { createFormatOption } from '../../client/option-values.ts';
import { readTextOrFile } from '../../client/orchestrator-client.ts';
import { formatRows, ROW_FORMATS, type RowFormat } from '../../client/row-formats.ts';

export interface InventoryProcess {
  readonly print: (text: string) => Promise<void>;
  readonly folders: ClientFolders;
}

/** Adds the options that name an inventory and the files of who asks it. */
function addInventoryOptions(command: Command): Command {
  return command
    .option(
      '--service-url <url>',
      'the inventory or PuppetDB (default: that of puppetdb.conf, or http://127.0.0.1:8080)',
    )
    .option('--ca-cert <file>', "the CA of the inventory's certificate, PEM")
    .option('--cert <file>', 'our certificate, PEM; without it, the token of `access login` is sent')
    .option('--key <file>', 'its key, PEM')
    .option('--token-file <file>', 'the file of the token')
    .option('-c, --config-file <file>', 'a configuration in place of ~/.puppetlabs/client-tools/puppetdb.conf');
}

/** Adds `query`. */
export function addQueryCommand(program: Command, { print, folders }: InventoryProcess): void {
  const command = program
    .command('query')
    .description('ask the inventory, or a PuppetDB: rows are printed as they come')
    .argument('<query>', 'PQL, or an AST as JSON; @FILE reads it from a file')
    .addOption(createFormatOption(ROW_FORMATS, 'json for programs, a table of text, or csv'));
  addInventoryOptions(command).action(async (query: string, options: InventoryOptions & { format: RowFormat }) => {
    const client = new InventoryClient(readInventoryAddress(options, folders));
    try {
      const rows = client.readRows('', { query: readTextOrFile(query) });
      for await (const piece of formatRows(rows, options.format)) await print(piece);
    } finally {
      client.close();
    }
  });
}
