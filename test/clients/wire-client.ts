import { once } from 'node:events';
import { connect as connectPlain, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls } from 'node:tls';
import { gunzipSync, inflateSync } from 'node:zlib';

/** An answer as a client reads it from its connection. */
export interface WireAnswer {
  readonly status: number;
  /** In small letters. */
  readonly headers: ReadonlyMap<string, string>;
  readonly text: string;
}

const DECODERS: Readonly<Record<string, (bytes: Buffer) => Buffer>> = { gzip: gunzipSync, deflate: inflateSync };
const WITHOUT_BODY = [204, 304];

/** A connection of HTTP/1.1 that writes bytes as given, and stays until the server ends it. */
export class WireClient {
  readonly #socket: Socket;
  #bytes = Buffer.alloc(0);
  #end: string | null = null;
  #wake = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
      this.#wake();
    });
    socket.on('end', () => this.#note('the server ended the connection'));
    socket.on('close', () => this.#note('the connection was closed'));
    socket.on('error', (error) => this.#note(String(error)));
  }

  /** Connects, by TLS unless `isPlain`. */
  static async open(options: ConnectionOptions & { readonly port: number }, isPlain: boolean): Promise<WireClient> {
    const socket = isPlain ? connectPlain(options.port, 'localhost') : connectTls({ ...options, host: 'localhost' });
    socket.setNoDelay(true);
    await once(socket, isPlain ? 'connect' : 'secureConnect');
    return new WireClient(socket);
  }

  /** Writes each part by itself and reads the answer. Rejects when the connection ends before. */
  async ask(parts: readonly (string | Buffer)[]): Promise<WireAnswer> {
    if (this.#end !== null) throw new Error(`${this.#end} before the request`);
    for (const part of parts) this.#socket.write(part);
    const [start = '', ...lines] = (await this.#readUntil('\r\n\r\n')).split('\r\n');
    const headers = new Map(
      lines.map((line) => [line.replace(/:.*/s, '').toLowerCase(), line.replace(/^.*?: */s, '')]),
    );
    const status = Number(start.split(' ')[1]);
    const body = WITHOUT_BODY.includes(status) ? Buffer.alloc(0) : await this.#readBody(headers);
    const decode = DECODERS[headers.get('content-encoding') ?? ''];
    return { status, headers, text: String(decode === undefined ? body : decode(body)) };
  }

  close(): void {
    this.#socket.destroy();
  }

  #note(end: string): void {
    this.#end ??= end;
    this.#wake();
  }

  async #readBody(headers: ReadonlyMap<string, string>): Promise<Buffer> {
    if (headers.get('transfer-encoding') !== 'chunked') return this.#take(Number(headers.get('content-length') ?? 0));
    const chunks: Buffer[] = [];
    for (;;) {
      const length = Number.parseInt(await this.#readUntil('\r\n'), 16);
      chunks.push(await this.#take(length));
      await this.#readUntil('\r\n');
      if (length === 0) return Buffer.concat(chunks);
    }
  }

  async #readUntil(end: string): Promise<string> {
    while (!this.#bytes.includes(end)) await this.#more();
    const text = String(await this.#take(this.#bytes.indexOf(end)));
    await this.#take(end.length);
    return text;
  }

  async #take(length: number): Promise<Buffer> {
    while (this.#bytes.length < length) await this.#more();
    const taken = this.#bytes.subarray(0, length);
    this.#bytes = this.#bytes.subarray(length);
    return taken;
  }

  async #more(): Promise<void> {
    if (this.#end !== null) throw new Error(`${this.#end} in the middle of an answer`);
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}
