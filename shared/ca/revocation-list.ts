import type { Clock, DocumentStore } from '../store/ports.ts';
import { type Issuer, LIFETIME_MS, type RevokedSerial, signCrl } from './certificates.ts';
import { evenDigits } from './serials.ts';
import { crlToPem } from './x509.ts';

interface Current {
  readonly pem: string;
  /** Milliseconds since the epoch. */
  readonly updatedAt: number;
  readonly number: number;
  readonly entries: readonly RevokedSerial[];
}

const COLLECTION = 'ca';
const KEY = 'revocation-list';
/** Holds the number of the list alone: small enough to be read at each request, so that a revocation counts at once everywhere. */
const NUMBER = 'revocation-list-number';
/** A list is signed anew when it is half a year old; it is valid for five years. */
const RENEW_AFTER_MS = 180 * 86_400_000;

/** The CA's certificate revocation list: what agents fetch, and what the front door checks certificates against. */
export class RevocationList {
  readonly #documents: DocumentStore;
  readonly #clock: Clock;
  readonly #issuer: Issuer;
  #current: Current;
  #revoked: ReadonlySet<string>;

  private constructor(documents: DocumentStore, clock: Clock, issuer: Issuer, current: Current) {
    this.#documents = documents;
    this.#clock = clock;
    this.#issuer = issuer;
    this.#current = current;
    this.#revoked = serials(current);
  }

  static async open(documents: DocumentStore, clock: Clock, issuer: Issuer): Promise<RevocationList> {
    const stored = await read(documents);
    const isUsable = stored !== null && clock.now() - stored.updatedAt < RENEW_AFTER_MS;
    const made = isUsable ? stored : await publish(documents, clock, issuer, stored, stored?.entries ?? []);
    const current = made ?? (await read(documents));
    if (current === null) throw new Error('The revocation list vanished from the store');
    // Whoever stored it may have ended before it was announced.
    await announce(documents, current.number);
    return new RevocationList(documents, clock, issuer, current);
  }

  /** The list in PEM, with the time of its last change. */
  async current(): Promise<{ readonly pem: string; readonly updatedAt: number }> {
    await this.#refresh();
    return this.#current;
  }

  /** Whether a certificate of this CA was revoked; `serial` in hexadecimal, in any case, leading zeros or not. */
  async isRevoked(serial: string): Promise<boolean> {
    await this.#refresh();
    return this.#revoked.has(normalize(serial));
  }

  /** Revokes serial numbers; what other processes revoke at the same time is kept. */
  async add(...added: readonly string[]): Promise<void> {
    let next: Current | null = null;
    while (next === null) {
      const before = await read(this.#documents);
      const known = before === null ? new Set<string>() : serials(before);
      const news = [...new Set(added.map(normalize))].filter((serial) => !known.has(serial)).map(evenDigits);
      if (before !== null && news.length === 0) return this.#take(before);
      // Whatever was signed before has ended by then, and needs no entry any more.
      const kept = (before?.entries ?? []).filter(({ at }) => this.#clock.now() - at <= LIFETIME_MS);
      const entries = [...kept, ...news.map((serial) => ({ serial, at: this.#clock.now() }))];
      next = await publish(this.#documents, this.#clock, this.#issuer, before, entries);
    }
    this.#take(next);
  }

  async #refresh(): Promise<void> {
    const stored = await this.#documents.get(COLLECTION, NUMBER);
    if (stored?.number === this.#current.number) return;
    const list = await read(this.#documents);
    if (list !== null) this.#take(list);
  }

  #take(current: Current): void {
    this.#current = current;
    this.#revoked = serials(current);
  }
}

/** Signs and stores a list that follows `before`; null when another process stored one meanwhile. */
async function publish(
  documents: DocumentStore,
  clock: Pick<Clock, 'now'>,
  issuer: Issuer,
  before: Current | null,
  entries: readonly RevokedSerial[],
): Promise<Current | null> {
  const number = (before?.number ?? -1) + 1;
  const list = await signCrl(issuer, number, entries, clock.now());
  const current = {
    pem: crlToPem(list),
    updatedAt: clock.now(),
    number,
    entries,
  };
  const isStored =
    before === null
      ? await documents.create(COLLECTION, KEY, { ...current })
      : await documents.replace(COLLECTION, KEY, { ...before }, { ...current });
  if (!isStored) return null;
  await announce(documents, number);
  return current;
}

/** Starts the list of a CA that comes from elsewhere, behind that one's own number. */
export async function importRevocations(
  documents: DocumentStore,
  issuer: Issuer,
  lastNumber: number,
  entries: readonly RevokedSerial[],
  now: number,
): Promise<void> {
  const before = { pem: '', updatedAt: now, number: lastNumber, entries: [] };
  await documents.put(COLLECTION, KEY, { ...before });
  await publish(documents, { now: () => now }, issuer, before, entries);
}

/** Never goes back, whoever else announces a list meanwhile. */
async function announce(documents: DocumentStore, number: number): Promise<void> {
  for (;;) {
    const stored = await documents.get(COLLECTION, NUMBER);
    if (typeof stored?.number === 'number' && stored.number >= number) return;
    const isDone =
      stored === null
        ? await documents.create(COLLECTION, NUMBER, { number })
        : await documents.replace(COLLECTION, NUMBER, stored, { number });
    if (isDone) return;
  }
}

async function read(documents: DocumentStore): Promise<Current | null> {
  const stored = await documents.get(COLLECTION, KEY);
  if (stored === null) return null;
  const { pem, updatedAt, number, entries } = stored;
  const isWhole = typeof pem === 'string' && typeof updatedAt === 'number' && typeof number === 'number';
  if (!isWhole || !Array.isArray(entries)) throw new Error('The stored revocation list is damaged');
  return { pem, updatedAt, number, entries: entries.filter(isRevokedSerial) };
}

function isRevokedSerial(entry: unknown): entry is RevokedSerial {
  return typeof entry === 'object' && entry !== null && 'serial' in entry && 'at' in entry;
}

function serials(current: Current): ReadonlySet<string> {
  return new Set(current.entries.map(({ serial }) => normalize(serial)));
}

/** Serial numbers as they are compared: lower case, without leading zeros. */
export function normalize(serial: string): string {
  return serial.toLowerCase().replace(/^0+/, '');
}
