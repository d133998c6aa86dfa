import { Fallback } from './fallback.ts';

/** More than these tell nothing more. */
const MOST = 100;

/**
 * Thrown in place of an error of native code that nobody foresaw: Ruby does then what native code
 * should have done.
 */
export class Defect extends Fallback {
  /** `name`: the file whose code ran. */
  constructor(name: string, error: unknown) {
    super(`${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`);
    this.name = 'Defect';
    this.cause = error;
  }
}

/** Defects that were met and not taken yet; at most 100. */
export class NativeDefects {
  #texts: string[] = [];

  add({ message }: Defect): void {
    if (this.#texts.length < MOST) this.#texts.push(message);
  }

  /** What ran and what it threw, for each; the list is empty then. */
  take(): readonly string[] {
    const taken = this.#texts;
    this.#texts = [];
    return taken;
  }
}
