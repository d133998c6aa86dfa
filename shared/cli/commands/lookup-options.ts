import { type Command, Option } from 'commander';
import type { CompilingProcess } from './compile-options.ts';
import { type LookupCommand, lookupNode } from './lookup-command.ts';

/** Adds `understudy lookup`. */
export function addLookupCommand(program: Command, { print, warn, exit, variables }: CompilingProcess): void {
  program
    .command('lookup')
    .description('look Hiera keys up for a node in a control repo on disk, as puppet lookup does')
    .argument('[keys...]', 'the keys: the first that has a value counts')
    .requiredOption('--node <certname>', 'the node')
    .requiredOption('--control-repo <dir>', 'the folder with environments/')
    .option('--environment <name>', 'the environment', 'production')
    .requiredOption('--facts <file>', 'JSON: the facts, alone or as {"name": ..., "values": {...}}')
    .option(
      '--trusted <file>',
      'JSON: $trusted (default: of the node that the fact clientcert names, as puppet lookup has it)',
    )
    .option('--merge <strategy>', 'first, unique, hash or deep (default: what lookup_options say)')
    .option('--type <type>', 'the Puppet data type that the value has to have')
    .option('--default <value>', 'the value where there is none')
    .option('--knock-out-prefix <prefix>', 'with --merge deep: what marks values that are to be removed')
    .option('--sort-merged-arrays', 'with --merge deep: sort arrays that are merged', false)
    .option('--merge-hash-arrays', 'with --merge deep: merge hashes in arrays by their place', false)
    .option('--explain', 'print how the value is found in its place', false)
    .option('--explain-options', 'print how lookup_options are found', false)
    .addOption(new Option('--render-as <format>', 'how to print (default: yaml, explanations: s)').choices(FORMATS))
    .option('--compile', "compile the node's catalog first, for the variables of its classes", false)
    .action(async (keys: readonly string[], options: Omit<LookupCommand, 'keys'>) => {
      const { output, log, exitCode } = lookupNode({ ...options, keys, variables });
      for (const line of log) warn(line);
      exit(exitCode);
      await print(output);
    });
}

const FORMATS = ['s', 'json', 'yaml'];
