import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore, StoredDocument } from '../../store/ports/document-store.ts';
import type { SecretSource } from '../../store/ports/secrets.ts';
import { BoundedCache } from '../../util/bounded-cache.ts';
import { DAY_MS } from '../../util/day.ts';
import { digestSha256 } from '../../util/digest.ts';
import { inParallel } from '../../util/in-parallel.ts';
import { uuidFromBytes } from '../../util/uuid.ts';
import { AccessRefused } from './access-control.ts';
import type { Account } from './account.ts';

/** A user's token; the token itself is shown once, and only its digest is stored. */
export interface AccessToken {
  readonly id: string;
  readonly digest: string;
  readonly userId: string;
  readonly login: string;
  /** The account's `tokenEpoch` at creation: revoking all tokens of the account raises that. */
  readonly epoch: number;
  readonly createdAt: number;
  readonly expiresAt: number;
  readonly label: string | null;
  readonly description: string | null;
  readonly client: string | null;
  /** Milliseconds without use after which it ends; null: no such limit. */
  readonly timeoutMs: number | null;
  readonly revokedAt: number | null;
  /** The digest of the token that asked for this one, which ends with it; null: a password did. */
  readonly parent: string | null;
}

/** Properties of a requested token. */
export interface TokenRequest {
  readonly lifetimeMs: number;
  /** The end of what the token stands for, in milliseconds since 1970: it does not outlive that. */
  readonly until?: number;
  readonly label?: string | null;
  readonly description?: string | null;
  readonly client?: string | null;
  readonly timeoutMs?: number | null;
  /** The token that asks: the new one ends with it, and no later. */
  readonly parent?: AccessToken | null;
}

type TokenState = 'active' | 'token-revoked' | 'token-expired';

/** Tokens by digest. Documents are written whole, at creation and at revocation only. */
const TOKENS = 'access-tokens';
/** `<user id>/<digest>`: the tokens of a user. */
const OF_USERS = 'access-user-tokens';
/** `<user id>/<digest of the label>`: a conditional create keeps labels unique. */
const LABELS = 'access-token-labels';
/** When a token was last used, by digest. */
const ACTIVITY = 'access-token-activity';

const TOKEN_BYTES = 33;
const TOKEN_TEXT = /^[\w-]{20,200}$/;
const MOST_LISTED = 1000;
const READS_AT_ONCE = 16;
/** Retention of ended tokens, so that their users learn why they no longer work. */
const KEPT_MS = DAY_MS;
/** Least interval between two writes of the use of a token. */
const ACTIVITY_MS = 60_000;
const KNOWN_ACTIVE = 10_000;
/** Longest chain of tokens that asked for each other: a use of the last one reads them all. */
const MOST_DERIVED = 8;

/** Stores tokens by their digests. */
export class TokenStore {
  readonly #documents: DocumentStore;
  readonly #clock: Clock;
  readonly #secrets: SecretSource;
  readonly #active = new BoundedCache<{ readonly at: number }>(KNOWN_ACTIVE);

  constructor(documents: DocumentStore, clock: Clock, secrets: SecretSource) {
    this.#documents = documents;
    this.#clock = clock;
    this.#secrets = secrets;
  }

  /**
   * Creates a token of an account. Returns its secret, which nobody can read again. Rejects with
   * AccessRefused `conflict` when another active token of the account has the label.
   */
  async create(account: Account, request: TokenRequest): Promise<string> {
    const secret = Buffer.from(this.#secrets.bytes(TOKEN_BYTES)).toString('base64url');
    const digest = digestSha256(secret);
    const now = this.#clock.now();
    const { label = null, description = null, client = null, timeoutMs = null, lifetimeMs, parent = null } = request;
    if (parent !== null && (await this.#depthOf(parent)) >= MOST_DERIVED) {
      const message = `A token is made from ${MOST_DERIVED} others at most, one from the other: log in for a new one`;
      throw new AccessRefused('schema-violation', message);
    }
    const never = Number.POSITIVE_INFINITY;
    const expiresAt = Math.min(now + lifetimeMs, request.until ?? never, parent?.expiresAt ?? never);
    const document: Omit<AccessToken, 'digest'> = {
      id: uuidFromBytes(this.#secrets.bytes(16)),
      userId: account.id,
      login: account.login,
      epoch: account.tokenEpoch,
      createdAt: now,
      expiresAt,
      label,
      description,
      client,
      timeoutMs,
      revokedAt: null,
      parent: parent?.digest ?? null,
    };
    if (label !== null) await this.#claimLabel(account, label, digest);
    await this.#documents.put(OF_USERS, `${account.id}/${digest}`, { expiresAt }, expiresAt);
    await this.#documents.put(TOKENS, digest, { ...document }, expiresAt + KEPT_MS);
    return secret;
  }

  /** Finds a token by its secret, ended ones included; null when there is none. */
  async find(secret: string): Promise<AccessToken | null> {
    return TOKEN_TEXT.test(secret) ? this.#read(digestSha256(secret)) : null;
  }

  /** Returns the token that asked for this one; null when a password did. */
  async findParent({ parent }: AccessToken): Promise<AccessToken | null> {
    return parent === null ? null : this.#read(parent);
  }

  async #depthOf(token: AccessToken): Promise<number> {
    const parent = await this.findParent(token);
    return parent === null ? 1 : 1 + (await this.#depthOf(parent));
  }

  /** Returns whether a token of this account is active, and else how it ended. */
  stateOf(token: AccessToken, { tokenEpoch }: Pick<Account, 'tokenEpoch'>): TokenState {
    if (token.revokedAt !== null || token.epoch < tokenEpoch) return 'token-revoked';
    return token.expiresAt <= this.#clock.now() ? 'token-expired' : 'active';
  }

  /** When a token was last used: at its creation, if not later. */
  async lastActive({ digest, createdAt }: AccessToken): Promise<number> {
    const at = (await this.#documents.get(ACTIVITY, digest))?.at;
    return typeof at === 'number' ? at : createdAt;
  }

  /**
   * Notes that a token is used now. It writes at most once a minute, or ten times within the
   * token's time limit without use.
   */
  async noteActivity({ digest, expiresAt, timeoutMs }: AccessToken): Promise<void> {
    const at = this.#clock.now();
    const interval = Math.min(ACTIVITY_MS, (timeoutMs ?? ACTIVITY_MS) / 10);
    if (at - (this.#active.get(digest)?.at ?? 0) < interval) return;
    this.#active.set(digest, { at });
    await this.#documents.put(ACTIVITY, digest, { at, expiresAt }, expiresAt);
  }

  /** The active tokens of an account, at most 1,000. */
  async listActive(account: Account): Promise<readonly AccessToken[]> {
    const found = await this.#documents.list(OF_USERS, `${account.id}/`, MOST_LISTED);
    const digests = found.map(({ key }) => key.slice(account.id.length + 1));
    const tokens = await inParallel(READS_AT_ONCE, digests, (digest) => this.#read(digest));
    return tokens.flatMap((token) => (token !== null && this.stateOf(token, account) === 'active' ? [token] : []));
  }

  /** Finds an account's active token by label. */
  async findByLabel(account: Account, label: string): Promise<AccessToken | null> {
    const digest = (await this.#documents.get(LABELS, labelKey(account.id, label)))?.token;
    const token = typeof digest === 'string' ? await this.#read(digest) : null;
    return token !== null && this.stateOf(token, account) === 'active' ? token : null;
  }

  /** Revokes a token. Idempotent. */
  async revoke(token: AccessToken): Promise<void> {
    const { digest, userId, label, expiresAt, ...others } = token;
    if (token.revokedAt === null) {
      const revoked = { ...others, userId, label, expiresAt, revokedAt: this.#clock.now() };
      await this.#documents.put(TOKENS, digest, revoked, expiresAt + KEPT_MS);
    }
    await this.#documents.delete(OF_USERS, `${userId}/${digest}`);
    if (label !== null) await this.#documents.remove(LABELS, labelKey(userId, label), { token: digest });
  }

  async #read(digest: string): Promise<AccessToken | null> {
    const document = await this.#documents.get(TOKENS, digest);
    return document && readToken(digest, document);
  }

  /** Gives the label to the new token, unless an active one has it. */
  async #claimLabel(account: Account, label: string, token: string): Promise<void> {
    const key = labelKey(account.id, label);
    if (await this.#documents.create(LABELS, key, { token })) return;
    const stored = await this.#documents.get(LABELS, key);
    const isFree = stored !== null && (await this.findByLabel(account, label)) === null;
    if (isFree && (await this.#documents.replace(LABELS, key, stored, { token }))) return;
    throw new AccessRefused('conflict', `Another token of ${account.login} has the label '${label}'`, { label });
  }
}

/**
 * Deletes what ended tokens left, a day after their end. A store that deletes expired documents by
 * itself leaves the labels. Returns the number of tokens.
 */
export async function pruneTokens(documents: DocumentStore, now: number): Promise<number> {
  let pruned = 0;
  for (const [collection, keptMs] of [
    [TOKENS, KEPT_MS],
    [OF_USERS, 0],
    [ACTIVITY, 0],
  ] as const) {
    for await (const { key, document } of allDocuments(documents, collection)) {
      if (Number(document.expiresAt) + keptMs > now) continue;
      await documents.delete(collection, key);
      if (collection === TOKENS) pruned += 1;
    }
  }
  for await (const { key, document } of allDocuments(documents, LABELS)) {
    const digest = String(document.token);
    if ((await documents.get(TOKENS, digest)) === null) await documents.remove(LABELS, key, document);
  }
  return pruned;
}

function labelKey(userId: string, label: string): string {
  return `${userId}/${digestSha256(label)}`;
}

function readToken(digest: string, document: StoredDocument): AccessToken {
  const text = (value: unknown) => (typeof value === 'string' ? value : null);
  const number = (value: unknown) => (typeof value === 'number' ? value : null);
  return {
    id: String(document.id),
    digest,
    userId: String(document.userId),
    login: String(document.login),
    epoch: Number(document.epoch),
    createdAt: Number(document.createdAt),
    expiresAt: Number(document.expiresAt),
    label: text(document.label),
    description: text(document.description),
    client: text(document.client),
    timeoutMs: number(document.timeoutMs),
    revokedAt: number(document.revokedAt),
    parent: text(document.parent),
  };
}
