import { once } from 'node:events';
import { WebSocket } from 'ws';

export interface PxpCredentials {
  readonly certificate: string;
  readonly key: string;
  readonly trusted: string;
}

/** A message of PCP, version 2. */
export interface Envelope {
  readonly id: string;
  readonly message_type: string;
  readonly sender?: string;
  readonly data?: unknown;
}

interface PxpRequest {
  readonly transaction_id: string;
  readonly module: string;
  readonly action: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

const PREFIX = 'http://puppetlabs.com/';

/** A client of the broker in version 2: what it gets, and a way to send. */
export class PxpClient {
  readonly #socket: WebSocket;
  readonly #inbox: Envelope[] = [];
  #wake = () => {};
  /** The close code and reason, when the connection ended. */
  readonly ended: Promise<string>;

  protected constructor(socket: WebSocket) {
    this.#socket = socket;
    this.ended = new Promise((resolve) => {
      socket.once('close', (code, reason) => resolve(`${code} ${reason}`.trim()));
    });
    socket.on('message', (bytes) => this.receive(JSON.parse(String(bytes))));
  }

  /** Connects as `type`. Rejects when the server refuses the connection. */
  static async connect(
    port: number,
    credentials: PxpCredentials,
    type = 'agent',
    host = 'localhost',
  ): Promise<PxpClient> {
    const { certificate: cert, key, trusted: ca } = credentials;
    const url = `wss://${host}:${port}/pcp2/${type}`;
    const socket = new WebSocket(url, { cert, key, ca, perMessageDeflate: false });
    const client = new this(socket);
    await once(socket, 'open');
    return client;
  }

  send(type: string, target: string, data: unknown): void {
    const message = { id: crypto.randomUUID(), message_type: PREFIX + type, target, data };
    this.#socket.send(JSON.stringify(message));
  }

  /** The next message: its type without the prefix, and its data. */
  async next(): Promise<readonly [string, unknown]> {
    const { message_type: type, data } = await this.nextMessage();
    return [type.replace(PREFIX, ''), data];
  }

  /** The next message as it came. */
  async nextMessage(): Promise<Envelope> {
    for (;;) {
      const message = this.#inbox.shift();
      if (message !== undefined) return message;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  receive(message: Envelope): void {
    this.#inbox.push(message);
    this.#wake();
  }

  close(): void {
    this.#socket.terminate();
  }
}

/**
 * A small PXP agent: answers `ping` and `echo`, blocking or not, and an error for anything else. A
 * repeated transaction gets a provisional answer again, and never runs twice.
 */
export class PxpAgent extends PxpClient {
  readonly #begun = new Set<string>();
  runs = 0;
  /** Results of further actions, by module and action; some come later. */
  readonly results: Record<string, (params: Readonly<Record<string, unknown>>) => unknown> = {};

  /** Connects as an agent. */
  static async open(port: number, credentials: PxpCredentials, host = 'localhost'): Promise<PxpAgent> {
    const agent = await PxpAgent.connect(port, credentials, 'agent', host);
    if (agent instanceof PxpAgent) return agent;
    throw new Error('not an agent');
  }

  override receive({ id, message_type: type, sender = '', data }: Envelope): void {
    if (type === `${PREFIX}rpc_blocking_request`) this.#answer(id, sender, data as PxpRequest, 'rpc_blocking_response');
    else if (type === `${PREFIX}rpc_non_blocking_request`) this.#start(id, sender, data as PxpRequest);
  }

  #start(id: string, sender: string, request: PxpRequest): void {
    const { transaction_id } = request;
    this.send('rpc_provisional_response', sender, { transaction_id });
    if (this.#begun.has(transaction_id)) return;
    this.#begun.add(transaction_id);
    this.#answer(id, sender, request, 'rpc_non_blocking_response');
  }

  #answer(id: string, sender: string, { transaction_id, module, action, params }: PxpRequest, type: string): void {
    const known: Readonly<Record<string, unknown>> = {
      'ping ping': { request_hops: [] },
      'echo echo': { outcome: params?.argument },
    };
    const results = known[`${module} ${action}`] ?? this.results[`${module} ${action}`]?.(params ?? {});
    this.runs += 1;
    if (results instanceof Promise)
      void results.then((late) => this.send(type, sender, { transaction_id, results: late }));
    else if (results !== undefined) this.send(type, sender, { transaction_id, results });
    else this.send('rpc_error_message', sender, { transaction_id, id, description: `unknown module: ${module}` });
  }
}
