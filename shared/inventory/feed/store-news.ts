import { applyCommand, type CommandTerms, type InventoryCommand } from '../commands/apply-command.ts';
import { applyGuarded } from '../commands/apply-next.ts';
import type { DatabaseConnection, DatabaseTask } from '../database/inventory-database.ts';
import { deleteFedNode, type FedNode, putFedNode } from './fed-nodes.ts';
import {
  makeCatalogCommand,
  makeFactsCommand,
  makeReportCommand,
  type NewCatalog,
  type NewDocument,
  type NewReport,
} from './feed-commands.ts';

/** New data of a node. */
interface NodeNews {
  readonly certname: string;
  /** The server's name. */
  readonly producer: string;
  /** Now, in ISO 8601. */
  readonly received: string;
  readonly facts: NewDocument | null;
  readonly catalog: NewCatalog | null;
  /** Facts that are not kept: see `matchBlockedFacts`. */
  readonly blockedFacts: readonly string[];
  /** Oldest first. */
  readonly reports: readonly NewReport[];
  /** The node's feed record after this. */
  readonly next: FedNode;
}

/**
 * Stores what is new of a node, and what is taken of it. Returns why a part cannot be stored: it is
 * left out, because it would fail each time.
 */
export async function storeNodeNews(connection: DatabaseConnection, news: NodeNews): Promise<readonly string[]> {
  const { certname, producer, received, blockedFacts, facts, catalog, reports, next } = news;
  const parts: readonly NewsPart[] = [
    ...(facts === null ? [] : [{ what: 'facts', make: () => makeFactsCommand(certname, facts, producer) }]),
    ...(catalog === null ? [] : [{ what: 'catalog', make: () => makeCatalogCommand(certname, catalog, producer) }]),
    ...reports.map((report) => ({ what: 'report', make: () => makeReportCommand(report, producer) })),
  ];
  const troubles: string[] = [];
  for (const part of parts) {
    const error = await storePart(connection, part, { received, blockedFacts });
    if (error !== null) troubles.push(`the ${part.what} of ${certname} cannot be stored: ${error}`);
  }
  await putFedNode(connection, certname, next);
  return troubles;
}

interface NewsPart {
  readonly what: string;
  /** Throws for a stored document that cannot be read. */
  make(): InventoryCommand | null;
}

/** Stores a part, or returns why that cannot be done. */
async function storePart(
  connection: DatabaseConnection,
  { make }: NewsPart,
  terms: CommandTerms,
): Promise<string | null> {
  let command: InventoryCommand | null;
  try {
    command = make();
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const error = command === null ? null : await applyGuarded(connection, command, terms);
  return error?.message ?? null;
}

/** `storeNodeNews` as a task. */
export const STORE_NODE_NEWS: DatabaseTask<NodeNews, readonly string[]> = {
  module: import.meta.url,
  name: 'storeNodeNews',
  run: storeNodeNews,
};

/** Deactivates a node that the server had until `at`, in milliseconds. */
export async function storeRemovedNode(connection: DatabaseConnection, certname: string, at: number): Promise<void> {
  const time = new Date(at).toISOString();
  const payload = JSON.stringify({ certname, producer_timestamp: time });
  await applyCommand(
    connection,
    { command: 'deactivate node', version: 3, certname, payload },
    { received: time, blockedFacts: [] },
  );
  await deleteFedNode(connection, certname);
}
