/**
 * The Ruby port over a connection. It schedules requests and tracks the module code that Ruby has
 * loaded, for any thread or process that runs Ruby.
 */

import { bytesOf } from '../../util/escaped-bytes.ts';
import { MachineryFault } from '../errors/machinery-fault.ts';
import { invariant } from '../errors/puppet-error.ts';
import { RubyError } from '../errors/ruby-error.ts';
import { isStackOverflow } from '../evaluator/report.ts';
import type { RubyCallbacks } from '../evaluator/ruby-callbacks.ts';
import type {
  LegacyFunctionDescription,
  PuppetBlock,
  ReplacedDefaults,
  RubyDataObjectState,
  RubyDataTypeDescription,
  RubyFunctionDescription,
  RubyPort,
  RubySource,
  RubyTypeDescription,
} from '../evaluator/ruby-port.ts';
import { isStringOrBytes } from '../types/matching.ts';
import type { BytesText } from '../types/values/bytes-text.ts';
import { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';
import { answerCall, hasEffects } from './calls.ts';
import { BACK, BASE, HOLD } from './channel.ts';
import { KeptAnswers } from './kept-answers.ts';
import { type LoadedCode, ModuleCode, type RecordedCall } from './module-code.ts';
import { fallBack } from './native/fallback.ts';
import { NativeFunctions } from './native/native-functions.ts';
import { NativeTemplates } from './native/native-templates.ts';
import { keyOfFunction, NativeWork } from './native/native-work.ts';
import { ObjectTable, WireError } from './object-table.ts';
import {
  readDataTypeDescription,
  readDescription,
  readLegacyDescription,
  readTypeDescription,
} from './read-descriptions.ts';
import {
  noteTaken,
  type Responder,
  type RubyConnection,
  RubyEnded,
  RubySession,
  toStoppedError,
} from './ruby-session.ts';
import { printArray, printFrame, printShared, printSharedArray, readValue, type WireReaders } from './wire.ts';
import type { CallContext } from './wire-answers.ts';

interface RubyHostOptions {
  /** Starts Ruby; the start may still be in progress on return. */
  connect(): RubyConnection;
  /** Time limit of Ruby for one request, in milliseconds, without the time of callbacks. */
  readonly timeLimitMs: number;
  /** Memory in kilobytes beyond which Ruby is ended after a compile or before a request. */
  readonly memoryKilobytes: number;
  readonly readers?: WireReaders;
  /**
   * Whether Ruby runs all templates and functions, also those that native code can run; default
   * false.
   */
  readonly rendersAll?: boolean;
  /**
   * Returns a random integer from 0 up to, but not including, `below`. Without it, code that draws
   * numbers runs in Ruby.
   */
  drawNumber?(below: number): number;
}

/**
 * Time limit in milliseconds for work outside requests: the start of Ruby, and loading known code
 * again.
 */
const START_TIME_MS = 20_000;

/**
 * To save a state costs 100 ms: Ruby collects its garbage three times before. So many compiles with
 * Ruby load what the saved state lacks, each what it calls, before one saves it for all to come.
 * Then the loads have cost about as much. Most processes in AWS, and those of a development
 * machine, end before.
 */
const COMPILES_BEFORE_HOLD = 16;

type Description = 'describe' | 'describe3' | 'describe_type' | 'describe_data_type';

/**
 * Ruby, started by the first request. Each compile finds Ruby in its initial state, apart from
 * loaded module code of the same environment. Changes and data of other compiles are gone.
 *
 * MachineryFault is thrown when Ruby does not start. A request that exceeds the limits of time or
 * memory fails with a RubyError that names it. When Ruby ends unexpectedly, the request is retried
 * once in a new Ruby. If the request already changed the compile, RubyEnded is thrown instead, and
 * the compile has to be run again.
 */
export class RubyHost implements RubyPort {
  readonly #options: RubyHostOptions;
  readonly #objects = new ObjectTable();
  readonly #kept = new KeptAnswers();
  readonly #code = new ModuleCode();
  /**
   * Keys of the code loaded in the running Ruby, and of the code in the state that it can restore.
   */
  #loaded = new Set<string>();
  #held: ReadonlySet<string> = new Set();
  /**
   * The restore that the running Ruby needs before the next request; null when its state is clean.
   */
  #due: typeof BACK | typeof BASE | null = null;
  #isUsed = false;
  /** Compiles since code was loaded that the saved state lacks. */
  #compilesWithNews = 0;
  #isPreparing = false;
  #connection: RubyConnection | null = null;
  #session: RubySession | null = null;
  readonly #native: NativeWork;
  readonly #nativeTemplates: NativeTemplates;
  readonly #nativeFunctions: NativeFunctions;
  /** Source files of functions that Ruby does not have, by description key. */
  readonly #nativeSources = new Map<string, RubySource>();
  /** Numbers of templates and of files that code requires, by path and text. */
  readonly #numbers = new Map<string, Map<string, number>>();
  #lastNumber = 0;
  /** Texts without a file count down, from the start in each compile. */
  #lastTextNumber = 0;

  constructor(options: RubyHostOptions) {
    this.#options = options;
    this.#native = new NativeWork(() => this.#session !== null, options.drawNumber);
    this.#nativeTemplates = new NativeTemplates(this.#native);
    this.#nativeFunctions = new NativeFunctions(this.#native);
  }

  beginCompile(codeId: string): void {
    // The previous compile was interrupted during a request or its preparation.
    if (this.#session || this.#isPreparing) this.#abandon();
    this.#objects.takeBack();
    this.#native.beginCompile();
    this.#nativeTemplates.beginCompile();
    this.#nativeFunctions.beginCompile();
    this.#nativeSources.clear();
    this.#kept.clear();
    const isOther = this.#code.begin(codeId);
    for (const path of this.#numbers.keys()) if (isOther || !path.startsWith('/')) this.#numbers.delete(path);
    this.#lastTextNumber = 0;
    if (this.#connection && this.#isUsed && this.#due !== BASE) this.#due = isOther ? BASE : BACK;
  }

  endCompile(): void {
    const isBusy = this.#session !== null || this.#isPreparing;
    if (!isBusy && this.#needsTooMuch(this.#connection)) this.close();
  }

  #needsTooMuch(connection: RubyConnection | null): boolean {
    return connection !== null && connection.memoryKilobytes > this.#options.memoryKilobytes;
  }

  takeNativeDefects(): readonly string[] {
    return this.#native.defects.take();
  }

  describeFunction(name: string, source: RubySource, callbacks: RubyCallbacks): RubyFunctionDescription {
    const native = this.#options.rendersAll ? null : this.#nativeFunctions.describe(name, source);
    if (!native) {
      for (const [rival, its] of this.#nativeFunctions.rivalsOf(source))
        this.#describe('describe', rival, its, callbacks);
      this.#nativeSources.delete(`describe ${name}`);
      return readDescription(this.#describe('describe', name, source, callbacks));
    }
    this.#nativeSources.set(`describe ${name}`, source);
    return native;
  }

  describeLegacyFunction(name: string, source: RubySource, callbacks: RubyCallbacks): LegacyFunctionDescription {
    const native = this.#options.rendersAll ? null : this.#nativeFunctions.describeLegacy(name, source);
    if (!native) return readLegacyDescription(this.#describe('describe3', name, source, callbacks));
    this.#nativeSources.set(`describe3 ${name}`, source);
    return native;
  }

  callFunction(
    description: RubyFunctionDescription,
    method: string,
    args: readonly Value[],
    block: PuppetBlock | null,
    callbacks: RubyCallbacks,
  ): Value {
    const { name } = description;
    return this.#repeatable(`${name} ${method}`, block ? null : args, () =>
      this.#callFunction(name, method, args, block, callbacks),
    );
  }

  #callFunction(
    name: string,
    method: string,
    args: readonly Value[],
    block: PuppetBlock | null,
    callbacks: RubyCallbacks,
  ): Value {
    const source = this.#nativeSources.get(`describe ${name}`);
    const done = source && !block ? this.#nativeFunctions.call(source, method, args, callbacks) : null;
    if (done) {
      if (this.#session) this.#loadRequired(this.#session, callbacks, false);
      return done[0];
    }
    return this.#run(name, (session) => {
      const key = `describe ${name}`;
      const requires = this.#loadRequired(session, callbacks, !source && this.#loaded.has(key));
      if (source) this.#describe('describe', name, source, callbacks);
      this.#ensureDescribed(session, key, callbacks);
      return this.#request(session, callbacks, {
        ...requires,
        op: '"call"',
        name: JSON.stringify(name),
        method: JSON.stringify(method),
        args: printSharedArray(args, this.#objects),
        block: printBlock(session, block),
      });
    });
  }

  callLegacyFunction(name: string, args: readonly Value[], callbacks: RubyCallbacks): Value {
    return this.#repeatable(name, args, () => this.#callLegacyFunction(name, args, callbacks));
  }

  #callLegacyFunction(name: string, args: readonly Value[], callbacks: RubyCallbacks): Value {
    const source = this.#nativeSources.get(`describe3 ${name}`);
    const done = source ? this.#nativeFunctions.callLegacy(source, args, callbacks) : null;
    if (done) return done[0];
    return this.#run(name, (session) => {
      const key = `describe3 ${name}`;
      const requires = this.#loadRequired(session, callbacks, !source && this.#loaded.has(key));
      if (source) this.#describe('describe3', name, source, callbacks);
      this.#ensureDescribed(session, key, callbacks);
      const fields = { op: '"call3"', name: JSON.stringify(name), args: printArray(args, this.#objects) };
      return this.#request(session, callbacks, { ...requires, ...fields });
    });
  }

  /**
   * Runs a call that Ruby may make again after native code. `args`: null for a call that only runs.
   */
  #repeatable(key: string, args: readonly Value[] | null, call: () => Value): Value {
    const { transaction } = this.#native;
    const known = args && this.#native.logged.repeat(key, args, transaction);
    if (known) return known[0];
    const run = () => this.#native.logged.within(transaction, call);
    return transaction && args ? this.#native.logged.watch(key, args, run) : run();
  }

  renderTemplate(template: RubySource, callbacks: RubyCallbacks): string | BytesText {
    return this.#native.logged.within(this.#native.transaction, () => this.#renderTemplate(template, callbacks));
  }

  #renderTemplate(template: RubySource, callbacks: RubyCallbacks): string | BytesText {
    const rendered = this.#options.rendersAll ? null : this.#nativeTemplates.render(template, callbacks);
    if (rendered === null) return this.#renderInRuby(template, callbacks);
    // A template of Ruby that waits for this one may call the methods that it defined.
    if (this.#session) this.#defineInRuby(this.#nativeTemplates.takeDefinitions(), this.#session, callbacks);
    return rendered;
  }

  #renderInRuby(template: RubySource, callbacks: RubyCallbacks): string | BytesText {
    const text = this.#run(template.path, (session) => {
      const definitions = this.#nativeTemplates.takeDefinitions();
      const requires = this.#loadRequired(session, callbacks, definitions.length === 0);
      this.#defineInRuby(definitions, session, callbacks);
      const { id, names, lookedUp } = this.#compileInRuby(session, template);
      const responder = this.#createResponder(session, callbacks);
      const variables = names && responder(PuppetHash.of([...VARIABLES_CALL, ['names', names]]), '');
      return this.#request(session, callbacks, {
        ...requires,
        op: '"erb"',
        id: String(id),
        ...(variables && { vars: variables }),
        ...(lookedUp.length > 0 && { foreseen: printScalars(lookedUp, callbacks, this.#objects) }),
      });
    });
    if (isStringOrBytes(text)) return text;
    throw new RubyError('EncodingError', 'the template gave what is no valid UTF-8', {
      file: template.path,
      line: null,
    });
  }

  /**
   * Loads in Ruby the files that native functions required: Ruby's code may use their modules.
   * `isNext`: whether no code runs before the next request, which then loads them itself; returns
   * its field for that.
   */
  #loadRequired(session: RubySession, callbacks: RubyCallbacks, isNext: boolean): { readonly requires?: string } {
    const paths = this.#nativeFunctions.takeRequired();
    if (paths.length === 0) return {};
    const requires = JSON.stringify(paths);
    if (isNext) return { requires };
    this.#request(session, callbacks, { op: '"require"', requires });
    return {};
  }

  /** Defines in Ruby the methods of templates that were rendered without Ruby. */
  #defineInRuby(definitions: readonly string[], session: RubySession, callbacks: RubyCallbacks): void {
    for (const definition of definitions) {
      const { id } = this.#compileInRuby(session, { path: '(erb)', text: `<% ${definition} %>` });
      this.#request(session, callbacks, { op: '"erb"', id: String(id), vars: '{}' });
    }
  }

  checkTemplate({ path, text }: RubySource): void {
    const fields = { op: '"check_erb"', path: JSON.stringify(path), source: JSON.stringify(text) };
    this.#run(path, (session) => session.exchange(printFrame(fields), refuse));
  }

  describeType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyTypeDescription {
    return readTypeDescription(this.#describe('describe_type', name, source, callbacks));
  }

  describeDataType(name: string, source: RubySource, callbacks: RubyCallbacks): RubyDataTypeDescription {
    return readDataTypeDescription(this.#describe('describe_data_type', name, source, callbacks));
  }

  callDataType(
    { name }: RubyDataTypeDescription,
    { number, attributes }: RubyDataObjectState,
    method: string | null,
    args: readonly Value[],
    block: PuppetBlock | null,
    callbacks: RubyCallbacks,
  ): Value {
    return this.#run(name, (session) => {
      this.#ensureDescribed(session, `describe_data_type ${name.toLowerCase()}`, callbacks);
      return this.#request(session, callbacks, {
        op: '"call_data_type"',
        name: JSON.stringify(name),
        number: String(number),
        attributes: printShared(attributes, this.#objects),
        method: JSON.stringify(method),
        args: printSharedArray(args, this.#objects),
        block: printBlock(session, block),
      });
    });
  }

  lookUpDefaults(object: number, type: string, callbacks: RubyCallbacks): ReplacedDefaults {
    const found = this.#run('lookupdefaults', (session) =>
      this.#request(session, callbacks, { op: '"defaults"', id: String(object), type: JSON.stringify(type) }),
    );
    if (!(found instanceof PuppetHash)) throw new TypeError('Ruby answered no hash of defaults');
    const [values, entered] = [found.get('values'), found.get('entered')];
    return {
      values: new Map(values instanceof PuppetHash ? [...values].map(([name, value]) => [String(name), value]) : []),
      entered: Array.isArray(entered) ? entered.map(String) : [],
    };
  }

  get isStarting(): boolean {
    return this.#isPreparing;
  }

  #abandon(): void {
    this.#session = null;
    this.#isPreparing = false;
    this.#objects.clear();
    this.close();
  }

  /** Ends Ruby; a later request starts it again. */
  close(): void {
    this.#connection?.end();
    this.#connection = null;
    this.#loaded = new Set();
    this.#held = new Set();
    this.#due = null;
    this.#isUsed = false;
  }

  /**
   * Describes a function: loads it, or uses the cache. The inputs recorded at its load are recorded
   * again.
   */
  #describe(op: Description, name: string, source: RubySource, callbacks: RubyCallbacks): Value {
    const key = `${op} ${name}`;
    return this.#runLoading(name, (session) => {
      const known = this.#code.find(key);
      if (known && isSame(known.source, source) && this.#readsTheSame(session, known, callbacks)) return known.outcome;
      const asked: RecordedCall[] = [];
      const { path, text } = source;
      const request = printFrame({
        op: JSON.stringify(op),
        name: JSON.stringify(name),
        path: JSON.stringify(path),
        source: JSON.stringify(text),
        ...rubyFields(callbacks),
      });
      const outcome = session.exchange(request, recordCalls(asked, this.#createResponder(session, callbacks)));
      // No compile needs a type's definition.
      this.#code.add(key, { source, request, outcome, recordedCalls: asked }, op !== 'describe_type');
      this.#loaded.add(key);
      return outcome;
    });
  }

  /**
   * Like `#run`, for code that stays loaded after the compile: its inputs are compared by their
   * text.
   */
  #runLoading(name: string, work: (session: RubySession) => Value): Value {
    return this.#withoutLending(() => this.#run(name, work));
  }

  #withoutLending<T>(work: () => T): T {
    const before = this.#objects.isLending;
    this.#objects.isLending = false;
    try {
      return work();
    } finally {
      this.#objects.isLending = before;
    }
  }

  #readsTheSame(session: RubySession, { recordedCalls }: LoadedCode, callbacks: RubyCallbacks): boolean {
    const respond = this.#createResponder(session, callbacks);
    return recordedCalls.every(({ call, text, answer }) => respond(call, text) === answer);
  }

  /**
   * Describes the function again when Ruby was restarted, because a new Ruby has no earlier
   * descriptions.
   */
  #ensureDescribed(session: RubySession, key: string, callbacks: RubyCallbacks): void {
    const known = this.#code.find(key);
    if (!known || this.#loaded.has(key)) return;
    this.#withoutLending(() => session.exchange(known.request, this.#createResponder(session, callbacks)));
    if (!session.isAsking) this.#objects.clear();
    this.#loaded.add(key);
  }

  /** Lets Ruby compile a template; returns its number, and the variables that it will read. */
  #compileInRuby(session: RubySession, source: RubySource): TemplateNames & { readonly id: number } {
    const id = this.#numberOf(source);
    const key = `template ${id}`;
    const known = this.#code.find(key);
    if (known && this.#loaded.has(key)) return { id, ...namesIn(known.outcome) };
    const request = printFrame({
      op: '"compile"',
      id: String(id),
      path: JSON.stringify(source.path),
      source: printSource(source.text),
    });
    const outcome = session.exchange(request, refuse);
    // A text built by code may contain data of one node.
    if (!known) this.#code.add(key, { source, request, outcome, recordedCalls: [] }, source.path.startsWith('/'));
    this.#loaded.add(key);
    return { id, ...namesIn(outcome) };
  }

  #numberOf({ path, text }: RubySource): number {
    const texts = this.#numbers.get(path) ?? new Map<string, number>();
    this.#numbers.set(path, texts);
    const id = texts.get(text) ?? (path.startsWith('/') ? ++this.#lastNumber : --this.#lastTextNumber);
    texts.set(text, id);
    return id;
  }

  /** Runs requests, within the current session or a new one. */
  #run(name: string, work: (session: RubySession) => Value): Value {
    const outer = this.#session;
    if (!outer) return this.#runAlone(name, work, true);
    if (!outer.isBroken) return work(outer);
    throw new RubyEnded(outer, 'Ruby has ended');
  }

  #runAlone(name: string, work: (session: RubySession) => Value, mayRepeat: boolean): Value {
    const session = this.#begin(name);
    this.#session = session;
    try {
      return work(session);
    } catch (error) {
      if (!(error instanceof RubyEnded) || session.hadEffects) throw error;
      if (!mayRepeat) throw toStoppedError(error.message);
    } finally {
      this.#session = null;
      this.#objects.clear();
      if (session.isBroken) this.close();
    }
    return this.#runAlone(name, work, false);
  }

  #begin(name: string): RubySession {
    const { timeLimitMs, connect } = this.#options;
    if (this.#needsTooMuch(this.#connection)) this.close();
    if (this.#connection && this.#due) this.#goBackOrEnd(this.#connection, this.#due);
    if (!this.#connection) {
      this.#connection = startedBy(connect);
      this.#prepare(this.#connection, name, (session) => session.exchange('{"op":"ping"}', refuse));
    }
    this.#isUsed = true;
    return new RubySession(this.#connection, name, timeLimitMs);
  }

  /** Restores Ruby, or ends it when the restore fails. A new Ruby loads module code on demand. */
  #goBackOrEnd(connection: RubyConnection, command: typeof BACK | typeof BASE): void {
    if (command === BACK && connection.joinBack && !this.#isHoldDue()) {
      connection.joinBack();
      this.#forgetCompile();
      return;
    }
    try {
      this.#goBack(connection, command);
    } catch (error) {
      if (!(error instanceof MachineryFault)) throw error;
    }
  }

  #isHoldDue(): boolean {
    this.#compilesWithNews = this.#listNews().length === 0 ? 0 : this.#compilesWithNews + 1;
    return this.#compilesWithNews > COMPILES_BEFORE_HOLD;
  }

  /**
   * Undoes the changes of the last compile. Module code that it loaded is loaded again, for the
   * next compiles as well.
   */
  #goBack(connection: RubyConnection, command: typeof BACK | typeof BASE): void {
    this.#compilesWithNews = 0;
    this.#prepare(connection, 'code of modules', (session) => {
      session.control(command);
      if (command === BASE) this.#held = new Set();
      this.#forgetCompile();
      const news = this.#listNews();
      if (news.length > 0) this.#keep(session, news);
    });
  }

  /** Notes that Ruby has nothing of a compile. */
  #forgetCompile(): void {
    this.#loaded = new Set(this.#held);
    this.#due = null;
  }

  /** Returns the code for the saved state that is not in it. */
  #listNews(): readonly (readonly [string, LoadedCode])[] {
    return this.#code.listKept().filter(([key]) => !this.#held.has(key));
  }

  #keep(session: RubySession, news: readonly (readonly [string, LoadedCode])[]): void {
    for (const [key, { request, recordedCalls }] of news) {
      try {
        session.exchange(request, replayCalls(recordedCalls));
        this.#loaded.add(key);
      } catch (error) {
        this.#code.release(key);
        if (!(error instanceof RubyError || error instanceof WireError)) throw error;
        // The load needs more callbacks than were recorded. It is left to compiles, and Ruby must
        // not keep the failed attempt.
        session.control(BACK);
        this.#loaded = new Set(this.#held);
        return;
      }
    }
    session.control(HOLD);
    this.#held = new Set(this.#loaded);
  }

  /**
   * Runs work that precedes requests. A Ruby that does not survive it is ended, and MachineryFault
   * is thrown.
   */
  #prepare(connection: RubyConnection, name: string, work: (session: RubySession) => void): void {
    const session = new RubySession(connection, name, START_TIME_MS);
    this.#isPreparing = true;
    try {
      work(session);
    } catch (error) {
      this.close();
      const isOver = error instanceof RubyEnded || error instanceof RubyError;
      throw isOver ? new MachineryFault(error.message, { cause: error }) : error;
    } finally {
      // A compile interrupted here does not reach this line.
      this.#isPreparing = false;
    }
  }

  #request(session: RubySession, callbacks: RubyCallbacks, fields: Readonly<Record<string, string>>): Value {
    const reply = this.#exchange(session, printFrame({ ...fields, ...rubyFields(callbacks) }), callbacks);
    if (this.#native.transaction && reply instanceof PuppetHash && reply.has('$c'))
      fallBack('a function that changes values');
    return this.#read(reply);
  }

  /** A Ruby that ends does not report which files it had from earlier compiles and ran. */
  #exchange(session: RubySession, request: string, callbacks: RubyCallbacks): Value {
    const respond = this.#createResponder(session, callbacks);
    try {
      return session.exchange(request, respond);
    } catch (error) {
      if (session.isBroken) noteTaken(this.#code.listRequired(), respond);
      throw error;
    }
  }

  #createResponder(session: RubySession, callbacks: RubyCallbacks): Responder {
    const context: CallContext = {
      objects: this.#objects,
      kept: this.#kept,
      read: (value) => this.#read(value),
      blocks: session.blocks,
      repeatFunction: (name, args, where) =>
        this.#native.logged.repeat(keyOfFunction(name, where), args, this.#native.transaction),
      rubyBlock: (id) => (args) =>
        this.#request(session, callbacks, { op: '"block"', id, args: printSharedArray(args, this.#objects) }),
    };
    return (call) => {
      const name = String(call.get('call'));
      if (name === 'altered') {
        this.#native.isAltered = true;
        return 'null';
      }
      if (name === 'code') return this.#answerCode(call, (one) => answerCall(one, callbacks, context));
      const { transaction } = this.#native;
      if (transaction && name === 'log' && !call.has('changed')) {
        // A line waits: to leave Ruby here would leave what its code changes half changed.
        const write = () => void answerCall(call, callbacks, context);
        transaction.wait(write);
        this.#native.logged.addLine(write);
        return 'null';
      }
      if (transaction && hasEffects(call)) fallBack(`${name} asked by a function`);
      return answerCall(call, callbacks, context);
    };
  }

  /**
   * Answers with the text of a file that code requires; null when there is none; its number when
   * Ruby has compiled this text. Ruby compiles it for the compiles to come.
   */
  #answerCode(call: PuppetHash, answer: (call: PuppetHash) => string): string {
    const path = String(call.get('path'));
    const ask = (name: string): string =>
      answer(
        PuppetHash.of([
          ['call', name],
          ['path', path],
        ]),
      );
    if (ask('kind') !== '"file"') return 'null';
    const text = ask('read');
    if (!text.startsWith('"')) return text;
    const source = { path, text };
    const id = this.#numberOf(source);
    const key = `code ${id}`;
    if (this.#loaded.has(key)) return String(id);
    const request = printFrame({ op: '"keep_code"', id: String(id), path: JSON.stringify(path), source: text });
    this.#code.add(key, { source, request, outcome: null, recordedCalls: [] });
    return text;
  }

  #read(json: Value): Value {
    return readValue(json, this.#objects, this.#options.readers);
  }
}

/**
 * Connects to Ruby. Throws MachineryFault when Ruby does not start; a stack overflow of the calling
 * code is rethrown unchanged.
 */
function startedBy(connect: () => RubyConnection): RubyConnection {
  try {
    return connect();
  } catch (error) {
    if (isStackOverflow(error)) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new MachineryFault(`Ruby does not start: ${reason}`, { cause: error });
  }
}

/** Asks for the Ruby of the level: `Ruby40.follow` in side/ruby40.rb. */
function rubyFields({ language }: RubyCallbacks): Readonly<Record<string, string>> {
  return language.ruby40 ? { ruby40: 'true' } : {};
}

const VARIABLES_CALL: readonly (readonly [string, string])[] = [['call', 'vars']];

/** The variables that a template's text reads. */
interface TemplateNames {
  /** Variables named as `@name`; null when the template may read any. */
  readonly names: readonly Value[] | null;
  /** Class variables that the template looks up in its scope by name. */
  readonly lookedUp: readonly string[];
}

function namesIn(outcome: Value): TemplateNames {
  invariant(outcome instanceof PuppetHash, 'Ruby says which variables a template names');
  const names = outcome.get('names');
  const lookedUp = outcome.get('looked_up');
  return {
    names: Array.isArray(names) ? names : null,
    lookedUp: Array.isArray(lookedUp) ? lookedUp.map(String) : [],
  };
}

/** Prints the variables that are set and are not containers, so that nothing needs a number. */
function printScalars(names: readonly string[], callbacks: RubyCallbacks, objects: ObjectTable): string {
  const scalars: Record<string, string> = {};
  for (const name of names) {
    const value = callbacks.getVariable(name, false, null);
    if (value === null || (value !== undefined && typeof value !== 'object'))
      scalars[name] = printShared(value, objects);
  }
  return printFrame(scalars);
}

function isSame(one: RubySource, other: RubySource): boolean {
  return one.path === other.path && one.text === other.text;
}

/** Prints the number and the parameters of a request's block for Ruby; null without a block. */
function printBlock(session: RubySession, block: PuppetBlock | null): string {
  if (!block) return 'null';
  const id = session.blocks.push({ run: block, lambda: block.lambda ?? null }) - 1;
  return JSON.stringify([id, block.parameters ?? [['rest', 'args']]]);
}

/** Refuses every callback. */
function refuse(call: PuppetHash): never {
  throw new WireError(`Ruby asked for ${String(call.get('call'))} where nothing is compiled`);
}

function recordCalls(asked: RecordedCall[], respond: Responder): Responder {
  return (call, text) => {
    const answer = respond(call, text);
    asked.push({ call, text, answer });
    return answer;
  };
}

/** Repeats recorded answers. */
function replayCalls(asked: readonly RecordedCall[]): Responder {
  const answers = new Map(asked.map(({ text, answer }) => [text, answer]));
  return (call, text) => answers.get(text) ?? refuse(call);
}

/** The field of a template's text: bytes that are no UTF-8 are escaped in it. */
function printSource(text: string): string {
  if (text.isWellFormed()) return JSON.stringify(text);
  return JSON.stringify({ $t: 'Broken', v: Buffer.from(bytesOf(text)).toString('base64') });
}
