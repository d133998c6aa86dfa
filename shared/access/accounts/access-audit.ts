/** A decision about access; it holds no password, no token and no login that nobody has. */
export interface AccessAuditEntry {
  readonly kind: 'access';
  /** ISO 8601. */
  readonly time: string;
  readonly event: 'log-in' | 'authentication' | 'permission' | 'change';
  /** Who asked; null for unknown ones. */
  readonly login: string | null;
  /** `granted`, `denied`, or why it was refused, such as `token-expired`. */
  readonly outcome: string;
  /** What was asked for: `orchestrator:view:*`, `token created`. */
  readonly subject?: string;
}

export type AccessAudit = (entry: AccessAuditEntry) => void;
