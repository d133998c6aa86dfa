/** A node's record in the `nodes` table. */
export interface NodeRecord {
  readonly certname: string;
  /** The environment that its next compile uses. */
  readonly environment: string;
  /** Raised by one for each reason that makes the catalog out of date. */
  readonly wanted: number;
  /** The generation of the last commit; `built === wanted` when nothing is outstanding. */
  readonly built: number;
  /** The latest reasons, newest last, bounded to 20. */
  readonly reasons: readonly string[];
  /** When `wanted` was last raised. */
  readonly wantedAt: number;
  /**
   * The generation that a job was last sent for, when, and whether that job is ahead of all others
   * because a node waits for it.
   */
  readonly asked: { readonly generation: number; readonly at: number; readonly waiting: boolean };
  /** What the operator's classification says of the node; null when it says nothing. */
  readonly classification: Classification | null;
  readonly catalog: CatalogPointer | null;
  readonly failure: FailureRecord | null;
  /** Inputs of the last commit (good or failed), null before the first. */
  readonly inputs: InputSummary | null;
  /**
   * sha256 of the blob `facts/<certname>` and when it was written; null when the node never sent
   * facts.
   */
  readonly facts: FactsPointer | null;
  readonly lastSeen: number;
  /**
   * When the node was last compiled, verified or fed to the background queue: its place in the
   * ring.
   */
  readonly ringPosition: number;
  /** Commits since the node was created: how often it was compiled. */
  readonly compiles: number;
  /** How often its inputs were found unchanged instead. */
  readonly verifications: number;
}

/**
 * What an external node classifier says of a node: as the `exec` terminus of Puppet would hand it
 * over.
 */
export interface Classification {
  /** Names, or names with their parameters (null: none). */
  readonly classes: readonly string[] | Readonly<Record<string, Readonly<Record<string, unknown>> | null>>;
  /** Variables of the top scope. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The environment that the node is in whatever it asks for; null leaves it to the node. */
  readonly environment: string | null;
}

export interface FactsPointer {
  readonly digest: string;
  readonly at: number;
}

export interface CatalogPointer {
  /** sha256 (hex) of the canonical catalog: blob `catalogs/<hash>`. */
  readonly hash: string;
  /**
   * By checksum type: the hash of the form with metadata of files inlined, where that differs from
   * the catalog.
   */
  readonly static?: Readonly<Record<string, string>>;
  readonly codeId: string | null;
  /**
   * Code that the stored forms name, where that is another: equal catalogs name the code that the
   * first one was compiled with. Commits of earlier releases do not say.
   */
  readonly namedCode?: readonly string[];
  readonly compiledAt: number;
  readonly durationMs: number;
  /** `exportsDigest` of what it exports. */
  readonly exported: string;
}

export interface FailureRecord {
  readonly message: string;
  readonly at: number;
  readonly codeId: string | null;
}

/**
 * What a catalog was built from. File paths are in the dependency set, a blob that nodes of one
 * role share.
 */
export interface InputSummary {
  /** The environment it was compiled in. */
  readonly environment: string;
  /**
   * `classificationDigest` of the node's classification; null for none. Catalogs of earlier
   * releases do not say.
   */
  readonly classification?: string | null;
  /**
   * Types of checksums that static forms were made for. Commits of earlier releases do not say:
   * they made none.
   */
  readonly checksumTypes?: readonly string[];
  /** Digest of the compiler's release, settings and server facts. */
  readonly compiler: string;
  /**
   * Fact path (`["os","family"]` as JSON) -> how it was seen: see `puppet/environment/inputs.ts`.
   */
  readonly facts: Readonly<Record<string, string>>;
  readonly trusted: Readonly<Record<string, string>>;
  readonly settings: Readonly<Record<string, string>>;
  /** sha256 of the dependency set: blob `dependencies/<id>`; reverse index in the store. */
  readonly dependencySet: string;
  readonly collectors: readonly { readonly type: string; readonly query: unknown }[];
  /** `exportsDigest` of the other nodes' exports that the collectors match. */
  readonly collected: string;
  /** Functions that made the catalog volatile; empty for a deterministic one. */
  readonly volatile: readonly string[];
}
