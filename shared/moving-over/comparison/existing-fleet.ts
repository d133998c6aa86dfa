import { trustedFacts } from '../../access/ca/trusted-facts.ts';
import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { ExportStore } from '../../store/ports/export-store.ts';
import type { InventoryAnswers } from '../../store/ports/inventory-answers.ts';

/** Data of an existing installation about a node before a compile. */
export interface KnownNode {
  readonly certname: string;
  /** The environment of its last catalog. */
  readonly environment: string;
  readonly facts: PuppetHash;
  readonly trusted: PuppetHash;
}

/** A catalog compiled here. */
export interface OwnCatalog {
  readonly catalog: unknown;
  readonly exported: readonly ExportedResource[];
}

/** The nodes of an existing installation. Methods throw NodeUnreadable and ServiceUnreachable. */
export interface NodeSource {
  /** All nodes that count, in any order. */
  listCertnames(): Promise<readonly string[]>;
  readNode(certname: string): Promise<KnownNode>;
  /** Exports of its nodes; absent: the source does not know them. */
  readonly exports?: Pick<ExportStore, 'collect'>;
  /** Answers to queries of manifests; absent: none. */
  readonly inventory?: InventoryAnswers;
}

/** Its catalogs. Methods throw NodeUnreadable and ServiceUnreachable. */
export interface CatalogSource {
  readCatalog(node: KnownNode): Promise<ParsedCatalog>;
  /** Our catalog in the form of `readCatalog`. */
  toComparable(own: OwnCatalog): ParsedCatalog;
}

/** Data of a node is missing or cannot be read; the message names it. */
export class NodeUnreadable extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NodeUnreadable';
  }
}

/** Facts and `$trusted`, which PuppetDB and caches of servers hold as a fact. */
export function splitTrusted(certname: string, facts: PuppetHash): Pick<KnownNode, 'facts' | 'trusted'> {
  const trusted = facts.get('trusted');
  return {
    facts: PuppetHash.of([...facts].filter(([name]) => name !== 'trusted')),
    trusted: trusted instanceof PuppetHash ? trusted : trustedFacts(certname, new Map()),
  };
}
