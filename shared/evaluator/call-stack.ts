import type { Positioned } from '../language/ast.ts';

/** A frame: the path of a file, `unknown` for code without one, and a line, 0 for a program as a whole. */
export type StackFrame = readonly [file: string, line: number];

/**
 * The calls of functions that are under way, and the programs (site manifests, EPP templates) whose code they are in. Bodies of
 * classes and defines are no frames. Puppet: lib/puppet/pops/puppet_stack.rb
 */
export class CallStack {
  readonly #frames: (Positioned | StackFrame)[] = [];

  /** The result of `body`, which the call at `site` runs. */
  during<T>(site: Positioned, body: () => T): T {
    return this.#within(site, body);
  }

  /** The result of `body`, which is the code of a program in `file`. */
  duringProgram<T>(file: string | null, body: () => T): T {
    return this.#within([file || 'unknown', 0], body);
  }

  /** The innermost frame first. */
  frames(): readonly StackFrame[] {
    return this.#frames.map(frameOf).reverse();
  }

  #within<T>(frame: Positioned | StackFrame, body: () => T): T {
    this.#frames.push(frame);
    try {
      return body();
    } finally {
      this.#frames.pop();
    }
  }
}

function frameOf(frame: Positioned | StackFrame): StackFrame {
  return 'locator' in frame ? [frame.locator.file || 'unknown', frame.locator.lineAt(frame.offset)] : frame;
}
