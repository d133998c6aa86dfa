import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { KeyVault, SecretSource } from '../../store/ports/secrets.ts';
import { Semaphore } from '../../util/semaphore.ts';
import { Directories } from '../directory/directories.ts';
import type { DirectoryUser } from '../directory/ldap-directory.ts';
import { DirectoryRefused } from '../directory/ldap-settings.ts';
import { SamlProvider, type SamlUser } from '../saml/saml-provider.ts';
import { SamlSessions } from '../saml/saml-sessions.ts';
import type { AccessAudit, AccessAuditEntry } from './access-audit.ts';
import {
  type AccessControl,
  AccessRefused,
  type AuthenticationFailure,
  type Permission,
  type Subject,
} from './access-control.ts';
import { type Account, API_USER } from './account.ts';
import { AccountStore } from './account-store.ts';
import { type ActivityAction, ActivityLog, type Change } from './activity-log.ts';
import { LogInAttempts } from './log-in-attempts.ts';
import { PasswordResets } from './password-resets.ts';
import { DEFAULT_COST, describePasswordFault, hashPassword, isPassword, type PasswordCost } from './passwords.ts';
import { findLacking } from './permission-types.ts';
import { permissionsOfSubject } from './permissions-of.ts';
import { RoleStore } from './role-store.ts';
import { keepSamlAccount } from './saml-account.ts';
import { type AccessToken, TokenStore } from './token-store.ts';

interface AccessPorts {
  readonly documents: DocumentStore;
  readonly clock: Clock;
  readonly secrets: SecretSource;
}

export interface AccessOptions {
  /** Certnames whose certificates may do everything. */
  readonly allowedCertnames?: ReadonlySet<string>;
  readonly passwordCost?: PasswordCost;
  /** Receives an entry for each decision. */
  readonly audit?: AccessAudit;
  /**
   * Seals the passwords of directories, and the key that signs requests to the identity provider;
   * without it, there are neither.
   */
  readonly vault?: KeyVault;
}

/** A token that counts, with its user. */
export interface UsedToken {
  readonly account: Account;
  readonly token: AccessToken;
}

/** Each hash takes 32 MB and a thread of the pool; more would slow other work. */
const HASHES_AT_ONCE = 2;
const MOST_WAITING = 32;

/** Users, roles, permissions and tokens. */
export class AccessService implements AccessControl {
  readonly accounts: AccountStore;
  readonly roles: RoleStore;
  readonly tokens: TokenStore;
  readonly attempts: LogInAttempts;
  readonly resets: PasswordResets;
  readonly directories: Directories;
  readonly saml: SamlProvider;
  readonly samlSessions: SamlSessions;
  readonly activities: ActivityLog;
  readonly #ports: AccessPorts;
  readonly #options: AccessOptions;
  readonly #hashes = new Semaphore(HASHES_AT_ONCE);
  #waiting = 0;

  constructor(ports: AccessPorts, options: AccessOptions = {}) {
    this.accounts = new AccountStore(ports.documents, ports.secrets);
    this.roles = new RoleStore(ports.documents);
    this.tokens = new TokenStore(ports.documents, ports.clock, ports.secrets);
    this.attempts = new LogInAttempts(ports.documents, ports.clock, ports.secrets);
    this.resets = new PasswordResets(ports.documents, ports.clock, ports.secrets);
    this.activities = new ActivityLog(ports);
    this.directories = new Directories({ ...ports, vault: options.vault ?? null });
    this.saml = new SamlProvider({ ...ports, vault: options.vault ?? null });
    this.samlSessions = new SamlSessions(ports.documents);
    this.#ports = ports;
    this.#options = options;
  }

  async authenticate(secret: string): Promise<Subject | AuthenticationFailure> {
    const used = await this.useToken(secret);
    return typeof used === 'string' ? used : used.account;
  }

  async authenticateCertificate(certname: string): Promise<Subject | null> {
    if (this.#options.allowedCertnames?.has(certname) !== true) return null;
    return this.accounts.findByLogin(API_USER.login);
  }

  findSubject(id: string): Promise<Subject | null> {
    return this.accounts.findById(id);
  }

  async permits(subject: Subject, permission: Permission): Promise<boolean> {
    const isPermitted = await this.isPermitted(subject, permission);
    const { objectType, action, instance } = permission;
    const outcome = isPermitted ? 'granted' : 'denied';
    this.audit({ event: 'permission', login: subject.login, outcome, subject: `${objectType}:${action}:${instance}` });
    return isPermitted;
  }

  /** Like `permits`, for a question that decides nothing: without an entry in the audit log. */
  async isPermitted(subject: Subject, permission: Permission): Promise<boolean> {
    return findLacking(await this.permissionsOf(subject), [permission]) === null;
  }

  /** See `permissionsOfSubject`. */
  permissionsOf(subject: Subject): Promise<readonly Permission[]> {
    return permissionsOfSubject(subject, this);
  }

  /** Finds a token and its user, and notes the token's use if `isActivity`. */
  async useToken(secret: string, isActivity = true): Promise<UsedToken | AuthenticationFailure> {
    const found = await this.#findToken(secret);
    const [outcome, login] = typeof found === 'string' ? [found, null] : ['granted', found.account.login];
    this.audit({ event: 'authentication', login, outcome });
    if (typeof found !== 'string' && isActivity) await this.tokens.noteActivity(found.token);
    return found;
  }

  async #findToken(secret: string): Promise<UsedToken | AuthenticationFailure> {
    const token = await this.tokens.find(secret);
    if (token === null) return 'invalid-token';
    const account = await this.accounts.findByLogin(token.login);
    if (account?.id !== token.userId) return 'token-revoked';
    if (account.isRevoked) return 'user-revoked';
    return (await this.#findFault(token, account)) ?? { account, token };
  }

  /** Why a token does not count: its own state, or that of a token that it was made from. */
  async #findFault(token: AccessToken, account: Account): Promise<AuthenticationFailure | null> {
    const state = this.tokens.stateOf(token, account);
    if (state !== 'active') return state;
    if (await this.#isIdle(token)) return 'token-timed-out';
    if (token.parent === null) return null;
    const parent = await this.tokens.findParent(token);
    return parent === null ? 'token-revoked' : this.#findFault(parent, account);
  }

  async #isIdle(token: AccessToken): Promise<boolean> {
    if (token.timeoutMs === null) return false;
    return this.#ports.clock.now() - (await this.tokens.lastActive(token)) > token.timeoutMs;
  }

  /**
   * Checks a login and its password. Rejects with AccessRefused: `user-unauthenticated` for an
   * unknown login as for a wrong password, `user-revoked`, `api-user-login`, `too-many-attempts`
   * (with `retry_after` in seconds), `overloaded`, `directory-unavailable`.
   */
  async logIn(login: string, password: string): Promise<Account> {
    const account = await this.accounts.findByLogin(login);
    try {
      const user = await this.#checkLogIn(login, password, account);
      this.audit({ event: 'log-in', login, outcome: 'granted' });
      await this.#addActivity(user, describeAccountChange(user, 'log_in', 'logged in'));
      return user;
    } catch (error) {
      if (error instanceof AccessRefused) {
        this.audit({ event: 'log-in', login: account === null ? null : login, outcome: error.kind });
      }
      throw error;
    }
  }

  async #checkLogIn(login: string, password: string, account: Account | null): Promise<Account> {
    if (login === API_USER.login) {
      throw new AccessRefused('api-user-login', `${login} uses a certificate, and has no password`);
    }
    const wait = await this.attempts.begin(login, account !== null);
    if (wait > 0) {
      const seconds = Math.ceil(wait / 1000);
      const message = `Too many log-ins failed: try again in ${seconds} seconds`;
      throw new AccessRefused('too-many-attempts', message, { retry_after: seconds });
    }
    const isRight = await this.#withHash((cost) => isPassword(password, account?.password ?? null, cost));
    const local = isRight && account?.isGroup === false ? account : null;
    const mayBeRemote = account === null || (account.isRemote && !account.isGroup);
    const user = local ?? (mayBeRemote ? await this.#logInRemotely(login, password) : null);
    if (user === null) throw new AccessRefused('user-unauthenticated', 'The login or the password is wrong');
    if (user.isRevoked) throw new AccessRefused('user-revoked', `The user ${login} is revoked`);
    await this.attempts.forget(login);
    const now = this.#ports.clock.now();
    return this.accounts.change(user, (before) => ({ ...before, lastLogin: now }));
  }

  /**
   * The account of a directory's user, as the directory has him now; null for a wrong password, and
   * for a login that a local user or a group has.
   */
  async #logInRemotely(login: string, password: string): Promise<Account | null> {
    const user = await this.directories.logIn(login, password).catch((error: unknown) => {
      throw error instanceof DirectoryRefused ? new AccessRefused(error.kind, error.message) : error;
    });
    if (user === null) return null;
    const known = await this.accounts.findByLogin(user.login);
    if (known !== null && (known.isGroup || !known.isRemote || known.isSaml === true)) return null;
    const { email, displayName } = user;
    const groupIds = await this.#idsOfGroups(user);
    if (known !== null) return this.accounts.change(known, (one) => ({ ...one, email, displayName, groupIds }));
    const names = { login: user.login, email, displayName };
    return this.accounts.create({ ...names, isGroup: false, isRemote: true, roleIds: [], groupIds, password: null });
  }

  /**
   * The account of a user whom the identity provider logged in. Rejects with AccessRefused
   * `conflict`, `user-revoked`, `schema-violation`: see `keepSamlAccount`.
   */
  async logInBySaml(user: SamlUser): Promise<Account> {
    try {
      const account = await keepSamlAccount(this.accounts, user, this.#ports.clock.now());
      this.audit({ event: 'log-in', login: account.login, outcome: 'granted', subject: 'saml' });
      await this.#addActivity(account, describeAccountChange(account, 'log_in', 'logged in'));
      return account;
    } catch (error) {
      if (error instanceof AccessRefused) {
        this.audit({ event: 'log-in', login: null, outcome: error.kind, subject: 'saml' });
      }
      throw error;
    }
  }

  async #idsOfGroups({ groups }: DirectoryUser): Promise<readonly string[]> {
    const names = new Set(groups.map((name) => name.toLowerCase()));
    const accounts = await this.accounts.list();
    return accounts.filter(({ isGroup, login }) => isGroup && names.has(login.toLowerCase())).map(({ id }) => id);
  }

  /** Hashes a new password. Rejects with AccessRefused when it is too short or too long. */
  async hash(password: string): Promise<string> {
    const fault = describePasswordFault(password);
    if (fault !== null) throw new AccessRefused('schema-violation', fault);
    return this.#withHash((cost) => hashPassword(password, this.#ports.secrets, cost));
  }

  /**
   * Sets the password of the user of a reset token, which is used up. The user's tokens end, and he
   * is reinstated. Rejects with AccessRefused `permission-denied` for another token.
   */
  async resetPassword(token: string, password: string): Promise<void> {
    const refusal = new AccessRefused('permission-denied', 'The password reset token is unknown, used or expired');
    const reset = await this.resets.find(token);
    if (reset === null) throw refusal;
    const hash = await this.hash(password);
    const [account, author] = [await this.accounts.findById(reset.userId), await this.findSubject(reset.authorId)];
    if (account === null || author === null || !(await this.#mayBecome(author, account))) throw refusal;
    if (!(await this.resets.use(token, reset))) throw refusal;
    await this.accounts.change(account, (before) => ({
      ...before,
      password: hash,
      isRevoked: false,
      tokenEpoch: before.tokenEpoch + 1,
    }));
    await this.attempts.forget(account.login);
    await this.noteChange(account, describeAccountChange(account, 'edit', 'password reset'));
  }

  /** Whether `author` may do all that the account may do now, which may be more than before. */
  async #mayBecome(author: Subject, account: Account): Promise<boolean> {
    const wanted = await this.permissionsOf({ ...account, isRevoked: false });
    return !account.isRemote && findLacking(await this.permissionsOf(author), wanted) === null;
  }

  /**
   * Gives a user another password, who knows the current one. Rejects with AccessRefused:
   * `permission-denied` for a wrong one, `too-many-attempts` as a log-in.
   */
  async changePassword(subject: Subject, current: string, password: string): Promise<void> {
    if (subject.isRemote) {
      throw new AccessRefused('permission-denied', `The password of ${subject.login} is in a directory`);
    }
    const hash = await this.hash(password);
    const account = await this.logIn(subject.login, current).catch((error: unknown) => {
      const isWrong = error instanceof AccessRefused && error.kind === 'user-unauthenticated';
      throw isWrong ? new AccessRefused('permission-denied', 'The current password is wrong') : error;
    });
    await this.accounts.change(account, (before) => ({ ...before, password: hash }));
    await this.noteChange(account, describeAccountChange(account, 'edit', 'password changed'));
  }

  /** Revokes a user and his tokens. */
  async revoke(account: Account): Promise<void> {
    await this.accounts.change(account, (before) => ({
      ...before,
      isRevoked: true,
      tokenEpoch: before.tokenEpoch + 1,
    }));
  }

  /** Lets a revoked user, or one with too many failed log-ins, log in again. */
  async reinstate(account: Account): Promise<void> {
    await this.accounts.change(account, (before) => ({ ...before, isRevoked: false }));
    await this.attempts.forget(account.login);
  }

  /** Revokes all tokens of a user, in one write. */
  async revokeTokens(account: Account): Promise<void> {
    await this.accounts.change(account, (before) => ({ ...before, tokenEpoch: before.tokenEpoch + 1 }));
  }

  /** Adds a change that was made to the audit log and to the activities. */
  async noteChange(subject: Pick<Subject, 'id' | 'login'>, change: Change): Promise<void> {
    this.audit({ event: 'change', login: subject.login, outcome: 'granted', subject: change.message });
    await this.#addActivity(subject, change);
  }

  #addActivity({ id, login }: Pick<Subject, 'id' | 'login'>, change: Change): Promise<void> {
    return this.activities.add({ id, name: login }, change);
  }

  /** Adds a line to the audit log. */
  audit(entry: Omit<AccessAuditEntry, 'kind' | 'time'>): void {
    this.#options.audit?.({ kind: 'access', time: new Date(this.#ports.clock.now()).toISOString(), ...entry });
  }

  async #withHash<T>(work: (cost: PasswordCost) => Promise<T>): Promise<T> {
    if (this.#waiting >= MOST_WAITING) {
      throw new AccessRefused('overloaded', 'Too many log-ins at once: try again in a second', { retry_after: 1 });
    }
    this.#waiting += 1;
    try {
      const release = await this.#hashes.acquire();
      try {
        return await work(this.#options.passwordCost ?? DEFAULT_COST);
      } finally {
        release();
      }
    } finally {
      this.#waiting -= 1;
    }
  }
}

/** A change of a user, or of a group of a directory. */
export function describeAccountChange(
  { id, login, isGroup }: Pick<Account, 'id' | 'login' | 'isGroup'>,
  action: ActivityAction,
  message: string,
): Change {
  return { service: 'rbac', action, objects: [{ type: isGroup ? 'user_groups' : 'users', id, name: login }], message };
}
