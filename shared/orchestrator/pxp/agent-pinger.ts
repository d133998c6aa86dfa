import type { Clock } from '../../store/ports/clock.ts';
import { inParallel } from '../../util/in-parallel.ts';
import type { PxpAnswer, PxpGateway } from './pxp-gateway.ts';
import { makeTransactionId } from './transaction-id.ts';

/** Result of the ping of an agent. */
export interface Ping {
  readonly name: string;
  /** Until its answer; null without one. */
  readonly milliseconds: number | null;
  /** Why there is none; null when there is one. */
  readonly reason: string | null;
}

const PINGS_AT_ONCE = 250;
const TIMEOUT_MS = 5000;

/** Pings agents. A ping goes through the agent, not only to its connection. */
export class AgentPinger {
  readonly #gateway: PxpGateway;
  readonly #clock: Clock;
  readonly #waiting = new Map<string, { readonly name: string; readonly answer: () => void }>();
  #count = 0;

  constructor(gateway: PxpGateway, clock: Clock) {
    this.#gateway = gateway;
    this.#clock = clock;
    gateway.listen((answer) => this.#take(answer));
  }

  /** Pings agents, 250 at a time; each has five seconds to answer. */
  ping(names: readonly string[]): Promise<readonly Ping[]> {
    return inParallel(PINGS_AT_ONCE, names, (name) => this.#ping(name));
  }

  async #ping(name: string): Promise<Ping> {
    this.#count += 1;
    const began = this.#clock.now();
    const transactionId = makeTransactionId('ping', name, began, this.#count, this.#clock.random());
    const waiting = new AbortController();
    const answered = new Promise<number>((resolve) => {
      this.#waiting.set(transactionId, { name, answer: () => resolve(this.#clock.now() - began) });
    });
    try {
      const request = { transactionId, module: 'ping', action: 'ping', params: {}, isBlocking: true };
      const reason = await this.#gateway.request(name, request);
      if (reason !== null) return { name, milliseconds: null, reason };
      const silence = this.#clock.sleep(TIMEOUT_MS, waiting.signal).then(() => null);
      const milliseconds = await Promise.race([answered, silence]);
      if (milliseconds !== null) return { name, milliseconds, reason: null };
      return { name, milliseconds: null, reason: `No answer within ${TIMEOUT_MS / 1000} seconds.` };
    } finally {
      waiting.abort();
      this.#waiting.delete(transactionId);
    }
  }

  /** A refusal, too, shows that the agent is there. Only the node itself can answer for it. */
  #take({ certname, transactionId, content }: PxpAnswer): void {
    const waiting = this.#waiting.get(transactionId);
    if (waiting?.name === certname && content.kind !== 'accepted') waiting.answer();
  }
}
