import type { StoredDocument } from '../../store/ports/document-store.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { Subject } from './access-control.ts';

/** A user or a group, with what nobody is shown. */
export interface Account extends Subject {
  /** As `hashPassword` makes it; null when nobody can log in with a password. */
  readonly password: string | null;
  /** The groups of a user of a directory, at his last log-in, that have roles here; UUIDs. */
  readonly groupIds: readonly string[];
  /** Tokens of an earlier epoch are revoked. */
  readonly tokenEpoch: number;
  /** An identity provider has the user, and no directory (LDAP). */
  readonly isSaml?: true;
}

export const ADMINISTRATORS_ROLE = 1;

/** The account that may do everything from the beginning; it has no password until one is set. */
export const ADMIN: Account = {
  id: '42bf351c-f9ec-40af-84ad-e976fec7f4bd',
  login: 'admin',
  email: '',
  displayName: 'Administrator',
  isGroup: false,
  isRemote: false,
  isSuperuser: true,
  isRevoked: false,
  lastLogin: null,
  roleIds: [ADMINISTRATORS_ROLE],
  groupIds: [],
  password: null,
  tokenEpoch: 0,
};

/** The account of clients whose certificates are allowed; it cannot log in. */
export const API_USER: Account = {
  ...ADMIN,
  id: 'af94921f-bd76-4b58-b5ce-e17c029a2790',
  login: 'api_user',
  displayName: 'API User',
};

/** The accounts that exist without being stored. */
export const BUILT_IN_ACCOUNTS: readonly Account[] = [ADMIN, API_USER];

export function writeAccount(account: Account): StoredDocument {
  return { ...account, roleIds: [...account.roleIds], groupIds: [...account.groupIds] };
}

export function readAccount(document: StoredDocument): Account {
  const { lastLogin, password, roleIds, groupIds } = document;
  return {
    id: String(document.id),
    login: String(document.login),
    email: String(document.email),
    displayName: String(document.displayName),
    isGroup: document.isGroup === true,
    isRemote: document.isRemote === true,
    isSuperuser: document.isSuperuser === true,
    isRevoked: document.isRevoked === true,
    lastLogin: typeof lastLogin === 'number' ? lastLogin : null,
    roleIds: Array.isArray(roleIds) ? roleIds.map(Number) : [],
    groupIds: Array.isArray(groupIds) ? groupIds.map(String) : [],
    password: typeof password === 'string' ? password : null,
    tokenEpoch: Number(document.tokenEpoch),
    ...(document.isSaml === true ? { isSaml: true } : {}),
  };
}

/**
 * The user, or the deploy token, that set something that runs later. A setting by a certificate, or
 * by a command on the data directory, has none.
 */
export interface Author {
  /** A UUID; of a deploy token, its id. */
  readonly id: string;
  /** The login of the user, or the owner of the token. */
  readonly login: string;
  readonly isToken?: true;
}

/** The stored form of an author; null for none. */
export function readAuthor(stored: unknown): Author | null {
  const { id, login, isToken } = isJsonObject(stored) ? stored : {};
  if (typeof id !== 'string' || typeof login !== 'string') return null;
  return isToken === true ? { id, login, isToken } : { id, login };
}
