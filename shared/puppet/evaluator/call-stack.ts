import type { Positioned } from '../language/ast.ts';

/**
 * A frame: the path of a file (`unknown` for code without one) and a line (0 for a whole program).
 */
type StackFrame = readonly [file: string, line: number];

/**
 * The stack of function calls in progress, with the site manifests that contain them. Bodies of
 * classes, defines and templates are not frames. Puppet: lib/puppet/pops/puppet_stack.rb
 */
export class CallStack {
  readonly #frames: (Positioned | StackFrame)[] = [];

  /** Pushes the call at `site`; `leave` pops it. */
  enter(site: Positioned): void {
    this.#frames.push(site);
  }

  leave(): void {
    this.#frames.pop();
  }

  /** Runs `body` with a frame for the program in `file`. */
  runProgram<T>(file: string | null, body: () => T): T {
    this.#frames.push([file || 'unknown', 0]);
    try {
      return body();
    } finally {
      this.#frames.pop();
    }
  }

  /** Returns the frames, innermost first. */
  getFrames(): readonly StackFrame[] {
    return this.#frames.map(frameOf).reverse();
  }
}

function frameOf(frame: Positioned | StackFrame): StackFrame {
  return 'locator' in frame ? [frame.locator.file || 'unknown', frame.locator.lineAt(frame.offset)] : frame;
}
