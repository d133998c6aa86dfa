import type { Command } from 'commander';
import { ClientError } from '../../client/client-error.ts';
import { makeFactQuery } from '../../client/fact-filter.ts';
import { type JsonRecord, ORCHESTRATOR_CONFIGURATION, readTextOrFile } from '../../client/orchestrator-client.ts';

/** Nodes by name, by query and by facts. */
export interface FinderOptions {
  readonly nodes?: string;
  readonly query?: string;
  readonly fact?: readonly string[];
}

/** The nodes of a job. */
export interface TargetOptions extends FinderOptions {
  readonly nodeGroup?: string;
  readonly application?: string;
}

/** Adds the options that find nodes. */
export function addFinderOptions(command: Command): Command {
  return command
    .option('-n, --nodes <names>', 'certnames, separated by commas without blanks, or @FILE with one a line')
    .option('-q, --query <query>', 'a PQL query for certnames, or @FILE')
    .option(
      '-F, --fact <filter>',
      'nodes with such a fact: os.family=Debian; also != =~ !~ > >= < <=. May be repeated: all have to match',
      (filter: string, before: readonly string[] = []) => [...before, filter],
    );
}

/** Adds the options that name the nodes of a job. */
export function addTargetOptions(command: Command): Command {
  return addFinderOptions(command).option('--node-group <id>', 'the id of a node group, or its first digits');
}

/** Adds the options that say where the orchestrator is. */
export function addServiceOptions(command: Command): Command {
  return command
    .option('--service-url <url>', 'the address, such as https://puppet.example.com:8143')
    .option('--ca-cert <file>', "the certificates of the server's CA, PEM")
    .option('--token-file <file>', "the token's file (default: ~/.puppetlabs/token)")
    .option('--config-file <file>', `the configuration, in place of ~/.puppetlabs/…/${ORCHESTRATOR_CONFIGURATION}`);
}

/** The scope of a job. Throws ClientError unless exactly one target is given. */
export function readTargetOptions(options: TargetOptions): JsonRecord {
  const { nodeGroup, application } = options;
  const given = countGiven([options.nodes, options.query, options.fact, nodeGroup, application]);
  if (given !== 1) {
    throw new ClientError('exactly one target is needed: --nodes, --query, --fact, --node-group or --application');
  }
  if (nodeGroup !== undefined) return { node_group: nodeGroup };
  return application === undefined ? readFinder(options) : { application };
}

/** Reads the options that find nodes; null for all nodes. Throws ClientError for more than one. */
export function readFinderOptions(options: FinderOptions): JsonRecord | null {
  const given = countGiven([options.nodes, options.query, options.fact]);
  if (given > 1) throw new ClientError('--nodes, --query and --fact exclude each other');
  return given === 0 ? null : readFinder(options);
}

function countGiven(options: readonly unknown[]): number {
  return options.filter((one) => one !== undefined).length;
}

function readFinder({ nodes, query, fact = [] }: FinderOptions): JsonRecord {
  if (nodes !== undefined) return { nodes: readNodes(nodes) };
  return { query: query === undefined ? makeFactQuery(fact) : readTextOrFile(query).trim() };
}

function readNodes(text: string): readonly string[] {
  const names = readTextOrFile(text).split(text.startsWith('@') ? /\s*\n\s*/ : ',');
  const found = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
  if (found.length === 0) throw new ClientError('--nodes names no node');
  return found;
}
