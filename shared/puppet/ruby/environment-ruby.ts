import type { RubyPort } from '../evaluator/ruby-port.ts';

/**
 * The Ruby of a process that compiles nodes of several environments and code versions, one after
 * another.
 */
export class EnvironmentRuby {
  readonly #ruby: RubyPort;

  constructor(ruby: RubyPort) {
    this.#ruby = ruby;
  }

  /** Whether the interrupted compile waited for Ruby's start rather than for module code. */
  get isStarting(): boolean {
    return this.#ruby.isStarting;
  }

  /** Returns Ruby for one compile of that code. */
  beginCompile(codeId: string): RubyPort {
    this.#ruby.beginCompile(codeId);
    return this.#ruby;
  }

  /** Returns and clears the defects of native code: see `RubyPort`. */
  takeNativeDefects(): readonly string[] {
    return this.#ruby.takeNativeDefects();
  }
}
