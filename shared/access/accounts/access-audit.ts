/** A decision about access; it holds no password, no token and no login that nobody has. */
export interface AccessAuditEntry {
  readonly kind: 'access';
  /** ISO 8601. */
  readonly time: string;
  readonly event: 'log-in' | 'authentication' | 'permission' | 'change';
  /** Login of the requester; null for unknown ones. */
  readonly login: string | null;
  /** `granted`, `denied`, or why it was refused, such as `token-expired`. */
  readonly outcome: string;
  /** Object of the decision: `orchestrator:view:*`, `token created`. */
  readonly subject?: string;
}

export type AccessAudit = (entry: AccessAuditEntry) => void;
