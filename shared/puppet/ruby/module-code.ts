/** A cache of module code from earlier compiles, so that a later compile need not load it again. */

import type { RubySource } from '../evaluator/ruby-port.ts';
import type { PuppetHash } from '../types/values/puppet-hash.ts';
import type { Value } from '../types/values/values.ts';

/** A callback of Ruby and its answer, as frames. */
export interface RecordedCall {
  readonly call: PuppetHash;
  readonly text: string;
  readonly answer: string;
}

/** A file of functions or a template that Ruby loaded. */
export interface LoadedCode {
  readonly source: RubySource;
  /** The frame that loads it, and the outcome. */
  readonly request: string;
  readonly outcome: Value;
  /** Callbacks during the load. */
  readonly recordedCalls: readonly RecordedCall[];
}

/**
 * Callbacks whose answers follow from the environment alone, so that they are equal in all compiles
 * of the same code. Settings of the node's own, as its name, are not among them.
 */
const READS: ReadonlySet<string> = new Set(['glob', 'kind', 'list', 'read', 'seen', 'source']);
const SETTINGS_OF_ENVIRONMENT: ReadonlySet<string> = new Set(['environment', 'modulepath', 'manifest']);

function readsEnvironment({ call }: RecordedCall): boolean {
  const name = String(call.get('call'));
  return READS.has(name) || (name === 'setting' && SETTINGS_OF_ENVIRONMENT.has(String(call.get('name'))));
}

export class ModuleCode {
  #codeId: string | null = null;
  #loaded = new Map<string, LoadedCode>();
  readonly #kept = new Set<string>();

  /**
   * Starts a compile: evicts code of other code ids, and code of a single compile. Returns whether
   * the code id changed.
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

  /** Adds loaded code. `isFile`: whether it is equal in every compile, like a module's file. */
  add(key: string, code: LoadedCode, isFile = true): void {
    this.#loaded.set(key, code);
    if (isFile && code.recordedCalls.every(readsEnvironment)) this.#kept.add(key);
    else this.#kept.delete(key);
  }

  /** Evicts code; each compile loads it again from now on. */
  release(key: string): void {
    this.#kept.delete(key);
  }

  /** Returns the paths of the files that code required. */
  listRequired(): readonly string[] {
    return [...this.#loaded].flatMap(([key, { source }]) => (key.startsWith('code ') ? [source.path] : []));
  }

  /** Returns the code that every compile may start with, in load order. */
  listKept(): readonly (readonly [key: string, code: LoadedCode])[] {
    return [...this.#loaded].filter(([key]) => this.#kept.has(key));
  }
}
