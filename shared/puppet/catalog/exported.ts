/** What one node's catalog gives to others and takes from others. */

export interface ExportedResource {
  readonly certname: string;
  /** `File`, `Nagios::Host` */
  readonly type: string;
  readonly title: string;
  /** What collectors ask for with `tag ==`. */
  readonly tags: readonly string[];
  /**
   * Tags that the collected resource keeps. PuppetDB gives none back, so that a catalog's tags are
   * those of its own scopes.
   */
  readonly returnedTags?: readonly string[];
  /** Rich-data JSON of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * A recorded `<<| query |>>`. `query` is null for all, else Puppet's filter: `["tag", "==", "x"]`,
 * `["port", "!=", 80]`, nested as `[left, "and" | "or", right]` (what `Puppet::Parser::Collector`
 * hands to the resource terminus).
 */
export interface CollectorRecord {
  readonly certname: string;
  readonly type: string;
  readonly query: unknown;
}
