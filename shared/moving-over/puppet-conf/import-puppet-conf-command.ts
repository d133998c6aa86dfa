import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { ClientError, describeCause } from '../../cli/client/client-error.ts';
import { createFormatOption } from '../../cli/client/option-values.ts';
import { InvalidPuppetConf } from './read-puppet-conf.ts';
import type { ConfOrigin, TranslatedConf } from './translate-puppet-conf.ts';

type Format = 'text' | 'yaml';
type Print = (text: string) => Promise<void>;

interface PuppetConfOptions {
  readonly format: Format;
  readonly puppet: ConfOrigin['puppet'];
}

/** Adds `puppet-conf` to `import`. */
export function addPuppetConfCommand(imports: Command, print: Print): void {
  imports
    .command('puppet-conf')
    .description(
      "print the options that replace the settings of a Puppet Server's puppet.conf, and what to do about other settings",
    )
    .argument('<file>', 'the puppet.conf of the server')
    .addOption(createConfFormatOption())
    .addOption(
      new Option('--puppet <release>', 'the release of that server, whose defaults hold where the file is silent')
        .choices(['6', '7', '8'])
        .default('8'),
    )
    .action(async (file: string, { format, puppet }: PuppetConfOptions) => {
      await print(await printConf(await translateFile(file, puppet), file, format));
    });
}

/** Adds `server-conf` to `import`. */
export function addServerConfCommand(imports: Command, print: Print): void {
  imports
    .command('server-conf')
    .description(
      'print the options that replace the settings of a Puppet Server or an OpenVox Server (puppetserver.conf, webserver.conf, ca.conf, auth.conf and others), and what to do about other settings',
    )
    .argument('<folder>', 'the folder conf.d of the server')
    .addOption(createConfFormatOption())
    .action(async (folder: string, { format }: { readonly format: Format }) => {
      await print(await printConf(await translateFolder(folder), folder, format));
    });
}

function createConfFormatOption(): Option {
  return createFormatOption(['text', 'yaml'], 'text, or yaml: a file for `understudy server --config`');
}

async function printConf(conf: TranslatedConf, origin: string, format: Format): Promise<string> {
  const { printConfigFile, printTranslation } = await import('./print-translation.ts');
  return format === 'yaml' ? printConfigFile(conf, origin) : printTranslation(conf, origin);
}

async function translateFolder(folder: string): Promise<TranslatedConf> {
  const names = listNames(folder).filter((name) => name.endsWith('.conf'));
  if (names.length === 0) throw new ClientError(`'${folder}' has no file whose name ends with .conf`);
  const { InvalidServerConf, translateServerConf } = await import('./translate-server-conf.ts');
  try {
    return translateServerConf(
      names.map((name) => ({ file: resolve(folder, name), text: readText(join(folder, name)) })),
    );
  } catch (error) {
    throw error instanceof InvalidServerConf ? new ClientError(error.message) : error;
  }
}

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    throw new ClientError(`'${folder}' cannot be read: ${describeCause(error)}`);
  }
}

async function translateFile(file: string, puppet: ConfOrigin['puppet']): Promise<TranslatedConf> {
  const { translatePuppetConf } = await import('./translate-puppet-conf.ts');
  try {
    return translatePuppetConf(readText(file), { file, puppet, hostname: hostname(), hasFile: existsSync });
  } catch (error) {
    throw error instanceof InvalidPuppetConf ? new ClientError(error.message) : error;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ClientError(`'${file}' cannot be read: ${describeCause(error)}`);
  }
}
