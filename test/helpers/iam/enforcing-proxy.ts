import { once } from 'node:events';
import { createServer, type IncomingMessage, request as newRequest, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type AwsRequest, listNeeds, type ResourceNames } from './needs.ts';
import type { RolePolicies } from './policies.ts';

/** Numbers of requests by operation: `GetItem`, `SendMessageBatch`, `S3 GET catalogs/`. */
export type RequestCounts = Readonly<Record<string, number>>;

/** Who sends the requests: what its role allows, and where denials are noted. */
export interface Sender {
  /** In the notes of denials. */
  readonly name: string;
  readonly role: RolePolicies;
  readonly names: ResourceNames;
  /** Gets a line for each request that AWS would deny. */
  readonly denials: Set<string>;
}

/**
 * A reverse proxy on the loopback interface before one endpoint of AWS. It counts the requests of
 * one function or container, and denies what its role's policies do not allow, as AWS does.
 */
export class EnforcingProxy {
  readonly url: string;
  readonly #counts: Map<string, number>;
  readonly #close: () => void;

  private constructor(url: string, counts: Map<string, number>, close: () => void) {
    this.url = url;
    this.#counts = counts;
    this.#close = close;
  }

  static async start(target: string, sender: Sender): Promise<EnforcingProxy> {
    const counts = new Map<string, number>();
    const server = createServer((incoming, outgoing) => {
      const name = nameOf(incoming);
      counts.set(name, (counts.get(name) ?? 0) + 1);
      answer(target, sender, incoming, outgoing).catch(() => outgoing.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('the proxy has no address');
    return new EnforcingProxy(`http://127.0.0.1:${address.port}`, counts, () => {
      server.closeAllConnections();
      server.close();
    });
  }

  get counts(): RequestCounts {
    return Object.fromEntries([...this.#counts].sort());
  }

  close(): void {
    this.#close();
  }
}

/** DynamoDB, SQS and KMS name the operation in a header; Lambda and S3 by method and path. */
function nameOf({ headers, method = '', url = '' }: IncomingMessage): string {
  const target = headers['x-amz-target'];
  if (typeof target === 'string') return target.slice(target.indexOf('.') + 1);
  const { pathname } = new URL(url, 'http://localhost');
  if (pathname.endsWith('/invocations')) return 'Invoke';
  const [, , prefix = ''] = pathname.split('/');
  return prefix === '' ? 'S3 LIST' : `S3 ${method} ${prefix}/`;
}

async function answer(
  target: string,
  sender: Sender,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): Promise<void> {
  const { method = 'GET', headers, url = '/' } = incoming;
  const body = await buffer(incoming);
  const denial = findDenial(sender, { method, headers, url, body });
  if (denial !== null) {
    sender.denials.add(`${sender.name}: ${denial}`);
    return deny(incoming, outgoing, denial);
  }
  const onward = newRequest(new URL(url, target), { method, headers }, (answered) => {
    outgoing.writeHead(answered.statusCode ?? 502, answered.headers);
    answered.pipe(outgoing);
  });
  onward.once('error', () => outgoing.destroy());
  onward.end(body);
}

/** Why AWS would deny this request; null if it allows it. What is not understood is denied. */
function findDenial({ role, names }: Sender, request: AwsRequest): string | null {
  try {
    const denials = listNeeds(request, names).map((need) => role.findDenial(need));
    return denials.find((one) => one !== null) ?? null;
  } catch (error) {
    return `${request.method} ${request.url}: ${error}`;
  }
}

function deny({ headers, url = '' }: IncomingMessage, outgoing: ServerResponse, reason: string): void {
  if (headers['x-amz-target'] === undefined && !url.endsWith('/invocations')) {
    outgoing.writeHead(403, { 'content-type': 'application/xml' });
    outgoing.end('<?xml version="1.0"?><Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>');
    return;
  }
  const type = 'AccessDeniedException';
  outgoing.writeHead(400, { 'content-type': 'application/x-amz-json-1.0', 'x-amzn-errortype': type });
  outgoing.end(JSON.stringify({ __type: `com.amazonaws#${type}`, message: `User is not authorized: ${reason}` }));
}
