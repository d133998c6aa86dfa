/**
 * Answers of a slow reference, as Ruby or real Puppet, to inputs that do not change: recorded once
 * and played back. `UPDATE_FIXTURES=1` records them anew, `TEST_LIVE=1` asks the reference each
 * time and checks what is recorded.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';

export type Mode = 'play' | 'record' | 'live';

/**
 * What the answers depend on beside the input: digests by name; null for what cannot be looked at
 * here.
 */
export type Sources = Readonly<Record<string, string | null>>;

export interface RecordedAnswersOptions {
  /** The fixture's name. */
  readonly name: string;
  /** The test file, absolute: whoever renews the fixture runs it. */
  readonly test: string;
  /** Asked for when an answer is. */
  readonly sources: () => Sources;
  readonly mode?: Mode;
  /** Where the fixture is. */
  readonly folder?: string;
}

interface Recorded {
  readonly sources: Sources;
  readonly answers: Readonly<Record<string, unknown>>;
}

const FOLDER = join(import.meta.dirname, '..', 'fixtures', 'recorded');
const WINDOW_BITS = 24;
/** The highest quality makes files a tenth smaller, and takes ten times as long. */
const QUALITY = 9;
const SHOWN_SOURCES = 5;

/**
 * What is recorded does not fit: the reference has other sources, was asked other things, or gives
 * other answers.
 */
export class StaleAnswers extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'StaleAnswers';
  }
}

/** Inputs and answers are what JSON can hold. */
export class RecordedAnswers {
  readonly #options: RecordedAnswersOptions;
  readonly #mode: Mode;
  readonly #path: string;
  readonly #asked = new Map<string, unknown>();
  #recorded: Recorded | null = null;

  constructor(options: RecordedAnswersOptions) {
    this.#options = options;
    this.#mode = options.mode ?? modeOf(process.env);
    this.#path = join(options.folder ?? FOLDER, `${options.name}.json.br`);
  }

  /**
   * The answer to `input`: `ask` gives it when it is not played back. Throws StaleAnswers when none
   * is recorded.
   */
  get<T>(input: unknown, ask: () => T): T {
    const key = keyOf(input);
    return this.#mode === 'play' ? this.#play<T>(key, input) : this.#note(key, ask());
  }

  /** The same for an `ask` that takes its time. */
  async fetch<T>(input: unknown, ask: () => Promise<T>): Promise<T> {
    const key = keyOf(input);
    return this.#mode === 'play' ? this.#play<T>(key, input) : this.#note(key, await ask());
  }

  /**
   * Asks the reference now, for an input whose recorded answer a test is about to fail on. Throws
   * StaleAnswers when it gives something else than what was played back.
   */
  confirm(input: unknown, ask: () => unknown): void {
    if (this.#mode !== 'play') return;
    if (!isDeepStrictEqual(asJson(ask()), this.#play(keyOf(input), input))) {
      throw this.#stale(`has another answer than the reference gives now to ${shown(input)}`);
    }
  }

  /**
   * To be called when all was asked. Writes the fixture, when answers are recorded. Throws
   * StaleAnswers when they came from the reference and what was recorded of the same sources is
   * something else.
   */
  finish(): void {
    if (this.#mode === 'play' || this.#asked.size === 0) return;
    const sources = this.#options.sources();
    if (this.#mode === 'record') this.#write({ sources, answers: Object.fromEntries([...this.#asked].sort(byKey)) });
    if (this.#mode === 'record') return;
    const recorded = this.#read();
    if (changedSources(recorded.sources, sources).length > 0) return;
    for (const [key, answer] of this.#asked) {
      if (!isDeepStrictEqual(recorded.answers[key], answer)) throw this.#stale('has not what the reference gives now');
    }
  }

  #play<T>(key: string, input: unknown): T {
    this.#recorded ??= this.#fitting(this.#read());
    if (!(key in this.#recorded.answers)) throw this.#stale(`has no answer to ${shown(input)}`);
    // The fixture has what `ask` gave when it was recorded.
    return this.#recorded.answers[key] as T;
  }

  #note<T>(key: string, answer: T): T {
    const kept = asJson(answer);
    this.#asked.set(key, kept);
    return kept;
  }

  #read(): Recorded {
    if (!existsSync(this.#path)) throw this.#stale('is not there');
    return JSON.parse(brotliDecompressSync(readFileSync(this.#path)).toString());
  }

  #fitting(recorded: Recorded): Recorded {
    const changed = changedSources(recorded.sources, this.#options.sources());
    if (changed.length === 0) return recorded;
    const more = changed.length > SHOWN_SOURCES ? ` and ${changed.length - SHOWN_SOURCES} more` : '';
    throw this.#stale(`was recorded with another ${changed.slice(0, SHOWN_SOURCES).join(', ')}${more}`);
  }

  #write(recorded: Recorded): void {
    const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY } = constants;
    const params = { [BROTLI_PARAM_LGWIN]: WINDOW_BITS, [BROTLI_PARAM_QUALITY]: QUALITY };
    mkdirSync(join(this.#path, '..'), { recursive: true });
    writeFileSync(this.#path, brotliCompressSync(JSON.stringify(recorded), { params }));
  }

  #stale(fault: string): StaleAnswers {
    const test = relative(process.cwd(), this.#options.test);
    return new StaleAnswers(
      `${relative(process.cwd(), this.#path)} ${fault}.\n` +
        `Renew it with: UPDATE_FIXTURES=1 npx vitest run ${test}\n` +
        `Or run without it: TEST_LIVE=1 npx vitest run ${test}`,
    );
  }
}

function modeOf(variables: Readonly<Record<string, string | undefined>>): Mode {
  if (variables.UPDATE_FIXTURES === '1') return 'record';
  return variables.TEST_LIVE === '1' ? 'live' : 'play';
}

function changedSources(before: Sources, now: Sources): readonly string[] {
  const names = new Set([...Object.keys(before), ...Object.keys(now)]);
  return [...names].filter((name) => now[name] !== null && before[name] !== now[name]).sort();
}

function keyOf(input: unknown): string {
  return createHash('sha256').update(JSON.stringify(input)).digest('base64url').slice(0, 16);
}

function asJson<T>(answer: T): T {
  return JSON.parse(JSON.stringify(answer));
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function shown(input: unknown): string {
  const text = typeof input === 'string' ? input : JSON.stringify(input);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
