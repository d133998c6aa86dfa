import type { Identity } from '../../shared/access/authorization/access-entry.ts';
import { Authorization } from '../../shared/access/authorization/authorization.ts';
import { Broker, type BrokerOptions } from '../../shared/orchestrator/broker/broker.ts';
import { MessagePolicy } from '../../shared/orchestrator/broker/message-policy.ts';
import type { PcpSocket, Session } from '../../shared/orchestrator/broker/session.ts';
import { CODEC_V1 } from '../../shared/orchestrator/pcp/codec-v1.ts';
import { CODEC_V2 } from '../../shared/orchestrator/pcp/codec-v2.ts';
import type { PcpMessage } from '../../shared/orchestrator/pcp/pcp-message.ts';

export const PREFIX = 'http://puppetlabs.com/';

/** Rules like those of service: some message types are only for some clients. */
export const POLICY = JSON.stringify({
  authorization: {
    version: 1,
    rules: [
      rule('association', 1, `${PREFIX}associate_request`, { deny: 'banned.example.com', allow: '*' }),
      rule('inventory', 2, `${PREFIX}inventory_request`, { allow: ['ctl.example.com', '*.tools.example.com'] }),
      rule('requests', 3, `${PREFIX}rpc_blocking_request`, { allow: 'ctl.example.com' }),
      { name: 'all else', 'sort-order': 9, 'match-request': { path: '/pcp-broker/send', type: 'path' }, allow: '*' },
    ],
  },
});

function rule(name: string, order: number, type: string, access: object) {
  const match = { path: '/pcp-broker/send', type: 'path', 'query-params': { message_type: type } };
  return { name, 'sort-order': order, 'match-request': match, ...access };
}

/** A connection without a transport, which keeps what it gets. */
export class TestClient implements PcpSocket {
  readonly received: object[] = [];
  end: string | null = null;
  bufferedAmount = 0;
  session: Session | null = null;
  readonly version: 1 | 2;
  readonly #world: BrokerWorld;

  constructor(world: BrokerWorld, version: 1 | 2) {
    this.#world = world;
    this.version = version;
  }

  send(frame: Buffer, isBinary: boolean): void {
    if (isBinary !== (this.version === 1)) throw new Error('a frame of the wrong kind');
    const { data, id, isMulticast, ...message } = this.codec.decode(withTarget(frame, this.version), isBinary);
    this.received.push({
      ...message,
      id,
      ...(data === null ? {} : { data: JSON.parse(Buffer.from(data).toString()) }),
    });
  }

  close(code: number, reason: string): void {
    this.end ??= `${code} ${reason}`;
  }

  terminate(): void {
    this.end ??= 'dropped';
  }

  get codec() {
    return this.version === 1 ? CODEC_V1 : CODEC_V2;
  }

  /** Sends a message; returns its id. */
  write(message: Partial<Omit<PcpMessage, 'data'>> & { readonly data?: unknown }): string {
    const id = message.id ?? this.#world.newId();
    const data = message.data === undefined ? null : Buffer.from(JSON.stringify(message.data));
    const whole = { id, type: 'test', sender: this.version === 1 ? this.uri : null, target: null, inReplyTo: null };
    this.writeFrame(this.codec.encode({ ...whole, ...message, data, isMulticast: false }), this.version === 1);
    return id;
  }

  writeFrame(frame: Buffer, isBinary: boolean): void {
    if (this.session === null) throw new Error('not connected');
    this.#world.broker.receive(this.session, frame, isBinary);
  }

  get uri(): string {
    return this.session?.uri ?? '';
  }

  /** Takes what came since the last call. */
  take(): object[] {
    return this.received.splice(0);
  }
}

/** The broker's own messages in version 1 have no target at times, which clients cannot decode. */
function withTarget(frame: Buffer, version: 1 | 2): Buffer {
  if (version === 2 || !frame.includes('"targets":[]')) return frame;
  const text = frame.toString('latin1').replace('"targets":[]', '"targets":["pcp://none/none"]');
  const patched = Buffer.from(text, 'latin1');
  patched.writeInt32BE(frame.readInt32BE(2) + '"pcp://none/none"'.length, 2);
  return patched;
}

/** A broker with a clock that stands still. */
export class BrokerWorld {
  now = 1_000_000;
  readonly slept: number[] = [];
  readonly broker: Broker;
  #ids = 0;

  constructor(options: Partial<BrokerOptions> = {}) {
    this.broker = new Broker({
      policy: new MessagePolicy(Authorization.read(POLICY, 'policy')),
      clock: { now: () => this.now, random: () => 0.5, sleep: async (milliseconds) => this.#sleep(milliseconds) },
      maxConnections: 0,
      idleTimeoutMs: 60_000,
      ...options,
    });
  }

  newId(): string {
    this.#ids += 1;
    return `00000000-0000-4000-8000-${String(this.#ids).padStart(12, '0')}`;
  }

  connect(certname: string | null, { version = 2, type = 'agent', serial = null as string | null } = {}): TestClient {
    const identity = certname === null ? null : { certname, extensions: new Map<string, string>() };
    return this.connectAs(identity, type, version === 1 ? 1 : 2, serial);
  }

  connectAs(identity: Identity | null, type: string, version: 1 | 2 = 2, serial: string | null = null): TestClient {
    const client = new TestClient(this, version);
    client.session = this.broker.connect({ socket: client, codec: client.codec, identity, serial, type });
    return client;
  }

  /** One turn of the broker's clock. */
  async tick(): Promise<void> {
    const turn = new AbortController();
    const time = this.broker.keepTime(turn.signal);
    turn.abort();
    await time;
  }

  async #sleep(milliseconds: number): Promise<void> {
    this.slept.push(milliseconds);
    this.now += milliseconds;
  }
}
