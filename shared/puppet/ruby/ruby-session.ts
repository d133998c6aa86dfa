import { MachineryFault } from '../errors/machinery-fault.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { BreakSignal, Jump } from '../evaluator/control-flow.ts';
import { RubyError, type RubyErrorTraits } from '../evaluator/ruby-port.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import type { CallableBlock } from './calls.ts';
import { ChannelBroken, ChannelFaulty, TimeBudget, TimeLimitExceeded } from './channel.ts';
import { WireError } from './object-table.ts';
import { parseFrame, printFrame } from './wire.ts';

/** A running Ruby. */
export interface RubyConnection {
  send(frame: string, budget: TimeBudget): void;
  receive(budget: TimeBudget): string;
  /** Kilobytes of memory that Ruby holds; 0 when unknown. */
  readonly memoryKilobytes: number;
  /** Ends it at once, whatever it does. */
  end(): void;
}

/** Answers a call of Ruby's, given as it was parsed and as it came, with JSON. */
export type Responder = (call: PuppetHash, text: string) => string;

/**
 * Ruby ended by itself or spoke nonsense. With the time limit and with code of modules it has
 * nothing to do.
 */
export class RubyEnded extends Error {
  readonly session: RubySession;

  constructor(session: RubySession, reason: string) {
    super(`Ruby was stopped in ${session.name}: ${reason}`);
    this.name = 'RubyEnded';
    this.session = session;
  }
}

/** Calls after which a request is not repeated: the compile is no longer as it was. */
export const EFFECTS: ReadonlySet<string> = new Set([
  'block',
  'change',
  'function',
  'log',
  'method',
  'remove',
  'setvar',
]);

/**
 * One request of the compiler and all that is asked meanwhile: it shares time, numbers and fate.
 */
export class RubySession {
  readonly name: string;
  readonly blocks: CallableBlock[] = [];
  /** Whether Ruby changed something in the compile, or had code of it run. */
  hadEffects = false;
  isBroken = false;
  readonly #connection: RubyConnection;
  readonly #budget: TimeBudget;
  readonly #timeLimitMs: number;
  #open = 0;
  readonly #exceptions: unknown[] = [];
  /**
   * What was thrown by a call back and is no error of Puppet code: no `rescue` of Ruby's may hide
   * it.
   */
  readonly #insistent: unknown[] = [];

  /** `name`: what runs, for messages. */
  constructor(connection: RubyConnection, name: string, timeLimitMs: number) {
    this.#connection = connection;
    this.name = name;
    this.#budget = new TimeBudget(timeLimitMs);
    this.#timeLimitMs = timeLimitMs;
  }

  /**
   * Sends a request, answers what Ruby asks, and returns the reply. Throws RubyError, RubyEnded,
   * MachineryFault, and what calls back threw.
   */
  exchange(request: string, respond: Responder): Value {
    this.#open += 1;
    try {
      return this.#exchange(request, respond);
    } finally {
      this.#open -= 1;
    }
  }

  /** Whether a request is under way: Ruby knows what it was given before. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  #exchange(request: string, respond: Responder): Value {
    let { frame, text } = this.#talk(request);
    for (;;) {
      // It leaves Ruby here: what comes of it is for those who asked.
      if (this.#insistent.length > 0 && !frame.has('call')) throw this.#insistent.splice(0)[0];
      if (frame.has('ret')) return frame.get('ret') ?? null;
      const error = frame.get('err');
      if (error instanceof PuppetHash) throw this.#toError(error);
      if (!frame.has('call')) throw this.#toEndedError('it sent what is no answer');
      ({ frame, text } = this.#talk(this.#answer(frame, text, respond)));
    }
  }

  /** Has Ruby keep its state or go back to one. */
  control(command: string): void {
    const { frame } = this.#talk(command);
    if (!frame.has('kept')) throw this.#toEndedError('it sent what is no answer');
  }

  #answer(call: PuppetHash, text: string, respond: Responder): string {
    if (EFFECTS.has(String(call.get('call'))) || call.has('changed')) this.hadEffects = true;
    try {
      return `{"ret":${respond(call, text)}}`;
    } catch (error) {
      if (this.isBroken) throw error;
      const message =
        error instanceof Error ? error.message : error instanceof Jump ? error.toIllegalJumpError().basic : 'a jump';
      if (!isCatchable(error)) this.#insistent.push(error);
      const original = this.#exceptions.push(error) - 1;
      return printFrame({
        err: printFrame({
          message: JSON.stringify(message),
          kind: JSON.stringify(kindOf(error)),
          original: String(original),
        }),
      });
    }
  }

  /** Sends a frame and waits for the next. Whatever goes wrong here ends this Ruby. */
  #talk(request: string): { readonly frame: PuppetHash; readonly text: string } {
    if (this.isBroken) throw new RubyEnded(this, 'Ruby has ended');
    try {
      this.#connection.send(request, this.#budget);
      const text = this.#connection.receive(this.#budget);
      return { frame: parseFrame(text), text };
    } catch (error) {
      this.isBroken = true;
      if (error instanceof TimeLimitExceeded) {
        throw toStoppedError(`Ruby was stopped in ${this.name}: it took more than ${this.#timeLimitMs} milliseconds`);
      }
      if (error instanceof ChannelFaulty)
        throw new MachineryFault(`Ruby was stopped in ${this.name}: ${error.message}`);
      if (error instanceof ChannelBroken || error instanceof WireError) throw this.#toEndedError(error.message);
      throw error;
    }
  }

  #toEndedError(reason: string): RubyEnded {
    this.isBroken = true;
    return new RubyEnded(this, reason);
  }

  /**
   * What the failed request throws: the exception of ours that crossed Ruby, or what Ruby raised.
   */
  #toError(error: PuppetHash): unknown {
    const original = error.get('original');
    if (typeof original === 'bigint' && Number(original) in this.#exceptions) return this.#exceptions[Number(original)];
    const file = error.get('file');
    const line = error.get('line');
    const rubyClass = String(error.get('class') ?? 'StandardError');
    if (rubyClass === 'NoMemoryError')
      return toStoppedError(`Ruby was stopped in ${this.name}: it needs more memory than it may have`);
    const place = {
      file: typeof file === 'string' ? file : null,
      line: typeof line === 'bigint' ? Number(line) : null,
    };
    return new RubyError(rubyClass, String(error.get('message') ?? ''), place, undefined, {
      isPuppets: error.get('puppet') === true,
      isBare: error.get('bare') === true,
      given: readGivenPlace(error.get('place')),
    });
  }
}

/** The failure of code that was ended, as an error of that code. */
export function toStoppedError(message: string): RubyError {
  return new RubyError('RubyBroken', message, { file: null, line: null });
}

/** By which class Ruby code knows it: errors that have a place already are of another one. */
function kindOf(error: unknown): string {
  if (error instanceof BreakSignal) return 'stop';
  if (error instanceof Jump) return 'jump';
  return error instanceof PuppetError && error.location.line !== undefined ? 'placed' : 'raised';
}

/**
 * Whether code of modules may rescue it: errors of Puppet and Ruby code, and jumps out of a lambda.
 */
function isCatchable(error: unknown): boolean {
  return error instanceof PuppetError || error instanceof RubyError || error instanceof Jump;
}

function readGivenPlace(place: Value | undefined): RubyErrorTraits['given'] {
  if (!Array.isArray(place)) return null;
  const [file, line, pos, basic]: readonly Value[] = place;
  return {
    basic: String(basic),
    file: typeof file === 'string' ? file : undefined,
    line: typeof line === 'bigint' ? Number(line) : undefined,
    pos: typeof pos === 'bigint' ? Number(pos) : undefined,
  };
}
