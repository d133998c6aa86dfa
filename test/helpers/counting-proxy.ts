import { once } from 'node:events';
import { createServer, type IncomingMessage, request as newRequest, type ServerResponse } from 'node:http';

/** Numbers of requests by operation: `GetItem`, `SendMessageBatch`, `S3 GET catalogs/`. */
export type RequestCounts = Readonly<Record<string, number>>;

/** A reverse proxy on the loopback interface that counts the requests to one endpoint of AWS. */
export class CountingProxy {
  readonly url: string;
  readonly #counts = new Map<string, number>();
  readonly #close: () => void;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.#close = close;
  }

  static async start(target: string): Promise<CountingProxy> {
    const server = createServer((incoming, outgoing) => {
      proxy.#count(incoming);
      forward(target, incoming, outgoing);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy has no address');
    const proxy = new CountingProxy(`http://127.0.0.1:${address.port}`, () => {
      server.closeAllConnections();
      server.close();
    });
    return proxy;
  }

  get counts(): RequestCounts {
    return Object.fromEntries([...this.#counts].sort());
  }

  close(): void {
    this.#close();
  }

  #count(incoming: IncomingMessage): void {
    const name = nameOf(incoming);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
  }
}

/** DynamoDB, SQS and KMS name the operation in a header; S3 by method and key. */
function nameOf({ headers, method = '', url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.slice(target.indexOf('.') + 1);
  const [, , prefix = ''] = new URL(url, 'http://localhost').pathname.split('/');
  return prefix === '' ? 'S3 LIST' : `S3 ${method} ${prefix}/`;
}

function forward(target: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { method, headers, url = '/' } = incoming;
  const onward = newRequest(new URL(url, target), { method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(outgoing);
  });
  onward.once('error', () => outgoing.destroy());
  incoming.pipe(onward);
}
