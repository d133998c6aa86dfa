import type { OutgoingHttpHeaders } from 'node:http';
import { HttpClient } from '../../util/http-client.ts';
import { lookupOwn, readOwnUrl } from '../../util/url-guard.ts';
import { DeliveryRejected, ReceiverAway } from './delivery-errors.ts';

/** Address of the receiver of reports, as in Puppet's setting `reporturl`. */
interface ReportAddress {
  /** `https://HOST/PATH`; user and password in it are sent as Basic authentication. */
  readonly url: string;
  readonly userAgent: string;
  /** By default that of Puppet's reports. */
  readonly contentType?: string;
  /** Longest wait for an answer; absent: a minute. */
  readonly timeoutMs?: number;
  /**
   * PEM, for TLS: our certificate and key, absent for none, and the CA of the receiver's; absent:
   * the public ones.
   */
  readonly tls?: {
    readonly certificate?: string | undefined;
    readonly key?: string | undefined;
    readonly ca?: string | undefined;
  };
}

/** Sends the text of a report or an alert. Throws ReceiverAway and DeliveryRejected. */
export interface ReportSender {
  send(body: string): Promise<void>;
}

const TIMEOUT_MS = 60_000;
/** Who we are, or how much is sent: nothing is wrong with the report. */
const ABOUT_US = [401, 403, 404, 407, 408, 429];
const NOT_READY = [502, 503, 504];

/** Sends texts as Puppet's report processor `http` does. */
// Puppet: lib/puppet/reports/http.rb
export class HttpReportSender implements ReportSender {
  readonly #url: URL;
  readonly #headers: OutgoingHttpHeaders;
  readonly #client: HttpClient;

  constructor(address: ReportAddress) {
    const { url, userAgent, contentType = 'application/x-yaml', timeoutMs = TIMEOUT_MS, tls } = address;
    const target = readOwnUrl(url, 'delivery');
    const { username, password } = target;
    const isKnown = username !== '' && password !== '';
    const login = Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64');
    this.#headers = {
      'Content-Type': contentType,
      'User-Agent': userAgent,
      ...(isKnown ? { Authorization: `Basic ${login}` } : {}),
    };
    [target.username, target.password] = ['', ''];
    this.#url = target;
    const options = { timeoutMs, maxSockets: 1, lookup: lookupOwn };
    this.#client = new HttpClient(target, { ...options, cert: tls?.certificate, key: tls?.key, ca: tls?.ca });
  }

  async send(body: string): Promise<void> {
    const status = await this.#post(body);
    if (status >= 200 && status < 300) return;
    const reason = `${this.#url.origin} answered with status ${status}`;
    if (ABOUT_US.includes(status) || NOT_READY.includes(status)) throw new ReceiverAway(reason);
    throw new DeliveryRejected(reason, status < 500);
  }

  close(): void {
    this.#client.close();
  }

  async #post(body: string): Promise<number> {
    try {
      const answer = await this.#client.send('POST', this.#url, this.#headers, body);
      // The body is not used, and may have no end.
      answer.on('error', () => undefined).destroy();
      return answer.statusCode ?? 0;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ReceiverAway(`${this.#url.origin} cannot be reached: ${reason}`);
    }
  }
}
