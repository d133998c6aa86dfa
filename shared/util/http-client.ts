import * as http from 'node:http';
import * as https from 'node:https';

/** Options of connections; certificates and keys are PEM. */
interface HttpClientOptions extends https.AgentOptions {
  /** Longest wait for an answer, and longest pause within one. */
  readonly timeoutMs: number;
}

/** Sends requests over `http:` or `https:`, with one pool of connections. */
export class HttpClient {
  readonly #agent: http.Agent;
  readonly #send: typeof http.request;
  readonly #timeoutMs: number;

  /** `url`: an address of the server; only its protocol is read. */
  constructor(url: string | URL, { timeoutMs, ...options }: HttpClientOptions) {
    const isPlain = new URL(url).protocol === 'http:';
    this.#agent = isPlain ? new http.Agent(options) : new https.Agent(options);
    this.#send = isPlain ? http.request : https.request;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Resolves with the answer as soon as it begins. Rejects with the error of the connection, also
   * when the server is silent for too long.
   */
  send(
    method: string,
    target: URL,
    headers: http.OutgoingHttpHeaders,
    body: string | Uint8Array | null,
  ): Promise<http.IncomingMessage> {
    const length = body === null ? {} : { 'Content-Length': Buffer.byteLength(body) };
    const options = { method, headers: { ...headers, ...length }, agent: this.#agent, timeout: this.#timeoutMs };
    return new Promise((resolve, reject) => {
      const sent = this.#send(target, options, resolve);
      sent.once('timeout', () => sent.destroy(new Error('it does not answer')));
      sent.on('error', reject);
      sent.end(body);
    });
  }

  /** Closes the connections that wait for requests. */
  close(): void {
    this.#agent.destroy();
  }
}
