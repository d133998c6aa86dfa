import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { HttpClient } from '../../util/http-client.ts';
import { lookupOwn, readOwnUrl } from '../../util/url-guard.ts';
import type { InventoryCommand } from '../commands/apply-command.ts';
import { type CommandSender, DeliveryRejected, ReceiverAway } from './delivery-errors.ts';

const compress = promisify(gzip);
const TIMEOUT_MS = 60_000;
const LONGEST_REASON = 500;
/** Who we are, or how much is sent: nothing is wrong with the command. */
const ABOUT_US = [401, 403, 404, 407, 408, 429];

export interface PuppetdbAddress {
  /** `http://HOST:8080` or `https://HOST:8081`. */
  readonly url: string;
  /** PEM, for TLS: the client's certificate and key, and the CA of PuppetDB's. */
  readonly tls?: { readonly certificate: string; readonly key: string; readonly ca: string };
}

/** Sends commands as PuppetDB's termini do: gzipped JSON, with the command in the address. */
export class HttpCommandSender implements CommandSender {
  readonly #url: URL;
  readonly #client: HttpClient;

  constructor({ url, tls }: PuppetdbAddress) {
    this.#url = readOwnUrl(url, 'delivery');
    const options = { timeoutMs: TIMEOUT_MS, keepAlive: true, maxSockets: 4, lookup: lookupOwn };
    this.#client = new HttpClient(this.#url, { ...options, cert: tls?.certificate, key: tls?.key, ca: tls?.ca });
  }

  async send(command: InventoryCommand): Promise<void> {
    const { status, body } = await this.#post(command);
    if (status === 200) return;
    const reason = `status ${status}: ${body.replace(/\s+/g, ' ').slice(0, LONGEST_REASON)}`;
    if (ABOUT_US.includes(status)) throw new ReceiverAway(`${this.#url.origin} refuses us with ${reason}`);
    if (status === 503) throw new ReceiverAway(`${this.#url.origin} is not ready: ${reason}`);
    throw new DeliveryRejected(reason, status >= 400 && status < 500);
  }

  close(): void {
    this.#client.close();
  }

  async #post({ command, version, certname, payload }: InventoryCommand): Promise<{ status: number; body: string }> {
    const target = new URL('/pdb/cmd/v1', this.#url);
    target.search = new URLSearchParams({
      command: command.replaceAll(' ', '_'),
      version: String(version),
      certname,
      ...timeOf(payload),
    }).toString();
    const body = await compress(payload);
    const headers = {
      Accept: 'application/json',
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Encoding': 'gzip',
      'X-Uncompressed-Length': Buffer.byteLength(payload),
    };
    try {
      const answer = await this.#client.send('POST', target, headers, body);
      return { status: answer.statusCode ?? 0, body: await text(answer) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ReceiverAway(`${this.#url.origin} cannot be reached: ${reason}`);
    }
  }
}

/** The payload's time, as a parameter: PuppetDB orders by it before it reads the payload. */
function timeOf(payload: string): Record<string, string> {
  const time = /"producer_timestamp":"([^"]+)"/.exec(payload)?.[1];
  return time === undefined ? {} : { 'producer-timestamp': time };
}
