import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { SecretSource } from '../../store/ports/secrets.ts';
import { DAY_MS } from '../../util/day.ts';
import { digestSha256 } from '../../util/digest.ts';
import type { Account } from './account.ts';

/** Resets by the digest of their token. */
const RESETS = 'access-password-resets';
const TOKEN_BYTES = 33;
/** Lifetime of a reset token, as in Puppet Enterprise. */
const LIFETIME_MS = DAY_MS;

/** A reset that can be used. */
interface PasswordReset {
  readonly userId: string;
  /** The id of the user who made it. */
  readonly authorId: string;
  readonly expiresAt: number;
}

/** Stores tokens that set a user's password once. Only their digests are stored. */
export class PasswordResets {
  readonly #documents: DocumentStore;
  readonly #clock: Clock;
  readonly #secrets: SecretSource;

  constructor(documents: DocumentStore, clock: Clock, secrets: SecretSource) {
    [this.#documents, this.#clock, this.#secrets] = [documents, clock, secrets];
  }

  /** Creates a token for an account, which nobody can read again. */
  async create({ id }: Pick<Account, 'id'>, author: Pick<Account, 'id'>): Promise<string> {
    const token = Buffer.from(this.#secrets.bytes(TOKEN_BYTES)).toString('base64url');
    const expiresAt = this.#clock.now() + LIFETIME_MS;
    const reset: PasswordReset = { userId: id, authorId: author.id, expiresAt };
    await this.#documents.put(RESETS, digestSha256(token), { ...reset }, expiresAt);
    return token;
  }

  /** The reset of a token; null for a token that is unknown, used or expired. */
  async find(token: string): Promise<PasswordReset | null> {
    const document = await this.#documents.get(RESETS, digestSha256(token));
    if (document === null) return null;
    const { userId, authorId, expiresAt } = document;
    const isOver = Number(expiresAt) <= this.#clock.now();
    return isOver ? null : { userId: String(userId), authorId: String(authorId), expiresAt: Number(expiresAt) };
  }

  /** Uses a token up. Of several calls at once, one gets true. */
  use(token: string, reset: PasswordReset): Promise<boolean> {
    return this.#documents.remove(RESETS, digestSha256(token), { ...reset });
  }
}

/** Deletes expired resets. */
export async function prunePasswordResets(documents: DocumentStore, now: number): Promise<void> {
  for await (const { key, document } of allDocuments(documents, RESETS))
    if (Number(document.expiresAt) <= now) await documents.delete(RESETS, key);
}
