import { BACK, BASE, ChannelBroken, HOLD, TimeBudget } from './channel.ts';
import type { RubyConnection } from './ruby-session.ts';

/** A frame for Ruby and Ruby's answer to it, after the exchanges that led there. */
class Exchange {
  readonly request: string;
  readonly reply: string;
  /** The exchanges that followed in earlier compiles, by request. */
  readonly next = new Map<string, Exchange>();

  constructor(request: string, reply: string) {
    this.request = request;
    this.reply = reply;
  }
}

/** Characters of all exchanges in memory, beyond which they are forgotten. */
const MOST_CHARACTERS = 4_000_000;
/** Time for each exchange that Ruby makes up for. It took less when it was new. */
const CATCH_UP_MS = 60_000;

/** A deterministic Ruby: after one saved state, the same frames get the same answers. */
export interface DeterministicRuby extends RubyConnection {
  joinBack(): void;
  /** The number of times that Ruby drew random bytes, which are its only source of chance. */
  readonly randomDraws: number;
}

/**
 * A connection that answers from memory what a deterministic Ruby answered before. Exchanges since
 * the saved state are kept as a tree. A compile that makes the same requests in the same order, and
 * answers Ruby's questions alike, needs no Ruby. At the first new frame, Ruby makes the exchanges
 * so far up for, and goes on itself.
 *
 * A call of a module's function costs 30 µs instead of 0.2 to 5 ms when it is repeated. Without
 * this class (`connect` in wasm-host.ts), Ruby answers each frame.
 */
export class ReplayingConnection implements RubyConnection {
  readonly #ruby: DeterministicRuby;
  readonly #limit: number;
  /** The state that BACK restores. */
  #saved = new Exchange('', '');
  /** The exchanges since then. */
  #path: Exchange[] = [];
  /** The number of them that Ruby has made. */
  #made = 0;
  /** Whether Ruby has to restore the saved state first. */
  #isAstray = false;
  #characters = 0;
  #draws = 0;
  /** The answer to the last frame; null when Ruby gives it. */
  #reply: string | null = null;
  /** The last frame, if its answer is to be kept. */
  #request: string | null = null;

  /** `limit`: characters of all kept exchanges; by default 4 million. */
  constructor(ruby: DeterministicRuby, limit = MOST_CHARACTERS) {
    this.#ruby = ruby;
    this.#limit = limit;
  }

  send(frame: string, budget: TimeBudget): void {
    if (frame === BACK) {
      this.joinBack();
      this.#reply = KEPT;
      return;
    }
    const known = this.#last.next.get(frame);
    if (known) {
      this.#path.push(known);
      this.#reply = known.reply;
      return;
    }
    const isControl = frame === HOLD || frame === BASE;
    if (frame !== BASE) this.#catchUp();
    this.#ruby.send(frame, budget);
    if (isControl) this.#save(frame);
    else this.#request = frame;
  }

  receive(budget: TimeBudget): string {
    const known = this.#reply;
    this.#reply = null;
    if (known !== null) return known;
    const reply = this.#ruby.receive(budget);
    if (this.#request !== null) this.#note(this.#request, reply);
    this.#request = null;
    return reply;
  }

  joinBack(): void {
    this.#isAstray ||= this.#made > 0;
    this.#path = [];
    this.#made = 0;
  }

  get memoryKilobytes(): number {
    return this.#ruby.memoryKilobytes;
  }

  get processorWaitMs(): number {
    return this.#ruby.processorWaitMs;
  }

  end(): void {
    this.#ruby.end();
  }

  get #last(): Exchange {
    return this.#path.at(-1) ?? this.#saved;
  }

  /** Makes the present state the saved one. Nothing is known of what follows it. */
  #save(frame: typeof HOLD | typeof BASE): void {
    this.#saved = new Exchange('', '');
    this.#path = [];
    this.#made = 0;
    // A restore also sets back what is no memory of Ruby: its clock, and its open files.
    this.#isAstray = frame === HOLD;
    this.#characters = 0;
  }

  /** Exchanges that follow a random number are in no tree that later compiles see. */
  #note(request: string, reply: string): void {
    const made = new Exchange(request, reply);
    const { randomDraws } = this.#ruby;
    if (randomDraws === this.#draws && !reply.startsWith(VOLATILE)) {
      this.#characters += request.length + reply.length;
      if (this.#characters > this.#limit) {
        this.#characters = 0;
        this.#saved.next.clear();
      }
      this.#last.next.set(request, made);
    }
    this.#draws = randomDraws;
    this.#path.push(made);
    this.#made = this.#path.length;
  }

  #catchUp(): void {
    if (this.#isAstray) this.#ruby.joinBack();
    this.#isAstray = false;
    for (const { request, reply } of this.#path.slice(this.#made)) {
      const budget = new TimeBudget(CATCH_UP_MS, () => this.#ruby.processorWaitMs);
      this.#ruby.send(request, budget);
      if (this.#ruby.receive(budget) !== reply) throw new ChannelBroken('it answers otherwise than before');
    }
    this.#made = this.#path.length;
  }
}

const KEPT = '{"kept":true}';
const VOLATILE = '{"call":"volatile"';
