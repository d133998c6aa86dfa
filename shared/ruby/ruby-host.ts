/** The port to Ruby over a connection: keeps the stack of requests and calls back, whatever thread or process runs Ruby. */
import { PuppetError } from '../errors/puppet-error.ts';
import { Jump } from '../evaluator/control-flow.ts';
import { PuppetHash } from '../types/puppet-hash.ts';
import type { Value } from '../types/values.ts';
import { answerCall, type CallContext, type RubyBlock } from './calls.ts';
import { ChannelBroken, TimeBudget, TimeLimitExceeded } from './channel.ts';
import {
  type LegacyFunctionDescription,
  type RubyCallbacks,
  RubyError,
  type RubyFunctionDescription,
  type RubyPort,
  type RubySource,
  type RubyTypeDescription,
} from './port.ts';
import { readDescription, readLegacyDescription, readTypeDescription } from './read-descriptions.ts';
import { ObjectTable, parseFrame, printArray, printFrame, readValue, WireError, type WireReaders } from './wire.ts';

/** A running Ruby. */
export interface RubyConnection {
  send(frame: string, budget: TimeBudget): void;
  receive(budget: TimeBudget): string;
  /** Kilobytes of memory that Ruby holds; 0 when unknown. */
  readonly memoryKilobytes: number;
  /** Ends it at once, whatever it does. */
  end(): void;
}

export interface RubyHostOptions {
  /** Starts a Ruby; it may still be on its way when this returns. */
  connect(): RubyConnection;
  /** Milliseconds that Ruby may work on one request of the compiler, without what its calls back take. */
  readonly timeLimitMs: number;
  /** Kilobytes beyond which Ruby is started anew before the next request. */
  readonly memoryKilobytes: number;
  readonly readers?: WireReaders;
}

/** Milliseconds for the start of Ruby, on top of the time limit of the request that starts it. */
const START_TIME_MS = 20_000;

type Block = ((args: readonly Value[]) => Value) | null;

/** One request of the compiler and all that is asked meanwhile: it shares time, numbers and fate. */
interface Session {
  readonly connection: RubyConnection;
  readonly budget: TimeBudget;
  readonly blocks: RubyBlock[];
  readonly exceptions: unknown[];
  readonly name: string;
  /** What was thrown by a call back and is no error of Puppet code: no `rescue` of Ruby's may hide it. */
  readonly insistent: unknown[];
}

/**
 * Ruby, started by the first request. When it breaks (a trap, its memory, the time limit), the request fails with a RubyError that
 * names it, and the next request starts a new Ruby that is told again what it has to know.
 */
export class RubyHost implements RubyPort {
  readonly #options: RubyHostOptions;
  readonly #objects = new ObjectTable();
  readonly #functions = new Map<string, { op: 'describe' | 'describe3'; name: string; source: RubySource }>();
  #told = new Set<string>();
  #connection: RubyConnection | null = null;
  #session: Session | null = null;

  constructor(options: RubyHostOptions) {
    this.#options = options;
  }

  describeFunction(name: string, source: RubySource, callbacks: RubyCallbacks | null = null): RubyFunctionDescription {
    const description = readDescription(this.#describe('describe', name, source, callbacks));
    this.#remember(`4:${description.name}`, 'describe', name, source);
    return description;
  }

  describeLegacyFunction(
    name: string,
    source: RubySource,
    callbacks: RubyCallbacks | null = null,
  ): LegacyFunctionDescription {
    const description = readLegacyDescription(this.#describe('describe3', name, source, callbacks));
    this.#remember(`3:${description.name}`, 'describe3', name, source);
    return description;
  }

  callFunction(
    description: RubyFunctionDescription,
    method: string,
    args: readonly Value[],
    block: Block,
    callbacks: RubyCallbacks,
  ): Value {
    const { name } = description;
    return this.#run(name, (session) => {
      this.#tell(session, `4:${name}`, callbacks);
      const blockId = block ? session.blocks.push({ run: block }) - 1 : null;
      return this.#request(session, callbacks, {
        op: '"call"',
        name: JSON.stringify(name),
        method: JSON.stringify(method),
        args: printArray(args, this.#objects),
        block: String(blockId),
      });
    });
  }

  callLegacyFunction(name: string, args: readonly Value[], callbacks: RubyCallbacks): Value {
    return this.#run(name, (session) => {
      this.#tell(session, `3:${name}`, callbacks);
      const fields = { op: '"call3"', name: JSON.stringify(name), args: printArray(args, this.#objects) };
      return this.#request(session, callbacks, fields);
    });
  }

  renderTemplate(template: RubySource, callbacks: RubyCallbacks): string {
    const text = this.#run(template.path, (session) =>
      this.#request(session, callbacks, {
        op: '"erb"',
        path: JSON.stringify(template.path),
        source: JSON.stringify(template.text),
      }),
    );
    if (typeof text === 'string') return text;
    throw new RubyError('EncodingError', 'the template gave what is no valid UTF-8', {
      file: template.path,
      line: null,
    });
  }

  checkTemplate({ path, text }: RubySource): void {
    const fields = { op: '"check_erb"', path: JSON.stringify(path), source: JSON.stringify(text) };
    this.#run(path, (session) => this.#request(session, null, fields));
  }

  describeType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyTypeDescription {
    return readTypeDescription(this.#describe('describe_type', name, source, callbacks));
  }

  forget(): void {
    this.#functions.clear();
    this.#told.clear();
    if (!this.#connection) return;
    this.#run('forget', (session) => this.#request(session, null, { op: '"forget"' }));
  }

  /** Ends Ruby; a later request starts it again. */
  close(): void {
    this.#connection?.end();
    this.#connection = null;
    this.#told = new Set();
  }

  #describe(
    op: 'describe' | 'describe3' | 'describe_type',
    name: string,
    source: RubySource,
    callbacks: RubyCallbacks | null,
  ): Value {
    return this.#run(name, (session) => this.#request(session, callbacks, describeFields(op, name, source)));
  }

  #remember(key: string, op: 'describe' | 'describe3', name: string, source: RubySource): void {
    this.#functions.set(key, { op, name, source });
    this.#told.add(key);
  }

  /** A Ruby that was started anew knows nothing of functions that were described to the last one. */
  #tell(session: Session, key: string, callbacks: RubyCallbacks): void {
    const known = this.#functions.get(key);
    if (!known || this.#told.has(key)) return;
    this.#request(session, callbacks, describeFields(known.op, known.name, known.source));
    this.#told.add(key);
  }

  /** Runs requests, within the session that is under way or one of their own. */
  #run(name: string, work: (session: Session) => Value): Value {
    const outer = this.#session;
    if (outer) {
      if (outer.connection === this.#connection) return work(outer);
      throw new RubyError('RubyBroken', `Ruby ended while it worked on ${outer.name}`, { file: null, line: null });
    }
    const session = this.#begin(name);
    this.#session = session;
    try {
      return work(session);
    } finally {
      this.#session = null;
      this.#objects.clear();
    }
  }

  #begin(name: string): Session {
    const { timeLimitMs, memoryKilobytes } = this.#options;
    if (this.#connection && this.#connection.memoryKilobytes > memoryKilobytes) this.close();
    const isRunning = this.#connection !== null;
    this.#connection ??= this.#options.connect();
    const connection = this.#connection;
    if (!isRunning) this.#start(connection, name);
    return { connection, budget: new TimeBudget(timeLimitMs), blocks: [], exceptions: [], insistent: [], name };
  }

  #start(connection: RubyConnection, name: string): void {
    const session = {
      connection,
      budget: new TimeBudget(START_TIME_MS),
      blocks: [],
      exceptions: [],
      insistent: [],
      name,
    };
    this.#request(session, null, { op: '"ping"' });
  }

  #request(session: Session, callbacks: RubyCallbacks | null, fields: Readonly<Record<string, string>>): Value {
    return this.#exchange(session, callbacks, printFrame(fields));
  }

  /** Sends a request, answers what Ruby asks, and returns the reply. */
  #exchange(session: Session, callbacks: RubyCallbacks | null, request: string): Value {
    let frame = this.#talk(session, request);
    for (;;) {
      if (session.insistent.length > 0 && !frame.has('call')) throw session.insistent[0];
      if (frame.has('ret')) return this.#read(frame.get('ret') ?? null);
      const error = frame.get('err');
      if (error instanceof PuppetHash) throw toError(error, session);
      frame = this.#talk(session, this.#answer(session, callbacks, frame));
    }
  }

  #answer(session: Session, callbacks: RubyCallbacks | null, call: PuppetHash): string {
    const context: CallContext = {
      objects: this.#objects,
      read: (value) => this.#read(value),
      blocks: session.blocks,
      rubyBlock: (id) => (args) =>
        this.#exchange(session, callbacks, printFrame({ op: '"block"', id, args: printArray(args, this.#objects) })),
    };
    try {
      return `{"ret":${answerCall(call, callbacks, context)}}`;
    } catch (error) {
      if (session.connection !== this.#connection) throw error;
      const message = error instanceof Error ? error.message : 'a jump';
      if (!isCatchable(error)) session.insistent.push(error);
      const original = session.exceptions.push(error) - 1;
      return printFrame({ err: printFrame({ message: JSON.stringify(message), original: String(original) }) });
    }
  }

  #read(json: Value): Value {
    return readValue(json, this.#objects, this.#options.readers);
  }

  /** Sends a frame and waits for the next. Whatever goes wrong here ends this Ruby. */
  #talk(session: Session, frame: string): PuppetHash {
    if (session.connection !== this.#connection) throw this.#broken(session, 'Ruby has ended');
    try {
      session.connection.send(frame, session.budget);
      return parseFrame(session.connection.receive(session.budget));
    } catch (error) {
      this.close();
      if (error instanceof TimeLimitExceeded) throw this.#broken(session, this.#timeOut());
      if (error instanceof ChannelBroken || error instanceof WireError) throw this.#broken(session, error.message);
      throw error;
    }
  }

  #timeOut(): string {
    return `it took more than ${this.#options.timeLimitMs} milliseconds`;
  }

  #broken(session: Session, reason: string): RubyError {
    return new RubyError('RubyBroken', `Ruby was stopped in ${session.name}: ${reason}`, { file: null, line: null });
  }
}

/** Whether code of modules may rescue it: errors of Puppet and Ruby code, and jumps out of a lambda. */
function isCatchable(error: unknown): boolean {
  return error instanceof PuppetError || error instanceof RubyError || error instanceof Jump;
}

function describeFields(op: string, name: string, source: RubySource): Readonly<Record<string, string>> {
  return {
    op: JSON.stringify(op),
    name: JSON.stringify(name),
    path: JSON.stringify(source.path),
    source: JSON.stringify(source.text),
  };
}

/** What the failed request throws: the exception of ours that crossed Ruby, or what Ruby raised. */
function toError(error: PuppetHash, session: Session): unknown {
  const original = error.get('original');
  if (typeof original === 'bigint' && Number(original) in session.exceptions) {
    return session.exceptions[Number(original)];
  }
  const file = error.get('file');
  const line = error.get('line');
  return new RubyError(String(error.get('class') ?? 'StandardError'), String(error.get('message') ?? ''), {
    file: typeof file === 'string' ? file : null,
    line: typeof line === 'bigint' ? Number(line) : null,
  });
}
