import { type Command, Option } from 'commander';
import { addEncOption, addLogOptions, askEnc, type CompilingProcess } from './compile-options.ts';
import type { LookupCommand } from './lookup-command.ts';

/** Adds `understudy lookup`. */
export function addLookupCommand(program: Command, { print, warn, exit, now, variables }: CompilingProcess): void {
  const command = program
    .command('lookup')
    .description(
      'look up Hiera keys for a node in a control repo on disk, as puppet lookup does; the log goes to standard error',
    )
    .argument('[keys...]', 'the keys; the first one with a value is printed')
    .requiredOption('--node <certname>', 'the certname of the node')
    .requiredOption('--control-repo <dir>', 'the control repo: the folder that contains environments/')
    .option('--environment <name>', 'the environment', 'production')
    .requiredOption('--facts <file>', 'the facts, a JSON file: a hash of facts, or {"name": ..., "values": {...}}')
    .option(
      '--trusted <file>',
      '$trusted, a JSON file (default: for the node that the fact clientcert names, as puppet lookup does)',
    )
    .option('--merge <strategy>', 'first, unique, hash or deep (default: from lookup_options)')
    .option('--type <type>', 'the Puppet data type that the value must have')
    .option('--default <value>', 'the value to print if no key has one')
    .option('--knock-out-prefix <prefix>', 'with --merge deep: the prefix that marks values to remove')
    .option('--sort-merged-arrays', 'with --merge deep: sort merged arrays', false)
    .option('--merge-hash-arrays', 'with --merge deep: merge hashes in arrays by index', false)
    .option('--explain', 'print how the value is found instead of the value', false)
    .option('--explain-options', 'print how lookup_options are found', false)
    .addOption(
      new Option('--render-as <format>', 'the output format (default: yaml; s for explanations)').choices(FORMATS),
    )
    .option('--compile', "compile the node's catalog first, so that variables of its classes are set", false);
  addEncOption(command);
  addLogOptions(command).action(async (keys: readonly string[], options: LookupOptions) => {
    const { lookupNode } = await import('./lookup-command.ts');
    const classification = await askEnc(options.node, options.enc, now);
    const { output, log, exitCode } = lookupNode({ ...options, classification, keys, variables });
    for (const line of log) warn(line);
    exit(exitCode);
    await print(output);
  });
}

type LookupOptions = Omit<LookupCommand, 'keys' | 'classification'> & { readonly enc?: string };

const FORMATS = ['s', 'json', 'yaml'];
