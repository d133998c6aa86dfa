import { AccessRefused, type Subject } from '../../../access/accounts/access-control.ts';
import { type AccessService, describeAccountChange } from '../../../access/accounts/access-service.ts';
import type { Account } from '../../../access/accounts/account.ts';
import { isLogin } from '../../../access/accounts/account-store.ts';
import { isUuid } from '../../../util/uuid.ts';
import type { HttpContext } from '../../endpoint.ts';
import { FIELD, readRequestObject } from '../../exchange/json-fields.ts';
import { createAccessRoute, sendNothing } from './access-endpoint.ts';

const LISTS = [
  'revoke_tokens',
  'revoke_tokens_by_usernames',
  'revoke_tokens_by_labels',
  'revoke_tokens_by_ids',
] as const;

/** Tokens that could not be revoked; the others were. */
interface Failures {
  readonly malformed_tokens: string[];
  readonly malformed_usernames: string[];
  readonly malformed_labels: string[];
  readonly malformed_ids: string[];
  readonly nonexistent_usernames: string[];
  readonly nonexistent_ids: string[];
  readonly permission_denied_usernames: string[];
  readonly permission_denied_ids: string[];
  readonly unrecognized_parameters: string[];
}

/** `DELETE v2/tokens`: revokes tokens by themselves, their users, or the asking user's labels. */
export const deleteTokens = createAccessRoute('DELETE', '/rbac-api/v2/tokens', async (context, { access, subject }) => {
  const { lists, unrecognized } = await readLists(context);
  if (LISTS.every((name) => lists[name].length === 0) && unrecognized.length === 0) {
    throw new AccessRefused('schema-violation', `One of the parameters ${LISTS.join(', ')} is needed`);
  }
  const revocation = new Revocation(access, subject, unrecognized);
  for (const secret of lists.revoke_tokens) await revocation.byToken(secret);
  for (const login of lists.revoke_tokens_by_usernames) await revocation.byLogin(login);
  for (const id of lists.revoke_tokens_by_ids) await revocation.byId(id);
  for (const label of lists.revoke_tokens_by_labels) await revocation.byLabel(label);
  revocation.finish();
  return sendNothing();
});

/** `DELETE v2/tokens/<token>`, for administrators. */
export const deleteToken = createAccessRoute(
  'DELETE',
  '/rbac-api/v2/tokens/:token',
  async (context, { access, subject }) => {
    if (!subject.isSuperuser && !(await access.permits(subject, { objectType: '*', action: '*', instance: '*' }))) {
      throw new AccessRefused('permission-denied', 'Only administrators may revoke a token by its address');
    }
    const revocation = new Revocation(access, subject, []);
    await revocation.byToken(context.req.param('token') ?? '');
    revocation.finish();
    return sendNothing();
  },
);

/** Revokes all that it can, and says at the end what it could not. */
class Revocation {
  readonly #access: AccessService;
  readonly #subject: Subject;
  readonly #failures: Failures;
  #revoked = 0;

  constructor(access: AccessService, subject: Subject, unrecognized: readonly string[]) {
    this.#access = access;
    this.#subject = subject;
    this.#failures = {
      malformed_tokens: [],
      malformed_usernames: [],
      malformed_labels: [],
      malformed_ids: [],
      nonexistent_usernames: [],
      nonexistent_ids: [],
      permission_denied_usernames: [],
      permission_denied_ids: [],
      unrecognized_parameters: [...unrecognized],
    };
  }

  /** Puppet Enterprise: whoever has a token may revoke it. */
  async byToken(secret: string): Promise<void> {
    const token = await this.#access.tokens.find(secret);
    if (token === null) {
      // The text may be a token elsewhere, so the answer does not repeat it.
      this.#failures.malformed_tokens.push('[redacted]');
      return;
    }
    await this.#access.tokens.revoke(token);
    await this.#note({ id: token.userId, login: token.login });
  }

  async byLogin(login: string): Promise<void> {
    const { malformed_usernames: malformed, nonexistent_usernames: missing, ...others } = this.#failures;
    if (!isLogin(login)) malformed.push(login);
    else {
      const account = await this.#access.accounts.findByLogin(login);
      if (account === null) missing.push(login);
      else if (!(await this.#revokeAll(account))) others.permission_denied_usernames.push(login);
    }
  }

  async byId(id: string): Promise<void> {
    const { malformed_ids: malformed, nonexistent_ids: missing, permission_denied_ids: denied } = this.#failures;
    if (!isUuid(id)) malformed.push(id);
    else {
      const account = await this.#access.accounts.findById(id.toLowerCase());
      if (account === null) missing.push(id);
      else if (!(await this.#revokeAll(account))) denied.push(id);
    }
  }

  /** Puppet Enterprise: an unknown label is no error. */
  async byLabel(label: string): Promise<void> {
    if (label.trim() === '') {
      this.#failures.malformed_labels.push(label);
      return;
    }
    const account = await this.#access.accounts.getById(this.#subject.id);
    const token = await this.#access.tokens.findByLabel(account, label);
    if (token === null) return;
    await this.#access.tokens.revoke(token);
    await this.#note({ id: token.userId, login: token.login });
  }

  /** Throws AccessRefused when anything failed. */
  finish(): void {
    const failures = Object.entries(this.#failures).filter(([, list]) => list.length > 0);
    if (failures.length === 0) return;
    const isMalformed = failures.some(([name]) => !name.startsWith('permission_denied'));
    const names = failures.map(([name]) => name).join(', ');
    throw new AccessRefused(
      isMalformed ? 'malformed-request' : 'permission-denied',
      `Not all tokens could be revoked: ${names}`,
      { ...this.#failures, other_tokens_revoked: this.#revoked > 0 },
    );
  }

  async #revokeAll(account: Account): Promise<boolean> {
    const permission = { objectType: 'users', action: 'disable', instance: account.id };
    const isOwn = account.id === this.#subject.id;
    if (!isOwn && !(await this.#access.permits(this.#subject, permission))) return false;
    await this.#access.revokeTokens(account);
    await this.#note(account);
    return true;
  }

  async #note({ id, login }: Pick<Account, 'id' | 'login'>): Promise<void> {
    this.#revoked += 1;
    const change = describeAccountChange({ id, login, isGroup: false }, 'revoke', `tokens revoked of ${login}`);
    await this.#access.noteChange(this.#subject, change);
  }
}

/** The lists of the query, separated by commas, and of the body; and what is neither. */
async function readLists(context: HttpContext) {
  const query = new URL(context.req.url).searchParams;
  const body = await readRequestObject(context);
  const inQuery = (name: string) => query.getAll(name).flatMap((one) => one.split(',').filter((text) => text !== ''));
  const lists = {
    revoke_tokens: [...inQuery('revoke_tokens'), ...listIn(body, 'revoke_tokens')],
    revoke_tokens_by_usernames: [
      ...inQuery('revoke_tokens_by_usernames'),
      ...listIn(body, 'revoke_tokens_by_usernames'),
    ],
    revoke_tokens_by_labels: [...inQuery('revoke_tokens_by_labels'), ...listIn(body, 'revoke_tokens_by_labels')],
    revoke_tokens_by_ids: [...inQuery('revoke_tokens_by_ids'), ...listIn(body, 'revoke_tokens_by_ids')],
  };
  const given = [...query.keys(), ...Object.keys(body)].filter((name) => name !== 'token');
  return { lists, unrecognized: given.filter((name) => !LISTS.some((known) => known === name)) };
}

function listIn(body: Readonly<Record<string, unknown>>, name: string): readonly string[] {
  const list = body[name] ?? [];
  if (FIELD.texts.accepts(list)) return list;
  throw new AccessRefused('schema-violation', `The key '${name}' must be: ${FIELD.texts.schema}`);
}
