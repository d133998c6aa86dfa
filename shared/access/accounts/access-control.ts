import type { JobOwner } from '../../store/ports/job-records.ts';
/**
 * Users and their permissions: the port by which the orchestrator, the inventory and code deploys
 * ask for permission. Shapes follow Puppet Enterprise's RBAC API.
 */

/** A user, or a group of users. */
export interface Subject extends JobOwner {}

export interface Permission {
  /** Such as `orchestrator` or `tasks`. */
  readonly objectType: string;
  /** Such as `view` or `run`. */
  readonly action: string;
  /** The object, such as the name of a task; `*` for all. */
  readonly instance: string;
}

/** Why a request has no subject. */
export type AuthenticationFailure =
  | 'invalid-token'
  | 'token-revoked'
  | 'token-expired'
  | 'token-timed-out'
  | 'user-revoked';

export interface AccessControl {
  /** Finds the user of a token, with the permissions of now. */
  authenticate(token: string): Promise<Subject | AuthenticationFailure>;
  /** The API user, for a verified certificate on the allow list; null for any other. */
  authenticateCertificate(certname: string): Promise<Subject | null>;
  /** Finds a user as he is now; null when he is gone. */
  findSubject(id: string): Promise<Subject | null>;
  /** True when one of the subject's roles permits it, for this instance or for all. */
  permits(subject: Subject, permission: Permission): Promise<boolean>;
}

/** The kinds of errors of Puppet Enterprise's RBAC API; the last three are ours. */
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
  | 'overloaded'
  | 'directory-unavailable';

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
