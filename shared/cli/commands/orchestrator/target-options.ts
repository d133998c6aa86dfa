import type { Command } from 'commander';
import { ClientError } from '../../client/client-error.ts';
import { type JsonRecord, ORCHESTRATOR_CONFIGURATION, readTextOrFile } from '../../client/orchestrator-client.ts';

/** The nodes of a job. */
export interface TargetOptions {
  readonly nodes?: string;
  readonly query?: string;
  readonly nodeGroup?: string;
  readonly application?: string;
}

/** Adds the options that name the nodes of a job. */
export function addTargetOptions(command: Command): Command {
  return command
    .option('-n, --nodes <names>', 'certnames, separated by commas without blanks, or @FILE with one a line')
    .option('-q, --query <query>', 'a PQL query for certnames, or @FILE')
    .option('--node-group <id>', 'the id of a node group');
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
export function readTargetOptions({ nodes, query, nodeGroup, application }: TargetOptions): JsonRecord {
  const given = [nodes, query, nodeGroup, application].filter((one) => one !== undefined);
  if (given.length !== 1) {
    throw new ClientError('exactly one target is needed: --nodes, --query, --node-group or --application');
  }
  if (nodes !== undefined) return { nodes: readNodes(nodes) };
  if (query !== undefined) return { query: readTextOrFile(query).trim() };
  return nodeGroup === undefined ? { application } : { node_group: nodeGroup };
}

function readNodes(text: string): readonly string[] {
  const names = readTextOrFile(text).split(text.startsWith('@') ? /\s*\n\s*/ : ',');
  const found = [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
  if (found.length === 0) throw new ClientError('--nodes names no node');
  return found;
}
