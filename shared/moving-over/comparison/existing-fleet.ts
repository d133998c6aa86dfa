import { trustedFacts } from '../../access/ca/trusted-facts.ts';
import type { ParsedCatalog } from '../../puppet/catalog/diff-catalogs.ts';
import type { ExportedResource } from '../../puppet/catalog/exported.ts';
import { PuppetHash } from '../../puppet/types/values/puppet-hash.ts';
import type { ExportStore } from '../../store/ports/export-store.ts';
import type { InventoryAnswers } from '../../store/ports/inventory-answers.ts';
import { NamedError } from '../../util/named-error.ts';

/** A node of an existing installation, with the data that a compile needs. */
export interface KnownNode {
  readonly certname: string;
  /** The environment of its last catalog. */
  readonly environment: string;
  readonly facts: PuppetHash;
  readonly trusted: PuppetHash;
}

/** A catalog compiled here, and the resources that it exports. */
export interface OwnCatalog {
  readonly catalog: unknown;
  readonly exported: readonly ExportedResource[];
}

/** The nodes of an existing installation. Methods throw NodeUnreadable and ServiceUnreachable. */
export interface NodeSource {
  /** Lists the nodes to compare, in any order. */
  listCertnames(): Promise<readonly string[]>;
  readNode(certname: string): Promise<KnownNode>;
  /** Exported resources of its nodes; absent: the source does not know them. */
  readonly exports?: Pick<ExportStore, 'collect'>;
  /** Answers to PuppetDB queries of manifests; absent: none. */
  readonly inventory?: InventoryAnswers;
}

/** Catalogs of an existing installation. Methods throw NodeUnreadable and ServiceUnreachable. */
export interface CatalogSource {
  readCatalog(node: KnownNode): Promise<ParsedCatalog>;
  /** Our catalog in the form of `readCatalog`. */
  toComparable(own: OwnCatalog): ParsedCatalog;
}

/** Error for data of a node that is missing or unreadable; the message names the data. */
export class NodeUnreadable extends NamedError {}

/** Separates `$trusted` from the facts, among which PuppetDB and servers' caches store it. */
export function splitTrusted(certname: string, facts: PuppetHash): Pick<KnownNode, 'facts' | 'trusted'> {
  const trusted = facts.get('trusted');
  return {
    facts: PuppetHash.of([...facts].filter(([name]) => name !== 'trusted')),
    trusted: trusted instanceof PuppetHash ? trusted : trustedFacts(certname, new Map()),
  };
}
