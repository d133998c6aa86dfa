import { MachineryFault } from '../errors/machinery-fault.ts';
import { PuppetError } from '../errors/puppet-error.ts';
import { RubyError, type RubyErrorTraits } from '../errors/ruby-error.ts';
import { BreakSignal, Jump } from '../evaluator/control-flow.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { hasEffects } from './calls.ts';
import { ChannelBroken, ChannelFaulty, TimeBudget, TimeLimitExceeded } from './channel.ts';
import { WireError } from './object-table.ts';
import { rubyClassOf } from './ruby-errors.ts';
import { parseFrame, printFrame } from './wire.ts';
import type { CallableBlock } from './wire-answers.ts';

/** A connection to a running Ruby. */
export interface RubyConnection {
  send(frame: string, budget: TimeBudget): void;
  receive(budget: TimeBudget): string;
  /**
   * Restores the last saved state before the next frame, in the same message, which saves two
   * changes of threads; absent where each control frame is confirmed.
   */
  joinBack?(): void;
  /** Kilobytes of memory that Ruby holds; 0 when unknown. */
  readonly memoryKilobytes: number;
  /** Milliseconds that Ruby has waited for a processor since it began; 0 when unknown. */
  readonly processorWaitMs: number;
  /** Ends Ruby immediately. */
  end(): void;
}

/** Answers a callback with JSON. It receives the parsed frame and its text. */
export type Responder = (call: PuppetHash, text: string) => string;

/** Ruby ended unexpectedly or broke the protocol, not because of a time limit or module code. */
export class RubyEnded extends Error {
  readonly session: RubySession;

  constructor(session: RubySession, reason: string) {
    super(`Ruby was stopped in ${session.name}: ${reason}`);
    this.name = 'RubyEnded';
    this.session = session;
  }
}

/**
 * One request with all its callbacks. They share the time limit, the object numbers and the
 * outcome.
 */
export class RubySession {
  readonly name: string;
  readonly blocks: CallableBlock[] = [];
  /** Whether Ruby changed the compile, or had its code run. */
  hadEffects = false;
  isBroken = false;
  readonly #connection: RubyConnection;
  readonly #budget: TimeBudget;
  readonly #timeLimitMs: number;
  #open = 0;
  readonly #exceptions: unknown[] = [];
  /**
   * Errors of callbacks that are not errors of Puppet code. A `rescue` in Ruby must not hide them.
   */
  readonly #insistent: unknown[] = [];

  /** `name`: the code that runs, for messages. */
  constructor(connection: RubyConnection, name: string, timeLimitMs: number) {
    this.#connection = connection;
    this.name = name;
    this.#budget = new TimeBudget(timeLimitMs, () => connection.processorWaitMs);
    this.#timeLimitMs = timeLimitMs;
  }

  /**
   * Sends a request, answers Ruby's callbacks, and returns the reply. Throws RubyError, RubyEnded,
   * MachineryFault, and errors of callbacks.
   */
  exchange(request: string, respond: Responder): Value {
    this.#open += 1;
    try {
      return this.#exchange(request, respond);
    } finally {
      this.#open -= 1;
    }
  }

  /** Whether a request is in progress, so that Ruby still has the values passed before. */
  get isAsking(): boolean {
    return this.#open > 0;
  }

  #exchange(request: string, respond: Responder): Value {
    let { frame, text } = this.#talk(request);
    for (;;) {
      if (!frame.has('call')) noteTaken(listTaken(frame), respond);
      // The error leaves Ruby here and is rethrown to the caller.
      if (this.#insistent.length > 0 && !frame.has('call')) throw this.#insistent.splice(0)[0];
      if (frame.has('ret')) return frame.get('ret') ?? null;
      const error = frame.get('err');
      if (error instanceof PuppetHash) throw this.#toError(error);
      if (!frame.has('call')) throw this.#toEndedError('it sent what is no answer');
      ({ frame, text } = this.#talk(this.#answer(frame, text, respond)));
    }
  }

  /** Lets Ruby save its state or restore one. */
  control(command: string): void {
    const { frame } = this.#talk(command);
    if (!frame.has('kept')) throw this.#toEndedError('it sent what is no answer');
  }

  #answer(call: PuppetHash, text: string, respond: Responder): string {
    if (hasEffects(call)) this.hadEffects = true;
    try {
      noteTaken(listTaken(call), respond);
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
          class: JSON.stringify(rubyClassOf(error)),
          original: String(original),
        }),
      });
    }
  }

  /** Sends a frame and waits for the next. Any failure here ends this Ruby. */
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
   * Returns the error that the failed request throws: our own exception that passed through Ruby,
   * or Ruby's exception.
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
      frames: readFrames(error.get('frames')),
    });
  }
}

/** Returns the files of earlier compiles that Ruby ran since its last frame without a question. */
function listTaken(frame: PuppetHash): readonly Value[] {
  const taken = frame.get('taken');
  return Array.isArray(taken) ? taken : [];
}

/** Records files that Ruby ran, as if it had asked for each. */
export function noteTaken(paths: readonly Value[], respond: Responder): void {
  for (const path of paths) respond(PuppetHash.of([...CODE_CALL, ['path', path]]), '');
}

const CODE_CALL: readonly (readonly [string, string])[] = [['call', 'code']];

function readFrames(frames: Value | undefined): readonly string[] {
  return Array.isArray(frames) ? frames.filter((one) => typeof one === 'string') : [];
}

/** Creates the error of code that was stopped. */
export function toStoppedError(message: string): RubyError {
  return new RubyError('RubyBroken', message, { file: null, line: null });
}

/** Returns how the error reaches Ruby code: as an exception of its class, or as a jump. */
function kindOf(error: unknown): string {
  if (error instanceof BreakSignal) return 'stop';
  return !isCatchable(error) || error instanceof Jump ? 'jump' : 'raised';
}

/**
 * Whether module code may rescue the error: errors of Puppet and Ruby code, and jumps out of a
 * lambda.
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
