/**
 * What is known of the code of modules from earlier compiles, so that a later one need not have it
 * loaded again.
 */

import type { RubySource } from '../evaluator/ruby-port.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** A question of Ruby's and what it was answered, as frames. */
export interface RecordedCall {
  readonly call: PuppetHash;
  readonly text: string;
  readonly answer: string;
}

/** A file of functions or a template that Ruby loaded. */
export interface LoadedCode {
  readonly source: RubySource;
  /** The frame that loads it, and what came of it. */
  readonly request: string;
  readonly outcome: Value;
  /** What it asked for while it was loaded. */
  readonly recordedCalls: readonly RecordedCall[];
}

/**
 * Calls that only read the environment: their answers are the same in every compile with that code.
 */
const READS: ReadonlySet<string> = new Set(['kind', 'list', 'read', 'seen', 'source']);

export class ModuleCode {
  #codeId: string | null = null;
  #loaded = new Map<string, LoadedCode>();
  readonly #kept = new Set<string>();

  /**
   * Forgets what belongs to other code, and what belongs to one compile; whether it was other code.
   */
  begin(codeId: string): boolean {
    const isOther = this.#codeId !== codeId;
    this.#codeId = codeId;
    this.#loaded = new Map(isOther ? [] : [...this.#loaded].filter(([key]) => this.#kept.has(key)));
    if (isOther) this.#kept.clear();
    return isOther;
  }

  find(key: string): LoadedCode | null {
    return this.#loaded.get(key) ?? null;
  }

  /** `isFile`: whether it is the same in every compile, as files of modules are. */
  add(key: string, code: LoadedCode, isFile = true): void {
    this.#loaded.set(key, code);
    if (isFile && code.recordedCalls.every(({ call }) => READS.has(String(call.get('call'))))) this.#kept.add(key);
    else this.#kept.delete(key);
  }

  /** It is loaded anew by each compile from now on. */
  release(key: string): void {
    this.#kept.delete(key);
  }

  /** What every compile may have from the start, in the order in which it was loaded. */
  listKept(): readonly (readonly [key: string, code: LoadedCode])[] {
    return [...this.#loaded].filter(([key]) => this.#kept.has(key));
  }
}
