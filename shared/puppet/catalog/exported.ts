/** A resource that one node exports for others to collect. */

export interface ExportedResource {
  readonly certname: string;
  /** `File`, `Nagios::Host` */
  readonly type: string;
  readonly title: string;
  /** Tags that a collector's `tag ==` compares with. */
  readonly tags: readonly string[];
  /**
   * Tags that the collected resource keeps. PuppetDB returns none, so that a catalog only has the
   * tags of its own scopes.
   */
  readonly returnedTags?: readonly string[];
  /** Rich-data JSON of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * A recorded `<<| query |>>`. `query` is the filter that `Puppet::Parser::Collector` passes to the
 * resource terminus: `["tag", "==", "x"]`, `["port", "!=", 80]`, nested as `[left, "and" | "or",
 * right]`. Null matches all resources.
 */
export interface CollectorRecord {
  readonly certname: string;
  readonly type: string;
  readonly query: unknown;
}
