/** The kinds of errors of Puppet Enterprise's RBAC API; the last two are ours. */
export type AccessErrorKind =
  | 'malformed-request'
  | 'schema-violation'
  | 'inconsistent-id'
  | 'invalid-id-filter'
  | 'invalid-uuid'
  | 'invalid-token'
  | 'user-unauthenticated'
  | 'user-revoked'
  | 'api-user-login'
  | 'permission-denied'
  | 'admin-user-immutable'
  | 'admin-user-not-in-admin-role'
  | 'default-roles-immutable'
  | 'token-revoked'
  | 'token-expired'
  | 'token-timed-out'
  | 'not-found'
  | 'conflict'
  | 'invalid-associated-id'
  | 'too-many-attempts'
  | 'overloaded';

/** A request about accounts, roles or tokens that cannot be carried out as it is. */
export class AccessRefused extends Error {
  readonly kind: AccessErrorKind;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(kind: AccessErrorKind, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message);
    this.name = 'AccessRefused';
    this.kind = kind;
    this.details = details;
  }
}
