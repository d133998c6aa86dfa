import type { Command } from 'commander';
import { certnameFault } from '../../../access/ca/certname.ts';
import type { AwsNames } from '../../../store/aws/stores.ts';
import type { NodeRecord } from '../../../store/ports/node-record.ts';
import type { Stores } from '../../../store/ports/stores.ts';
import { type Confirmed, confirm, withYes } from '../../client/confirm.ts';
import { addTableOptions, createListStyle, type TableFormat } from '../../client/list-table.ts';
import { createFormatOption, type FormatOption, formatJson, type OutputFormat } from '../../client/option-values.ts';
import type { Terminal } from '../../client/terminal.ts';
import { DATA_OPTION, type StateLocation, withStores } from '../command-stores.ts';
import { CommandError, readYamlFile } from '../node-files.ts';
import { readTrustedNames, TRUSTED_NAMES_OPTION } from '../trusted-names-option.ts';
import { addNodeList } from './node-list-command.ts';

type Print = (text: string) => Promise<void>;

/** The parts of a process that the commands need. */
interface NodeProcess {
  readonly print: Print;
  readonly variables: AwsNames;
  readonly terminal: Terminal;
}

interface FactsOptions extends StateLocation {
  readonly file: string;
  readonly trustedOidMapping?: string;
}

/** Error for a certname without a node. */
export class NoSuchNode extends Error {
  constructor(certname: string) {
    super(`there is no node '${certname}'`);
    this.name = 'NoSuchNode';
  }
}

/**
 * Adds `node list`, `node show`, `node explain`, `node classify`, `node unclassify`, `node facts`
 * and `node purge`.
 */
export function addNodeCommands(program: Command, { print, variables, terminal }: NodeProcess): void {
  const node = program.command('node').description('inspect, classify and purge nodes');
  addNodeList(node, print, variables);
  const command = (name: string, description: string) =>
    node
      .command(name)
      .description(description)
      .argument('<certname>')
      .option(...DATA_OPTION);
  command('show', 'print what is known of a node; with --format json, its whole record')
    .addOption(createFormatOption())
    .action((certname: string, { format, ...where }: StateLocation & FormatOption) =>
      withStores(where, variables, (stores) => show(stores, certname, format, print)),
    );
  addTableOptions(
    command('explain', "print the state of a node's catalog, and what it follows from: values, and who reads them"),
  ).action((certname: string, options: StateLocation & TableFormat) =>
    withStores(options, variables, async (stores) => {
      const { explainNode } = await import('./explain-command.ts');
      const style = createListStyle(options, stores.clock.now(), '');
      await print(await explainNode(await nodeNamed(certname, stores), stores, style));
    }),
  );
  command('compare', "print how the node's catalog differs from that of an existing Puppet Server")
    .addOption(createFormatOption())
    .action((certname: string, { format, ...where }: StateLocation & FormatOption) =>
      withStores(where, variables, async ({ documents }) => {
        const { ComparisonStore } = await import('../../../fleet/comparisons/comparison-store.ts');
        const { printNodeComparison } = await import('./print-node-comparison.ts');
        const found = await new ComparisonStore(documents).get(certname);
        if (found === null) throw new CommandError(`${certname} was not compared with another server`);
        await print(format === 'json' ? formatJson(found) : printNodeComparison(found));
      }),
    );
  command(
    'classify',
    'set the classes, top-scope parameters and environment of a node, as an external node classifier does',
  )
    .requiredOption('--file <path>', 'the output of the classifier for the node, YAML or JSON')
    .action((certname: string, options: StateLocation & { file: string }) =>
      withStores(options, variables, (stores) => classify(stores, certname, options.file, print)),
    );
  command('unclassify', "delete a node's classification").action((certname: string, where: StateLocation) =>
    withStores(where, variables, async (stores) => {
      const { classifyNode } = await import('../../../fleet/nodes/classification.ts');
      await nodeNamed(certname, stores);
      await print(changeLine(certname, await classifyNode(certname, null, stores)));
    }),
  );
  command(
    'facts',
    'store facts for a node before its first run; if its certificate is signed, its catalog is compiled at once',
  )
    .requiredOption('--file <path>', 'facts as `puppet facts show` prints them, JSON or YAML')
    .option(...TRUSTED_NAMES_OPTION)
    .action((certname: string, options: FactsOptions) =>
      withStores(options, variables, (stores) => seed(stores, certname, options, print)),
    );
  withYes(command('purge', 'delete a node with its facts, exports, collectors, reports and classification')).action(
    (certname: string, options: StateLocation & Confirmed) =>
      withStores(options, variables, async (stores) => {
        const { purgeNode } = await import('../../../fleet/code/purge-node.ts');
        await nodeNamed(certname, stores);
        await confirm(
          `${certname} and its facts, reports, exports and classification would be deleted`,
          options,
          terminal,
        );
        if (!(await purgeNode(certname, stores))) throw new NoSuchNode(certname);
        await print(`${certname} purged\n`);
      }),
  );
}

/** Adds the command `why`. */
export function addWhy(program: Command, print: Print, variables: AwsNames): void {
  const why = program
    .command('why')
    .description('say why a node was compiled: the reasons of its last ten compiles')
    .argument('<certname>')
    .option(...DATA_OPTION);
  addTableOptions(why).action((certname: string, options: StateLocation & TableFormat) =>
    withStores(options, variables, async (stores) => {
      const { explainCompiles } = await import('./explain-command.ts');
      const style = createListStyle(options, stores.clock.now(), 'No compile is recorded.');
      await print(explainCompiles(await nodeNamed(certname, stores), style));
    }),
  );
}

async function nodeNamed(certname: string, { nodes }: Stores): Promise<NodeRecord> {
  const node = await nodes.get(certname);
  if (!node) throw new NoSuchNode(certname);
  return node;
}

async function show(stores: Stores, certname: string, format: OutputFormat, print: Print): Promise<void> {
  const { isWaitingForFacts } = await import('../../../fleet/nodes/signed-node.ts');
  const node = await nodeNamed(certname, stores);
  const waitsForFacts = await isWaitingForFacts(node, stores);
  if (format === 'json') return print(formatJson({ ...node, ...(waitsForFacts && { waitsForFacts }) }));
  const { describeNode } = await import('./describe-node.ts');
  await print(describeNode(node, waitsForFacts));
}

async function classify(stores: Stores, certname: string, file: string, print: Print): Promise<void> {
  const { classifyNode, InvalidClassification, readClassification } = await import(
    '../../../fleet/nodes/classification.ts'
  );
  requireCertname(certname);
  try {
    const classification = readClassification(await readYamlFile(file, 'classification'));
    await print(changeLine(certname, await classifyNode(certname, classification, stores)));
  } catch (error) {
    if (error instanceof InvalidClassification) throw new CommandError(`${file}: ${error.message}`);
    throw error;
  }
}

async function seed(stores: Stores, certname: string, options: FactsOptions, print: Print): Promise<void> {
  const { readPrintedFacts } = await import('../node-files.ts');
  const { seedFacts } = await import('../../../fleet/nodes/signed-node.ts');
  requireCertname(certname);
  const facts = await readPrintedFacts(options.file);
  const next = await seedFacts(certname, facts, await readTrustedNames(options.trustedOidMapping), stores);
  await print(`${certname} has facts, and ${next}\n`);
}

function requireCertname(certname: string): void {
  const fault = certnameFault(certname);
  if (fault !== null) throw new CommandError(`'${certname}' is not a certname: ${fault}`);
}

function changeLine(certname: string, changed: boolean): string {
  return `${certname} ${changed ? 'classification changed' : 'unchanged'}\n`;
}
