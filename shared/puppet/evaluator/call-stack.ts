import type { Positioned } from '../language/ast.ts';

/**
 * A frame: the path of a file, `unknown` for code without one, and a line, 0 for a program as a
 * whole.
 */
export type StackFrame = readonly [file: string, line: number];

/**
 * The calls of functions that are under way, and the programs (site manifests, EPP templates) whose
 * code they are in. Bodies of classes and defines are no frames. Puppet:
 * lib/puppet/pops/puppet_stack.rb
 */
export class CallStack {
  readonly #frames: (Positioned | StackFrame)[] = [];

  /** The call at `site` is under way, until `leave`. */
  enter(site: Positioned): void {
    this.#frames.push(site);
  }

  leave(): void {
    this.#frames.pop();
  }

  /** The result of `body`, which is the code of a program in `file`. */
  runProgram<T>(file: string | null, body: () => T): T {
    this.#frames.push([file || 'unknown', 0]);
    try {
      return body();
    } finally {
      this.#frames.pop();
    }
  }

  /** The innermost frame first. */
  getFrames(): readonly StackFrame[] {
    return this.#frames.map(frameOf).reverse();
  }
}

function frameOf(frame: Positioned | StackFrame): StackFrame {
  return 'locator' in frame ? [frame.locator.file || 'unknown', frame.locator.lineAt(frame.offset)] : frame;
}
