import type { RubyPort } from './port.ts';

/**
 * The Ruby of a process that compiles nodes of several environments and of changing code, one after the other: what it knows of
 * modules is forgotten when the code is another one.
 */
export class EnvironmentRuby {
  readonly #ruby: RubyPort;
  #codeId: string | null = null;

  constructor(ruby: RubyPort) {
    this.#ruby = ruby;
  }

  /** Ruby for compiles with that code. */
  for(codeId: string): RubyPort {
    if (this.#codeId !== null && this.#codeId !== codeId) this.#ruby.forget();
    this.#codeId = codeId;
    return this.#ruby;
  }
}
