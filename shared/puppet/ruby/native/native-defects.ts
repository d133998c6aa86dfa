import { Fallback } from './fallback.ts';

/** Further defects add no information. */
const MOST = 100;

/** Replaces an unexpected error of native code. Ruby then repeats the work of the native code. */
export class Defect extends Fallback {
  /** `name`: the file whose code ran. */
  constructor(name: string, error: unknown) {
    super(`${name}: ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`);
    this.name = 'Defect';
    this.cause = error;
  }
}

/** Defects that were not taken yet; at most 100. */
export class NativeDefects {
  #texts: string[] = [];

  add({ message }: Defect): void {
    if (this.#texts.length < MOST) this.#texts.push(message);
  }

  /** Returns each defect as the file and its error, and clears the list. */
  take(): readonly string[] {
    const taken = this.#texts;
    this.#texts = [];
    return taken;
  }
}
