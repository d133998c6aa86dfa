/**
 * Collections of reports. A document that is written there is a change of its node, which the field
 * `certname` names.
 */
export const REPORT_COLLECTIONS = {
  /** Prefix of the collections with a node's reports. */
  ofNode: 'reports/',
  /** Prefix of the collections with the last report of each node's runs that changed nothing. */
  unchanged: 'unchanged-runs/',
} as const;
