import type { Clock } from '../../store/ports/clock.ts';
import { isJsonObject } from '../../util/json-object.ts';
import type { Broker } from '../broker/broker.ts';
import type { Controller } from '../broker/controller.ts';
import { makeMessageId } from '../pcp/message-id.ts';
import { type AddressedMessage, encodeData } from '../pcp/pcp-message.ts';
import { splitPcpUri } from '../pcp/pcp-uri.ts';
import type { PxpAnswer, PxpConnection, PxpContent, PxpGateway, PxpRequest } from './pxp-gateway.ts';

const PREFIX = 'http://puppetlabs.com/';
const AGENT = 'agent';

/** The type of the URI under which an orchestrator gets messages, and how such types begin. */
export const ORCHESTRATOR_TYPE = 'orchestrator';

/** The gateway through a broker of the same process, as `pcp://<server>/<type>`. */
export class BrokerGateway implements PxpGateway, Controller {
  readonly uri: string;
  readonly broker: string;
  readonly #broker: Broker;
  readonly #clock: Pick<Clock, 'random'>;
  readonly #receivers: ((answer: PxpAnswer) => void)[] = [];

  /** `server` is the certname of the server. Each of several orchestrators needs its own type. */
  constructor(broker: Broker, server: string, clock: Pick<Clock, 'random'>, type: string = ORCHESTRATOR_TYPE) {
    this.#broker = broker;
    this.#clock = clock;
    this.uri = `pcp://${server}/${type}`;
    this.broker = `pcp://${server}/server`;
  }

  /** Connects to the broker. Rejects when that cannot be made known to other brokers. */
  async attach(): Promise<void> {
    await this.#broker.attach(this);
  }

  request(certname: string, { transactionId, module, action, params, isBlocking }: PxpRequest): Promise<string | null> {
    const common = { transaction_id: transactionId, module, action, params };
    const data = encodeData(isBlocking ? common : { ...common, notify_outcome: true });
    return this.#broker.send({
      id: makeMessageId(() => this.#clock.random()),
      type: `${PREFIX}${isBlocking ? 'rpc_blocking_request' : 'rpc_non_blocking_request'}`,
      sender: this.uri,
      target: `pcp://${certname}/${AGENT}`,
      inReplyTo: null,
      data,
      isMulticast: false,
    });
  }

  async listConnected(certnames?: readonly string[]): Promise<readonly PxpConnection[]> {
    const clients =
      certnames === undefined
        ? await this.#broker.listClients((uri) => splitPcpUri(uri).type === AGENT)
        : await this.#broker.findClients(certnames.map((certname) => `pcp://${certname}/${AGENT}`));
    return clients.map(({ uri, since }) => ({ certname: splitPcpUri(uri).certname, since }));
  }

  onConnect(listener: (certname: string) => void): void {
    this.#broker.onConnect((uri) => {
      const { certname, type } = splitPcpUri(uri);
      if (type === AGENT) listener(certname);
    });
  }

  listen(receive: (answer: PxpAnswer) => void): void {
    this.#receivers.push(receive);
  }

  receive(message: AddressedMessage): void {
    const answer = readAnswer(message);
    if (answer !== null) for (const receive of this.#receivers) receive(answer);
  }
}

/** Reads an agent's message; null for anything that is no answer to a request. */
function readAnswer({ type, sender, data }: AddressedMessage): PxpAnswer | null {
  const { certname, type: clientType } = splitPcpUri(sender);
  if (clientType !== AGENT || !type.startsWith(PREFIX) || data === null) return null;
  // The broker passes on valid JSON only.
  const parsed: unknown = JSON.parse(Buffer.from(data).toString());
  if (!isJsonObject(parsed) || typeof parsed.transaction_id !== 'string') return null;
  const content = readContent(type.slice(PREFIX.length), parsed);
  return content && { certname, transactionId: parsed.transaction_id, content };
}

function readContent(type: string, data: Readonly<Record<string, unknown>>): PxpContent | null {
  switch (type) {
    case 'rpc_provisional_response':
      return { kind: 'accepted' };
    case 'rpc_blocking_response':
    case 'rpc_non_blocking_response':
      return { kind: 'results', results: isJsonObject(data.results) ? data.results : {} };
    case 'rpc_error_message':
      return { kind: 'refused', description: String(data.description ?? '') };
    default:
      return null;
  }
}
