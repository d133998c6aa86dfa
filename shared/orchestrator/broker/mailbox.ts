import type { StoredDocument } from '../../store/ports/document-store.ts';
import type { Doorbell } from '../../store/ports/doorbell.ts';
import type { Stores } from '../../store/ports/stores.ts';
import type { AddressedMessage } from '../pcp/pcp-message.ts';
import type { TimedChange } from './subscriptions.ts';

/** A message from one broker to another. */
export type BrokerMail =
  | { readonly kind: 'message'; readonly message: AddressedMessage }
  | { readonly kind: 'undelivered'; readonly uri: string; readonly description: string; readonly messageId: string }
  | { readonly kind: 'drop'; readonly uri: string; readonly epoch: number }
  | { readonly kind: 'changes'; readonly changes: readonly TimedChange[] };

/** The doorbell is rung for each mail. */
type MailStores = Pick<Stores, 'documents' | 'clock'> & { readonly doorbell?: Doorbell | undefined };

const PAGE = 100;
/** Bytes of data in one document; base64 makes a third more of it, and 300 KB is the limit. */
const PART_BYTES = 192 * 1024;
/** Age of the oldest mail from which a mailbox takes no more. Mails usually wait for 25 ms. */
const STUCK_MS = 10_000;
const CHECK_MS = 500;
/** Rings may be lost. */
const HEARD_MS = 5000;

/**
 * Mailboxes of brokers, in the store: one collection each. Mails are read in the order of their
 * time. A mailbox is bounded: none is written behind a mail that waits for long.
 */
export class Mailboxes {
  readonly #stores: MailStores;
  readonly #sender: string;
  readonly #checked = new Map<string, { readonly at: number; readonly isStuck: boolean }>();
  #count = 0;
  #longestWaitMs = 0;

  /** `sender` makes the keys of mails unique: the own instance and incarnation. */
  constructor(stores: MailStores, sender: string) {
    this.#stores = stores;
    this.#sender = sender;
  }

  /** Writes a mail; false when the mailbox is not emptied. */
  async send(recipient: string, mail: BrokerMail): Promise<boolean> {
    const { documents, clock } = this.#stores;
    this.#count += 1;
    const key = `${padNumber(clock.now())} ${this.#sender} ${padNumber(this.#count)}`;
    if (await this.#isStuck(recipient)) return false;
    if (mail.kind !== 'message') {
      await documents.put(mailOf(recipient), key, { ...mail });
      this.#stores.doorbell?.ring(mailOf(recipient));
      return true;
    }
    const { data, ...message } = mail.message;
    const parts = data === null ? 0 : Math.max(1, Math.ceil(data.length / PART_BYTES));
    const encode = (part: number) =>
      Buffer.from(data?.subarray(part * PART_BYTES, (part + 1) * PART_BYTES) ?? []).toString('base64');
    for (let part = 1; part < parts; part += 1) {
      await documents.put(partsOf(recipient), `${key} ${padNumber(part)}`, { data: encode(part) });
    }
    await documents.put(mailOf(recipient), key, { kind: 'message', message, parts, data: encode(0) });
    this.#stores.doorbell?.ring(mailOf(recipient));
    return true;
  }

  /** The longest time that a mail waited since the last call, in milliseconds. */
  takeLongestWait(): number {
    const longest = this.#longestWaitMs;
    this.#longestWaitMs = 0;
    return longest;
  }

  /** Takes the mails of a mailbox that are there, oldest first; one reader gets each. */
  async *take(recipient: string): AsyncGenerator<BrokerMail> {
    const { documents } = this.#stores;
    for (;;) {
      const page = await documents.list(mailOf(recipient), '', PAGE);
      for (const { key, document } of page) {
        const mail = await this.#read(recipient, key, document);
        this.#longestWaitMs = Math.max(this.#longestWaitMs, this.#stores.clock.now() - timeOf(key));
        if (await documents.remove(mailOf(recipient), key, document)) yield mail;
      }
      if (page.length < PAGE) return;
    }
  }

  /** Waits for the next mail, at most for `pauseMs`: for longer where a doorbell rings for each. */
  async wait(recipient: string, pauseMs: number, signal: AbortSignal): Promise<void> {
    const { doorbell, clock } = this.#stores;
    if (doorbell === undefined) return clock.sleep(pauseMs, signal);
    await doorbell.wait(doorbell.isHeard ? HEARD_MS : pauseMs, signal, mailOf(recipient));
  }

  /** Deletes parts of mails whose sender died before it wrote the mail. */
  async discardParts(recipient: string): Promise<void> {
    const { documents } = this.#stores;
    for (;;) {
      const page = await documents.list(partsOf(recipient), '', PAGE);
      for (const { key } of page) await documents.delete(partsOf(recipient), key);
      if (page.length < PAGE) return;
    }
  }

  async #read(recipient: string, key: string, document: StoredDocument): Promise<BrokerMail> {
    // Only `send` writes here.
    if (document.kind !== 'message') return document as unknown as BrokerMail;
    const { documents } = this.#stores;
    const message = document.message as Omit<AddressedMessage, 'data'>;
    const parts = [Buffer.from(String(document.data), 'base64')];
    for (let part = 1; part < Number(document.parts); part += 1) {
      const partKey = `${key} ${padNumber(part)}`;
      const stored = await documents.get(partsOf(recipient), partKey);
      parts.push(Buffer.from(String(stored?.data ?? ''), 'base64'));
      await documents.delete(partsOf(recipient), partKey);
    }
    return { kind: 'message', message: { ...message, data: document.parts === 0 ? null : Buffer.concat(parts) } };
  }

  async #isStuck(recipient: string): Promise<boolean> {
    const { documents, clock } = this.#stores;
    const now = clock.now();
    const known = this.#checked.get(recipient);
    if (known !== undefined && now - known.at < CHECK_MS) return known.isStuck;
    const [oldest] = await documents.list(mailOf(recipient), '', 1);
    const isStuck = oldest !== undefined && now - timeOf(oldest.key) > STUCK_MS;
    this.#checked.set(recipient, { at: now, isStuck });
    return isStuck;
  }
}

function mailOf(instance: string): string {
  return `pcp-mail-${instance}`;
}

function partsOf(instance: string): string {
  return `pcp-mail-parts-${instance}`;
}

/** When a mail was written, by the clock of its sender. */
function timeOf(key: string): number {
  return Number(key.split(' ')[0]);
}

/** Sorts like the number. */
function padNumber(number: number): string {
  return String(number).padStart(16, '0');
}
