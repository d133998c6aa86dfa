import type { RubyPort } from '../evaluator/ruby-port.ts';

/**
 * The Ruby of a process that compiles nodes of several environments and of changing code, one after
 * the other.
 */
export class EnvironmentRuby {
  readonly #ruby: RubyPort;

  constructor(ruby: RubyPort) {
    this.#ruby = ruby;
  }

  /** Whether the compile that was cut off waited for Ruby itself, and not for code of modules. */
  get isStarting(): boolean {
    return this.#ruby.isStarting;
  }

  /** Ruby for one compile with that code. */
  beginCompile(codeId: string): RubyPort {
    this.#ruby.beginCompile(codeId);
    return this.#ruby;
  }

  /** Defects of native code since they were last taken: see `RubyPort`. */
  takeNativeDefects(): readonly string[] {
    return this.#ruby.takeNativeDefects();
  }
}
