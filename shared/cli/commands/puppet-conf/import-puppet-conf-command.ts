import { existsSync, readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type Command, Option } from 'commander';
import { ClientError, describeCause } from '../../client/client-error.ts';
import { createFormatOption } from '../../client/option-values.ts';
import { printConfigFile, printTranslation } from './print-translation.ts';
import { InvalidPuppetConf } from './read-puppet-conf.ts';
import { type ConfOrigin, translatePuppetConf } from './translate-puppet-conf.ts';

interface PuppetConfOptions {
  readonly format: 'text' | 'yaml';
  readonly puppet: ConfOrigin['puppet'];
}

/** Adds `puppet-conf` to `import`. */
export function addPuppetConfCommand(imports: Command, print: (text: string) => Promise<void>): void {
  imports
    .command('puppet-conf')
    .description(
      "print the options that replace the settings of a Puppet Server's puppet.conf, and what to do about other settings",
    )
    .argument('<file>', 'the puppet.conf of the server')
    .addOption(createFormatOption('text, or yaml: a file for `understudy server --config`', ['text', 'yaml']))
    .addOption(
      new Option('--puppet <release>', 'the release of that server, whose defaults hold where the file is silent')
        .choices(['6', '7', '8'])
        .default('8'),
    )
    .action(async (file: string, { format, puppet }: PuppetConfOptions) => {
      const conf = translateFile(file, puppet);
      await print(format === 'yaml' ? printConfigFile(conf, file) : printTranslation(conf, file));
    });
}

function translateFile(file: string, puppet: ConfOrigin['puppet']) {
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
