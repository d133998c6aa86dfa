import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { makeRequest, type RequestOptions } from '../../helpers/certificate-request.ts';

/** One request as it goes over the wire. */
export interface ReplayRequest {
  readonly method: string;
  /** Path and query, not normalised. */
  readonly url: string;
  /** The certname that asks; null without a certificate. */
  readonly who: string | null;
  /** `Accept` is anything unless it stands here; an empty one is not sent. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ReplayAnswer {
  readonly status: number;
  /** In lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Identity {
  readonly cert: string;
  readonly key: string;
}

const ANSWER_MS = 300_000;

/** Asks one server, with certificates that it signs by itself. */
export class Asking {
  readonly #port: number;
  readonly #identities = new Map<string, Promise<Identity>>();

  constructor(port: number) {
    this.#port = port;
  }

  async ask({ method, url, who, headers = {}, body = '' }: ReplayRequest): Promise<ReplayAnswer> {
    const identity = who === null ? {} : await this.#identity(who);
    const agent = new Agent({ ...identity, rejectUnauthorized: false });
    const bytes = Buffer.from(body);
    const length =
      method === 'GET' || method === 'HEAD' || method === 'DELETE' ? {} : { 'Content-Length': bytes.length };
    const common = { host: 'localhost', port: this.#port, agent, signal: AbortSignal.timeout(ANSWER_MS) };
    const { Accept = '*/*', ...others } = headers;
    const accepting = Accept === '' ? {} : { Accept };
    const outgoing = request({ ...common, method, path: url, headers: { ...accepting, ...others, ...length } });
    outgoing.end(bytes);
    const [response] = await once(outgoing, 'response');
    const chunks: Buffer[] = [];
    for await (const chunk of response) chunks.push(chunk);
    agent.destroy();
    const raw = Buffer.concat(chunks);
    const text = (response.headers['content-encoding'] === 'gzip' ? gunzipSync(raw) : raw).toString();
    return { status: response.statusCode, headers: { ...response.headers }, body: text };
  }

  /** Gets a certificate with these extensions, with which `certname` asks from now on. */
  async enrol(certname: string, extensions: RequestOptions['extensions']): Promise<void> {
    this.#identities.set(certname, Promise.resolve(await this.#signed(certname, { extensions: extensions ?? [] })));
  }

  #identity(certname: string): Promise<Identity> {
    const known = this.#identities.get(certname) ?? this.#signed(certname);
    this.#identities.set(certname, known);
    return known;
  }

  async #signed(certname: string, options?: RequestOptions): Promise<Identity> {
    const { request: pem, key } = await makeRequest(certname, options);
    const headers = { 'Content-Type': 'text/plain' };
    const put = { method: 'PUT', url: `/puppet-ca/v1/certificate_request/${certname}`, who: null, headers, body: pem };
    const submitted = await this.ask(put);
    const signed = await this.ask({ method: 'GET', url: `/puppet-ca/v1/certificate/${certname}`, who: null });
    if (signed.status !== 200) throw new Error(`${certname} got no certificate: ${submitted.body} ${signed.body}`);
    return { cert: signed.body, key };
  }
}
