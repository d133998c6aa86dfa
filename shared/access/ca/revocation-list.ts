import type { Clock } from '../../store/ports/clock.ts';
import type { DocumentStore } from '../../store/ports/document-store.ts';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { DAY_MS } from '../../util/day.ts';
import { type Issuer, LIFETIME_MS, type RevokedSerial, signCrl } from './certificates.ts';
import { crlToPem } from './crl.ts';
import { RevocationStore, type SignedList, type StoredList } from './revocation-store.ts';
import { evenDigits, type Revocable } from './serials.ts';

/** A list is signed again after half a year; it is valid for five years. */
const RENEW_AFTER_MS = 180 * DAY_MS;

/**
 * The CA's certificate revocation list. Agents fetch it, and the front door checks certificates
 * against it.
 */
export class RevocationList {
  readonly #store: RevocationStore;
  readonly #clock: Clock;
  readonly #issuer: Issuer | null;
  #current: StoredList;
  #revoked: ReadonlySet<string>;
  #readAt: number;

  private constructor(store: RevocationStore, clock: Clock, issuer: Issuer | null, current: StoredList) {
    this.#store = store;
    this.#clock = clock;
    this.#issuer = issuer;
    this.#current = current;
    this.#revoked = listSerials(current.list);
    this.#readAt = clock.now();
  }

  /**
   * Opens the stored list; signs the first one, and a new one in place of an old one. Without the
   * CA's key (`issuer` null) the list is only read, and StoreRefused thrown when there is none.
   */
  static async open(documents: DocumentStore, clock: Clock, issuer: Issuer | null): Promise<RevocationList> {
    const store = new RevocationStore(documents);
    const stored = await store.read();
    if (issuer === null) {
      if (stored === null) throw new StoreRefused('there is no revocation list in this store yet');
      return new RevocationList(store, clock, null, stored);
    }
    const isUsable = stored !== null && clock.now() - stored.list.updatedAt < RENEW_AFTER_MS;
    const made = isUsable ? stored : await publish(store, clock, issuer, stored, []);
    const current = made ?? (await store.read());
    if (current === null) throw new Error('The revocation list vanished from the store');
    return new RevocationList(store, clock, issuer, current);
  }

  /** The list in PEM, with the time of its last change. */
  async getCurrent(): Promise<{ readonly pem: string; readonly updatedAt: number }> {
    await this.#refresh();
    return this.#current.list;
  }

  /**
   * Whether a certificate of this CA is revoked. `serial` is hexadecimal, in any case, with or
   * without leading zeros. The list may have been read up to `withinMs` milliseconds ago; what this
   * process revokes counts at once.
   */
  async isRevoked(serial: string, withinMs = 0): Promise<boolean> {
    if (this.#clock.now() >= this.#readAt + withinMs) await this.#refresh();
    return this.#revoked.has(normalize(serial));
  }

  /** Revokes certificates; concurrent revocations by other processes are kept. */
  async add(...added: readonly Revocable[]): Promise<void> {
    const issuer = this.#issuer;
    if (issuer === null) throw new Error('invariant: revoking needs the key of the certificate authority');
    const wanted = new Map(added.map((one) => [normalize(one.serial), one]));
    let next: StoredList | null = null;
    while (next === null) {
      const before = await this.#store.read();
      const known = before === null ? new Set<string>() : listSerials(before.list);
      const at = this.#clock.now();
      const news = [...wanted].flatMap(([serial, { endsAt }]) =>
        known.has(serial) ? [] : [{ serial: evenDigits(serial), at, ...(endsAt === undefined ? {} : { endsAt }) }],
      );
      if (before !== null && news.length === 0) return this.#take(before);
      next = await publish(this.#store, this.#clock, issuer, before, news);
    }
    this.#take(next);
  }

  /** Signs the list again, with the next number, as it is. */
  async reissue(): Promise<void> {
    const issuer = this.#issuer;
    if (issuer === null) throw new Error('invariant: signing a list needs the key of the certificate authority');
    let next: StoredList | null = null;
    while (next === null) next = await publish(this.#store, this.#clock, issuer, await this.#store.read(), []);
    this.#take(next);
  }

  /**
   * Signs the list without the entries of certificates that expired, if there are any; returns how
   * many there were.
   */
  async prune(): Promise<number> {
    const issuer = this.#issuer;
    if (issuer === null) throw new Error('invariant: signing a list needs the key of the certificate authority');
    for (;;) {
      const before = await this.#store.read();
      const now = this.#clock.now();
      const entries = before === null ? [] : dropEnded(before.list.entries, now);
      const count = (before?.list.entries.length ?? 0) - entries.length;
      if (before === null || count === 0) return 0;
      const next = await sign(this.#store, issuer, before, entries, now);
      if (next === null) continue;
      this.#take(next);
      return count;
    }
  }

  async #refresh(): Promise<void> {
    const at = this.#clock.now();
    const id = await this.#store.getListId();
    this.#readAt = at;
    if (id === this.#current.id) return;
    const stored = await this.#store.read();
    if (stored !== null) this.#take(stored);
  }

  #take(current: StoredList): void {
    this.#current = current;
    this.#revoked = listSerials(current.list);
  }
}

/**
 * Signs and stores the successor of `before` with more entries; null when another process stored
 * one meanwhile.
 */
async function publish(
  store: RevocationStore,
  clock: Pick<Clock, 'now'>,
  issuer: Issuer,
  before: StoredList | null,
  more: readonly RevokedSerial[],
): Promise<StoredList | null> {
  // Once a list signed after their expiry had them (RFC 5280, 3.3).
  const kept = before === null ? [] : dropEnded(before.list.entries, before.list.updatedAt);
  return sign(store, issuer, before, [...kept, ...more], clock.now());
}

async function sign(
  store: RevocationStore,
  issuer: Issuer,
  before: StoredList | null,
  entries: readonly RevokedSerial[],
  now: number,
): Promise<StoredList | null> {
  const number = (before?.list.number ?? -1) + 1;
  const list = await signCrl(issuer, number, entries, now);
  return store.write(before, { pem: crlToPem({ rawData: list }), updatedAt: now, number, entries });
}

/**
 * Drops the entries of certificates that expired before `time`. An unknown expiry counts as the
 * longest default lifetime.
 */
function dropEnded(entries: readonly RevokedSerial[], time: number): readonly RevokedSerial[] {
  return entries.filter(({ at, endsAt = at + LIFETIME_MS }) => endsAt >= time);
}

/** Imports the list of a CA that comes from elsewhere; its number continues. */
export async function importRevocations(
  documents: DocumentStore,
  issuer: Issuer,
  lastNumber: number,
  entries: readonly RevokedSerial[],
  now: number,
): Promise<void> {
  const store = new RevocationStore(documents);
  const number = lastNumber + 1;
  const list = await signCrl(issuer, number, entries, now);
  const signed = { pem: crlToPem({ rawData: list }), updatedAt: now, number, entries };
  while ((await store.write(await store.read(), signed)) === null);
}

function listSerials(list: SignedList): ReadonlySet<string> {
  return new Set(list.entries.map(({ serial }) => normalize(serial)));
}

/** Normalizes serial numbers for comparison: lower case, without leading zeros. */
export function normalize(serial: string): string {
  return serial.toLowerCase().replace(/^0+/, '');
}
