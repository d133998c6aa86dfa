/** What one node's catalog gives to others and takes from others. */

export interface ExportedResource {
  readonly certname: string;
  /** `File`, `Nagios::Host` */
  readonly type: string;
  readonly title: string;
  readonly tags: readonly string[];
  /** Rich-data JSON of the parameters. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/**
 * A recorded `<<| query |>>`. `query` is null for all, else Puppet's filter: `["tag", "==", "x"]`, `["port", "!=", 80]`,
 * nested as `[left, "and" | "or", right]` (what `Puppet::Parser::Collector` hands to the resource terminus).
 */
export interface CollectorRecord {
  readonly certname: string;
  readonly type: string;
  readonly query: unknown;
}
