import { request } from 'node:https';
import { connect } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** A client certificate. */
export interface ClientCredentials {
  readonly certname: string;
  readonly certificate: string;
  readonly key: string;
}

/** A request of a simulated node, on a connection of its own, as agents make them. */
export interface ClientRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ClientAnswer {
  /** 0 when no answer came: the connection was refused or cut, or the time is over. */
  readonly status: number;
  readonly body: Buffer;
}

const ANSWER_MS = 60_000;
const REFUSED: ClientAnswer = { status: 0, body: Buffer.alloc(0) };

/** Sends one request to 127.0.0.1. */
export function sendRequest(
  { certificate, key }: ClientCredentials,
  port: number,
  { method, path, headers = {}, body = '' }: ClientRequest,
): Promise<ClientAnswer> {
  return new Promise((resolve) => {
    const refuse = () => resolve(REFUSED);
    const options = { cert: certificate, key, rejectUnauthorized: false, agent: false } as const;
    const signal = AbortSignal.timeout(ANSWER_MS);
    const outgoing = request({ ...options, host: '127.0.0.1', port, method, path, headers, signal }, (response) => {
      const isGzip = response.headers['content-encoding'] === 'gzip';
      const finish = (bytes: Buffer) => {
        // A connection that was cut may end the body early.
        if (!response.complete) refuse();
        else resolve({ status: response.statusCode ?? 0, body: isGzip ? gunzipSync(bytes) : bytes });
      };
      buffer(response).then(finish).catch(refuse);
    });
    outgoing.once('error', refuse).end(body);
  });
}

/** Whether something accepts connections at the port. */
export function isPortOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const finish = (isOpen: boolean) => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once('connect', () => finish(true)).once('error', () => finish(false));
  });
}
