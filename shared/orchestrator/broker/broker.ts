import type { Clock } from '../../store/ports/clock.ts';
import { INVALID_INVENTORY_REQUEST, readInventoryRequest } from '../pcp/inventory-request.ts';
import { makeMessageId } from '../pcp/message-id.ts';
import { type AddressedMessage, encodeData, PCP_TYPE, type PcpMessage, UndecodableFrame } from '../pcp/pcp-message.ts';
import { compilePcpPatterns, SERVER_URI, splitPcpUri } from '../pcp/pcp-uri.ts';
import { BrokerCounters } from './broker-counters.ts';
import { type ClosingPace, closeAtPace, paceOfDrain } from './closing-pace.ts';
import type { ConnectedClient, Controller } from './controller.ts';
import type { MessagePolicy } from './message-policy.ts';
import type { NeighbourRequests, Neighbours } from './neighbours.ts';
import { CLOSE, type PcpClient, Session } from './session.ts';
import { Subscriptions, type TimedChange } from './subscriptions.ts';

export interface BrokerOptions {
  readonly policy: MessagePolicy;
  readonly clock: Clock;
  /** 0: no limit. */
  readonly maxConnections: number;
  readonly idleTimeoutMs: number;
  /** Absent when this is the only broker. */
  readonly neighbours?: Neighbours;
  /** No client can connect under a URI that begins so: a service of another process has it. */
  readonly reservedPrefix?: string;
}

/** Beyond this, a client that does not read gets no further messages. */
const MOST_BUFFERED = 16 * 1024 * 1024;
const TICK_MS = 1000;
/** Agents answer requests within seconds. */
const QUIET_MS = 5000;
const STOP_MS = 1000;
const STOP_CHECK_MS = 20;
const UNREACHABLE = 'The broker cannot reach the other brokers.';
/** A client that sends faster than the others' mailboxes take is refused. */
const MOST_LEAVING = 1000;
const NOT_CONNECTED = 'Not connected.';
const SLOW = 'The recipient reads too slowly.';
const MULTICAST = 'Multiple recipients no longer supported.';

/**
 * The PCP broker: connections by URI, and messages between them. It knows nothing of TLS and
 * WebSockets: whoever accepts connections calls `connect`, `receive` and `disconnect`.
 */
export class Broker implements NeighbourRequests {
  readonly counters = new BrokerCounters();
  readonly #options: BrokerOptions;
  readonly #sessions = new Map<string, Session>();
  readonly #controllers = new Map<string, Controller>();
  readonly #subscriptions = new Subscriptions();
  /** Called with the URI of each client that connects. */
  readonly #listeners: ((uri: string) => void)[] = [];
  /** Messages on their way to other brokers. */
  #leaving = 0;
  #isRunning = true;

  constructor(options: BrokerOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get connections(): number {
    return this.#sessions.size;
  }

  /**
   * Associates a connection with its URI, and drops an earlier connection of the same URI. Null
   * when it closes the connection instead.
   */
  connect(client: PcpClient): Session | null {
    const { identity, socket } = client;
    const { policy, clock, maxConnections, reservedPrefix } = this.#options;
    if (!this.#isRunning) return this.#refuse(client, CLOSE.notRunning);
    if (identity === null) return this.#refuse(client, CLOSE.anonymous);
    if (maxConnections > 0 && this.#sessions.size >= maxConnections) return this.#refuse(client, CLOSE.tooMany);
    const session = new Session({ ...client, socket }, identity, clock.now());
    const request = { type: PCP_TYPE.associateRequest, sender: session.uri, target: SERVER_URI };
    const isReserved = reservedPrefix !== undefined && session.uri.startsWith(reservedPrefix);
    const isTaken = client.type === 'server' || isReserved || this.#controllers.has(session.uri);
    if (isTaken || !policy.allows(identity, request)) return this.#refuse(client, CLOSE.refused);
    const earlier = this.#sessions.get(session.uri);
    if (earlier) {
      this.#drop(earlier);
      this.#noteChange(session.uri, -1);
    }
    this.#sessions.set(session.uri, session);
    this.#noteChange(session.uri, 1);
    this.counters.connects += 1;
    // The other brokers cannot reach a client that they do not know: it has to connect again.
    this.#options.neighbours?.arrive(session.uri).catch(() => session.socket.terminate());
    return session;
  }

  /** Handles a frame of a connection. Never throws for what a client sent. */
  receive(session: Session, frame: Buffer, isBinary: boolean): void {
    if (this.#sessions.get(session.uri) !== session) return;
    this.counters.received += 1;
    this.noteActivity(session);
    const message = this.#decode(session, frame, isBinary);
    if (message === null) return;
    const refusal = this.#judge(session, message);
    const isAssociation = message.target === SERVER_URI && message.type === PCP_TYPE.associateRequest;
    if (refusal !== null) {
      this.counters.refused += 1;
      if (isAssociation && refusal !== MULTICAST) this.#answerAssociation(session, message, refusal);
      else this.#sendError(session, refusal, message.id);
    } else if (message.target === SERVER_URI) this.#serve(session, message);
    else this.#deliver(session, message);
  }

  /** The client of a connection is there: any frame says so. */
  noteActivity(session: Session): void {
    session.activeAt = this.#options.clock.now();
  }

  /** The connection is gone. */
  disconnect(session: Session): void {
    this.#subscriptions.remove(session);
    if (this.#sessions.get(session.uri) !== session) return;
    this.#sessions.delete(session.uri);
    this.#noteChange(session.uri, -1);
    // If it fails, the place stays until a newer one replaces it, or this broker ends.
    this.#options.neighbours?.leave(session.uri).catch(() => {});
  }

  /**
   * Connects a service of this process. Rejects when that cannot be made known to other brokers.
   */
  async attach(controller: Controller): Promise<void> {
    this.#controllers.set(controller.uri, controller);
    await this.#options.neighbours?.arrive(controller.uri);
  }

  /**
   * Closes the oldest connections on which nothing happened for some seconds, so that no message on
   * its way is lost.
   */
  moveAway(count: number): void {
    const quietSince = this.#options.clock.now() - QUIET_MS;
    let left = count;
    for (const { activeAt, socket } of this.#sessions.values()) {
      if (left === 0) return;
      if (activeAt > quietSince || socket.bufferedAmount > 0) continue;
      socket.close(...CLOSE.moved);
      left -= 1;
    }
  }

  /** Calls `listener` with the URI of each client that connects from now on, to any broker. */
  onConnect(listener: (uri: string) => void): void {
    this.#listeners.push(listener);
  }

  /** Sends a controller's message. Null when its recipient, or the recipient's broker, has it. */
  async send(message: AddressedMessage): Promise<string | null> {
    if (this.deliverHere(message)) return null;
    if (this.#sessions.has(message.target)) return SLOW;
    const { neighbours } = this.#options;
    return neighbours === undefined ? NOT_CONNECTED : neighbours.deliver(message).catch(() => UNREACHABLE);
  }

  /** Lists the connected clients that match, also those of other brokers. */
  async listClients(matches: (uri: string) => boolean): Promise<readonly ConnectedClient[]> {
    const here = [...this.#sessions.values()].filter(({ uri }) => matches(uri));
    const elsewhere = (await this.#options.neighbours?.list(matches)) ?? [];
    return [
      ...here.map(({ uri, openedAt: since }) => ({ uri, since })),
      ...elsewhere.filter((uri) => !this.#sessions.has(uri)).map((uri) => ({ uri, since: null })),
    ];
  }

  /** Returns the clients among `uris` that are connected, here or to other brokers. */
  async findClients(uris: readonly string[]): Promise<readonly ConnectedClient[]> {
    const asked = [...new Set(uris)];
    const elsewhere = asked.filter((uri) => !this.#sessions.has(uri));
    const found = (await this.#options.neighbours?.find(elsewhere)) ?? [];
    return [
      ...asked.flatMap((uri) => {
        const session = this.#sessions.get(uri);
        return session === undefined ? [] : [{ uri, since: session.openedAt }];
      }),
      ...found.map((uri) => ({ uri, since: null })),
    ];
  }

  deliverHere(message: AddressedMessage): boolean {
    const controller = this.#controllers.get(message.target);
    if (controller !== undefined) {
      this.counters.delivered += 1;
      controller.receive(message);
      return true;
    }
    const recipient = this.#sessions.get(message.target);
    if (recipient === undefined || recipient.socket.bufferedAmount > MOST_BUFFERED) return false;
    this.counters.delivered += 1;
    recipient.socket.send(recipient.codec.encode(message), recipient.codec.isBinary);
    return true;
  }

  reportUndelivered(uri: string, description: string, messageId: string): void {
    const session = this.#sessions.get(uri);
    if (session) this.#sendError(session, description, messageId);
  }

  dropHere(uri: string): void {
    const session = this.#sessions.get(uri);
    if (session === undefined) return;
    this.#sessions.delete(uri);
    this.#drop(session);
  }

  noteChangeElsewhere(change: TimedChange): void {
    this.#subscriptions.noteChange(change);
    this.#notifyListeners(change);
  }

  /** Sends inventory updates and closes idle connections, once a second, until `signal` aborts. */
  async keepTime(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.#sendUpdates();
      this.#closeIdle();
      // A failure is reported by those who serve the neighbours; the next turn tries again.
      this.#options.neighbours?.watch(this.#hasSubscribers).catch(() => {});
      await this.#options.clock.sleep(TICK_MS, signal);
    }
  }

  /**
   * Closes the connections of now at a pace, so that not all clients come back at once. Sessions
   * for which `isFirst` is true go first, without a pause.
   */
  async closeAll(
    [code, reason]: readonly [number, string],
    pace: ClosingPace,
    signal?: AbortSignal,
    isFirst: (session: Session) => boolean = () => false,
  ): Promise<void> {
    const sessions = [...this.#sessions.values()];
    for (const session of sessions.filter(isFirst)) session.socket.close(code, reason);
    const close = (session: Session) => {
      const isOpen = this.#sessions.get(session.uri) === session;
      if (isOpen) session.socket.close(code, reason);
      return isOpen;
    };
    const others = sessions.filter((one) => !isFirst(one));
    await closeAtPace(others, pace, close, this.#options.clock, signal);
  }

  /**
   * Refuses new connections, and closes all connections at a pace, in `drainMs` at most. Meanwhile
   * the others get their messages. Clients that do not answer within a second are dropped.
   */
  async stop(drainMs = 0): Promise<void> {
    this.#isRunning = false;
    await this.closeAll(CLOSE.goingAway, paceOfDrain(this.#sessions.size, drainMs));
    for (let waited = 0; this.#sessions.size > 0 && waited < STOP_MS; waited += STOP_CHECK_MS) {
      await this.#options.clock.sleep(STOP_CHECK_MS);
    }
    for (const { socket } of this.#sessions.values()) socket.terminate();
  }

  #refuse({ socket }: PcpClient, [code, reason]: readonly [number, string]): null {
    this.counters.refusedConnections += 1;
    socket.close(code, reason);
    return null;
  }

  #drop(session: Session): void {
    this.counters.superseded += 1;
    this.#subscriptions.remove(session);
    session.socket.terminate();
  }

  #decode(session: Session, frame: Buffer, isBinary: boolean): AddressedMessage | null {
    try {
      const message = session.codec.decode(frame, isBinary);
      return { ...message, sender: message.sender ?? session.uri, target: message.target ?? SERVER_URI };
    } catch (error) {
      if (!(error instanceof UndecodableFrame)) throw error;
      this.counters.undecodable += 1;
      this.#sendError(session, 'Could not decode message', null);
      return null;
    }
  }

  get #hasSubscribers(): boolean {
    return this.#subscriptions.size > 0 || this.#listeners.length > 0;
  }

  #notifyListeners({ client, change }: TimedChange): void {
    if (change === 1) for (const listener of this.#listeners) listener(client);
  }

  #noteChange(client: string, change: 1 | -1): void {
    const timed = { client, change, at: this.#options.clock.now() };
    this.#subscriptions.noteChange(timed);
    this.#notifyListeners(timed);
    this.#options.neighbours?.noteChange(timed);
  }

  /** Why a message is refused; null when it is not. The order is part of the protocol. */
  #judge({ identity }: Session, message: AddressedMessage): string | null {
    if (splitPcpUri(message.sender).certname !== identity.certname) return 'Message not authenticated.';
    if (!this.#options.policy.allows(identity, message)) return 'Message not authorized.';
    return message.isMulticast ? MULTICAST : null;
  }

  #serve(session: Session, message: AddressedMessage): void {
    if (message.type === PCP_TYPE.associateRequest) {
      const isOwn = splitPcpUri(message.sender).type === session.type;
      this.#answerAssociation(session, message, isOwn ? null : 'Session already associated.');
    } else if (message.type === PCP_TYPE.inventoryRequest) this.#answerInventory(session, message);
    else this.counters.unhandled += 1;
  }

  #answerAssociation(session: Session, { id, sender }: AddressedMessage, reason: string | null): void {
    const data = reason === null ? { id, success: true } : { id, success: false, reason };
    const type = PCP_TYPE.associateResponse;
    this.#send(session, { type, sender: SERVER_URI, target: sender, inReplyTo: id, data: encodeData(data) });
    if (reason !== null) session.socket.close(...CLOSE.refused);
  }

  #answerInventory(session: Session, message: AddressedMessage): void {
    const request = readInventoryRequest(message.data);
    if (request === null) {
      this.#sendError(session, INVALID_INVENTORY_REQUEST, message.id);
      return;
    }
    const matches = compilePcpPatterns(request.query);
    if (request.subscribe) this.#subscriptions.add(session, matches, this.#options.clock.now());
    else this.#subscriptions.remove(session);
    // An answer goes to the connection that its target names, and only if that one asked.
    if (message.sender !== session.uri) return;
    const { neighbours } = this.#options;
    if (neighbours === undefined) this.#sendInventory(session, message.id, matches, []);
    else {
      const listed = neighbours.watch(this.#hasSubscribers).then(() => neighbours.list(matches));
      listed.then(
        (others) => this.#sendInventory(session, message.id, matches, others),
        () => this.#sendError(session, UNREACHABLE, message.id),
      );
    }
  }

  #sendInventory(
    session: Session,
    inReplyTo: string,
    matches: (uri: string) => boolean,
    others: readonly string[],
  ): void {
    const uris = [...new Set([...[...this.#sessions.keys()].filter(matches), ...others])].sort();
    const type = PCP_TYPE.inventoryResponse;
    this.#send(session, { type, target: session.uri, inReplyTo, data: encodeData({ uris }) });
    this.#subscriptions.noteAnswer(session);
  }

  #sendUpdates(): void {
    for (const { session, changes } of this.#subscriptions.takeUpdates()) {
      this.#send(session, { type: PCP_TYPE.inventoryUpdate, target: session.uri, data: encodeData({ changes }) });
    }
  }

  #deliver(session: Session, message: AddressedMessage): void {
    if (this.deliverHere(message)) return;
    if (this.#sessions.has(message.target)) this.#sendError(session, SLOW, message.id);
    else this.#deliverElsewhere(session, message);
  }

  #deliverElsewhere(session: Session, message: AddressedMessage): void {
    const { neighbours } = this.#options;
    if (neighbours === undefined) this.#sendError(session, NOT_CONNECTED, message.id);
    else if (this.#leaving >= MOST_LEAVING) this.#sendError(session, 'The broker is busy.', message.id);
    else {
      this.#leaving += 1;
      const finish = (reason: string | null) => {
        this.#leaving -= 1;
        if (reason !== null) this.#sendError(session, reason, message.id);
      };
      neighbours.deliver(message).then(finish, () => finish(UNREACHABLE));
    }
  }

  #sendError(session: Session, description: string, inReplyTo: string | null): void {
    this.#send(session, { type: PCP_TYPE.error, inReplyTo, data: encodeData(description) });
  }

  /** Sends a message of the broker's own. A client that does not read its answers is dropped. */
  #send(session: Session, message: Pick<PcpMessage, 'type' | 'data'> & Partial<PcpMessage>): void {
    if (session.socket.bufferedAmount > MOST_BUFFERED) {
      session.socket.terminate();
      return;
    }
    const own = { sender: null, target: null, inReplyTo: null, isMulticast: false };
    const id = makeMessageId(this.#options.clock.random);
    session.socket.send(session.codec.encode({ ...own, id, ...message }), session.codec.isBinary);
  }

  #closeIdle(): void {
    const { clock, idleTimeoutMs } = this.#options;
    const oldest = clock.now() - idleTimeoutMs;
    for (const { activeAt, socket } of this.#sessions.values()) if (activeAt < oldest) socket.close(...CLOSE.idle);
  }
}
