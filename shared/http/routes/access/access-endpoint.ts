import {
  type AccessControl,
  type AccessErrorKind,
  AccessRefused,
  type AuthenticationFailure,
  type Permission,
  type Subject,
} from '../../../access/accounts/access-control.ts';
import type { AccessService } from '../../../access/accounts/access-service.ts';
import type { Account } from '../../../access/accounts/account.ts';
import { EVERYTHING, findLacking } from '../../../access/accounts/permission-types.ts';
import { isUuid } from '../../../util/uuid.ts';
import type { HttpContext, Peer } from '../../endpoint.ts';
import { requestToken } from '../../exchange/request-token.ts';
import { createRoute, type Route } from '../../route.ts';

/** Services of the routes of the access API. */
export interface AccessApi {
  readonly access: AccessService;
  /** Whether the certificate of a client is revoked. */
  readonly isRevoked: (peer: Peer) => Promise<boolean>;
}

/** A route below `/rbac-api`. It finds out itself who asks. */
export type AccessEndpoint = Route<AccessApi>;

export interface Authentication {
  readonly access: AccessControl;
  readonly isRevoked: AccessApi['isRevoked'];
}

const MESSAGES: Readonly<Record<AuthenticationFailure, string>> = {
  'invalid-token': 'The token is unknown',
  'token-revoked': 'The token is revoked',
  'token-expired': 'The token has expired',
  'token-timed-out': 'The token was not used for too long',
  'user-revoked': 'The user of the token is revoked',
};

/** The text for a token that does not count. */
export function describeAuthenticationFailure(failure: AuthenticationFailure): string {
  return MESSAGES[failure];
}

/**
 * Finds who asks: the user of the token, else the API user for an allowed certificate. Rejects with
 * AccessRefused (401).
 */
export async function demandSubject(context: HttpContext, { access, isRevoked }: Authentication): Promise<Subject> {
  const secret = requestToken(context);
  if (secret !== null) {
    const found = await access.authenticate(secret);
    if (typeof found !== 'string') return found;
    const kind: AccessErrorKind = found === 'user-revoked' ? 'user-revoked' : 'user-unauthenticated';
    throw new AccessRefused(kind, MESSAGES[found], { reason: found });
  }
  const { peer } = context.env;
  const isAllowed = peer !== null && !(await isRevoked(peer));
  const subject = isAllowed ? await access.authenticateCertificate(peer.certname) : null;
  if (subject !== null) return subject;
  throw new AccessRefused('user-unauthenticated', 'Route requires authentication');
}

/** Creates a route for users alone: a request of nobody known is refused (401). */
export function createAccessRoute(
  methods: Parameters<typeof createRoute>[0],
  path: string,
  handle: (context: HttpContext, api: AccessApi & { readonly subject: Subject }) => Promise<Response>,
): AccessEndpoint {
  return createRoute<AccessApi>(methods, path, async (context, api) =>
    handle(context, { ...api, subject: await demandSubject(context, api) }),
  );
}

/** Rejects with AccessRefused (403) unless the subject has the permission. */
export async function demandPermission(
  access: AccessControl,
  subject: Subject,
  objectType: string,
  action: string,
  instance: string,
): Promise<void> {
  const permission: Permission = { objectType, action, instance };
  if (await access.permits(subject, permission)) return;
  throw permissionDenied(subject, permission);
}

/** The refusal of a request for which the subject lacks a permission. */
export function permissionDenied(
  { login }: Pick<Subject, 'login'>,
  { objectType, action, instance }: Permission,
): AccessRefused {
  const message = `${login} does not have the permission ${objectType}:${action}:${instance}`;
  return new AccessRefused('permission-denied', message, {
    permission: { object_type: objectType, action, instance },
  });
}

/** Rejects with AccessRefused (403) when an administrator is to be changed by somebody else. */
export async function demandPower(access: AccessService, subject: Subject, account: Account): Promise<void> {
  const [had, power] = [
    await access.permissionsOf(subject),
    await access.permissionsOf({ ...account, isRevoked: false }),
  ];
  if (findLacking(power, [EVERYTHING]) !== null || findLacking(had, [EVERYTHING]) === null) return;
  throw new AccessRefused('permission-denied', `Only an administrator may change ${account.login}`);
}

/**
 * Rejects with AccessRefused (403) when somebody would get a permission that the subject lacks: by
 * a role with these permissions, or by these permissions in a role.
 */
export async function demandGrantable(
  access: AccessService,
  subject: Subject,
  permissions: readonly Permission[],
): Promise<void> {
  refuseGrant(subject, await access.permissionsOf(subject), permissions);
}

/** Throws AccessRefused (403) when `subject`, who has `had`, lacks one of the permissions. */
export function refuseGrant(subject: Subject, had: readonly Permission[], permissions: readonly Permission[]): void {
  const lacking = findLacking(had, permissions);
  if (lacking === null) return;
  const { kind, details } = permissionDenied(subject, lacking);
  const { objectType, action, instance } = lacking;
  const permission = `${objectType}:${action}:${instance}`;
  const message = `${subject.login} cannot give the permission ${permission}, which ${subject.login} does not have`;
  throw new AccessRefused(kind, message, details);
}

/** The UUID in the path. Refuses another text (400). */
export function uuidIn(context: HttpContext, name: string): string {
  return checkUuid(context.req.param(name) ?? '');
}

/** Refuses a text that is no UUID (400). */
export function checkUuid(text: string): string {
  if (isUuid(text)) return text.toLowerCase();
  throw new AccessRefused('invalid-uuid', `'${text}' is not a UUID`);
}

/** Refuses a body whose id is not that of the address (400). */
export function demandSameId(ofUrl: string | number, ofBody: string | number): void {
  if (String(ofBody).toLowerCase() === String(ofUrl)) return;
  const details = { 'url-id': ofUrl, 'body-id': ofBody };
  throw new AccessRefused('inconsistent-id', 'The id in the body is not that of the address', details);
}

/** 204, the answer of commands. */
export function sendNothing(): Response {
  return new Response(null, { status: 204 });
}

/** 201 with the address of what was created. */
export function sendCreated(location: string): Response {
  return new Response(null, { status: 201, headers: { Location: location } });
}
