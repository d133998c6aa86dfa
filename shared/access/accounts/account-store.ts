import { changeDocument, repeatUntilWritten } from '../../store/change-document.ts';
import { allDocuments } from '../../store/list-pages.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { SecretSource } from '../../store/ports/secrets.ts';
import { uuidFromBytes } from '../../util/uuid.ts';
import { AccessRefused } from './access-control.ts';
import { type Account, ADMIN, BUILT_IN_ACCOUNTS, readAccount, writeAccount } from './account.ts';
import { SavedQueries } from './saved-queries.ts';

/** Accounts by login: a conditional create keeps logins unique. */
const ACCOUNTS = 'access-accounts';
/** Logins by id. One without an account of that id is the rest of a failed creation. */
const LOGINS = 'access-logins';
const MOST_LOGIN_BYTES = 255;

/** Properties of a new account. */
interface NewAccount {
  readonly login: string;
  readonly email: string;
  readonly displayName: string;
  readonly isGroup: boolean;
  readonly roleIds: readonly number[];
  readonly password: string | null;
  /** Whether a directory has the user; false by default. */
  readonly isRemote?: boolean;
  readonly groupIds?: readonly string[];
  readonly isSaml?: true;
}

/** Stores users and groups. */
export class AccountStore {
  readonly #documents: DocumentStore;
  readonly #secrets: SecretSource | null;

  /** Without `secrets` it only reads. */
  constructor(documents: DocumentStore, secrets: SecretSource | null = null) {
    this.#documents = documents;
    this.#secrets = secrets;
  }

  async findByLogin(login: string): Promise<Account | null> {
    if (!isLogin(login)) return null;
    const document = await this.#documents.get(ACCOUNTS, login);
    return document === null ? (builtIn((one) => one.login === login) ?? null) : readAccount(document);
  }

  async findById(id: string): Promise<Account | null> {
    const login = builtIn((one) => one.id === id)?.login ?? (await this.#documents.get(LOGINS, id))?.login;
    const account = typeof login === 'string' ? await this.findByLogin(login) : null;
    return account?.id === id ? account : null;
  }

  /** Like `findById`; rejects with AccessRefused `not-found`. */
  async getById(id: string): Promise<Account> {
    const account = await this.findById(id);
    if (account === null) throw new AccessRefused('not-found', `There is no user or group with the id ${id}`);
    return account;
  }

  /** All accounts, by login. */
  async list(): Promise<readonly Account[]> {
    const found = new Map(BUILT_IN_ACCOUNTS.map((account) => [account.login, account]));
    for await (const { key, document } of allDocuments(this.#documents, ACCOUNTS))
      found.set(key, readAccount(document));
    return [...found.values()].sort((a, b) => (a.login < b.login ? -1 : 1));
  }

  /** Creates an account. Rejects with AccessRefused `conflict` when its login is taken. */
  async create(given: NewAccount): Promise<Account> {
    const { login } = given;
    if (!isLogin(login)) {
      const message = `A login has 1 to ${MOST_LOGIN_BYTES} bytes and no control characters`;
      throw new AccessRefused('schema-violation', message, { login });
    }
    if (this.#secrets === null) throw new Error('invariant: whoever creates accounts has a source of secrets');
    const id = uuidFromBytes(this.#secrets.bytes(16));
    const account: Account = {
      isRemote: false,
      groupIds: [],
      ...given,
      id,
      isSuperuser: false,
      isRevoked: false,
      lastLogin: null,
      tokenEpoch: 0,
    };
    await this.#documents.put(LOGINS, id, { login });
    const isFree = builtIn((one) => one.login === login) === undefined;
    if (isFree && (await this.#documents.create(ACCOUNTS, login, writeAccount(account)))) return account;
    await this.#documents.delete(LOGINS, id);
    throw new AccessRefused('conflict', `The login '${login}' is in use`, { login });
  }

  /**
   * Changes an account by compare-and-swap; its id and login stay. Rejects with AccessRefused
   * `not-found` when it does not exist.
   */
  async change({ id, login }: Pick<Account, 'id' | 'login'>, change: (account: Account) => Account): Promise<Account> {
    const stored = await changeDocument(this.#documents, ACCOUNTS, login, (document) => {
      const before = document === null ? builtIn((one) => one.login === login) : readAccount(document);
      if (before?.id !== id) throw new AccessRefused('not-found', `There is no user or group with the id ${id}`);
      return writeAccount({ ...change(before), id, login });
    });
    if (stored === null) throw new Error('invariant: a change of an account writes it');
    return readAccount(stored);
  }

  /** Deletes an account with its saved queries; its tokens find no user any more. */
  async delete({ id, login }: Pick<Account, 'id' | 'login'>): Promise<void> {
    const isDeleted = await repeatUntilWritten(`the account ${login}`, async () => {
      const document = await this.#documents.get(ACCOUNTS, login);
      if (document?.id !== id) return false;
      return (await this.#documents.remove(ACCOUNTS, login, document)) || null;
    });
    if (!isDeleted) return;
    await this.#documents.delete(LOGINS, id);
    await new SavedQueries(this.#documents).forgetUser(id);
  }

  /** Whether anybody but the administrator from the beginning can log in already. */
  async hasUsablePassword(): Promise<boolean> {
    return (await this.list()).some(({ password, isGroup }) => password !== null && !isGroup);
  }
}

/** Whether a text may be a login. */
export function isLogin(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is not allowed
  return text.trim() !== '' && Buffer.byteLength(text) <= MOST_LOGIN_BYTES && !/[\u0000-\u001f\u007f]/.test(text);
}

/** Whether it is the account that exists from the beginning and may do everything. */
export function isAdmin({ id }: Pick<Account, 'id'>): boolean {
  return id === ADMIN.id;
}

function builtIn(isWanted: (account: Account) => boolean): Account | undefined {
  return BUILT_IN_ACCOUNTS.find(isWanted);
}
