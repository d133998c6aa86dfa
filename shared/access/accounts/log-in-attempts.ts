import { createHmac } from 'node:crypto';
import { changeDocument } from '../../store/change-document.ts';
import { allDocuments } from '../../store/list-pages.ts';
import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import type { SecretSource } from '../../store/ports/secrets.ts';
import { DAY_MS } from '../../util/day.ts';

/** Failed log-ins in a row, by account; unknown logins share a bounded number of entries. */
const ATTEMPTS = 'access-attempts';
const UNKNOWN_DIGITS = 3;
/**
 * Nobody can choose two logins that share an entry without this key: a login that is locked with
 * another one would reveal that it is unknown.
 */
const KEY_COLLECTION = 'access';
const KEY = 'attempts-key';
const KEY_BYTES = 32;

/** Failures in a row that are free; then each attempt has to wait. */
const FREE_ATTEMPTS = 10;
const FIRST_WAIT_MS = 60_000;
const LONGEST_WAIT_MS = 15 * 60_000;
/** Age from which failures no longer count. */
const FORGOTTEN_MS = DAY_MS;
/** Bounded retry: parallel attempts for one account with more lost races are refused. */
const MOST_RACES = 5;
const RACE_WAIT_MS = 1000;

/**
 * Limits guesses of passwords, over all instances. An attempt is counted before its password is
 * checked, so that parallel guesses count too; a success forgets the failures. After 10 failures in
 * a row an attempt is let through once in a minute, then in 2, 4, 8, and 15 minutes.
 */
export class LogInAttempts {
  readonly #documents: DocumentStore;
  readonly #clock: Clock;
  readonly #secrets: SecretSource;
  #key: string | null = null;

  constructor(documents: DocumentStore, clock: Clock, secrets: SecretSource) {
    this.#documents = documents;
    this.#clock = clock;
    this.#secrets = secrets;
  }

  /** Counts an attempt. Returns 0 when it may go on, else the milliseconds that it has to wait. */
  async begin(login: string, isKnown: boolean): Promise<number> {
    const key = isKnown ? knownKey(login) : await this.#unknownKey(login);
    for (let race = 0; race < MOST_RACES; race += 1) {
      const stored = await this.#documents.get(ATTEMPTS, key);
      const now = this.#clock.now();
      const lastAt = Number(stored?.lastAt ?? 0);
      const failures = now - lastAt > FORGOTTEN_MS ? 0 : Number(stored?.failures ?? 0);
      const wait = lastAt + waitAfter(failures) - now;
      if (wait > 0) return wait;
      const next = { failures: failures + 1, lastAt: now };
      const isCounted =
        stored === null
          ? await this.#documents.create(ATTEMPTS, key, next)
          : await this.#documents.replace(ATTEMPTS, key, stored, next);
      if (isCounted) return 0;
    }
    return RACE_WAIT_MS;
  }

  /** Forgets the failures of an account, after a success or by an administrator. */
  async forget(login: string): Promise<void> {
    await this.#documents.delete(ATTEMPTS, knownKey(login));
  }

  async #unknownKey(login: string): Promise<string> {
    this.#key ??= await this.#readKey();
    return `unknown/${createHmac('sha256', this.#key).update(login).digest('hex').slice(0, UNKNOWN_DIGITS)}`;
  }

  /** All instances use the key of the first one. */
  async #readKey(): Promise<string> {
    const made = Buffer.from(this.#secrets.bytes(KEY_BYTES)).toString('base64url');
    const stored = await changeDocument(this.#documents, KEY_COLLECTION, KEY, (before) =>
      before === null ? { key: made } : null,
    );
    return String(stored?.key ?? made);
  }
}

/** Deletes entries of failures that no longer count. */
export async function pruneAttempts(documents: DocumentStore, now: number): Promise<void> {
  for await (const { key, document } of allDocuments(documents, ATTEMPTS)) {
    if (now - Number(document.lastAt) > FORGOTTEN_MS) await documents.remove(ATTEMPTS, key, document);
  }
}

function waitAfter(failures: number): number {
  if (failures < FREE_ATTEMPTS) return 0;
  return Math.min(FIRST_WAIT_MS * 2 ** (failures - FREE_ATTEMPTS), LONGEST_WAIT_MS);
}

function knownKey(login: string): string {
  return `known/${login}`;
}
