import { BoundedCache } from '../../../util/bounded-cache.ts';
import { PuppetError } from '../../errors/puppet-error.ts';
import { isStackOverflow } from '../../evaluator/report.ts';
import type { RubySource } from '../../evaluator/ruby-port.ts';
import { Fallback } from './fallback.ts';
import { Defect, type NativeDefects } from './native-defects.ts';

/** After this many failures a text is left to Ruby for a while. */
const VAIN_LIMIT = 4;
/** Calls that are left to Ruby at first; each further failure doubles them. */
const FIRST_PAUSE = 16;
const LONGEST_PAUSE = 4096;

/** A text and its compiled program. */
export class CachedProgram<T> {
  /** Null for a text that only Ruby can run. */
  readonly program: T | null;
  #inVain = 0;
  #pause = FIRST_PAUSE;
  #skipped = 0;

  constructor(program: T | null) {
    this.program = program;
  }

  /** Decides whether a call is left to Ruby, because calls before it were. */
  skip(): boolean {
    if (this.program === null) return true;
    if (this.#inVain < VAIN_LIMIT || this.#skipped >= this.#pause) return false;
    this.#skipped += 1;
    return true;
  }

  /** Counts a run; `isLeft`: whether it was left to Ruby. */
  count(isLeft: boolean): void {
    if (this.#inVain === VAIN_LIMIT) this.#pause = isLeft ? Math.min(2 * this.#pause, LONGEST_PAUSE) : FIRST_PAUSE;
    this.#inVain = Math.min(Math.max(-VAIN_LIMIT, this.#inVain + (isLeft ? 1 : -1)), VAIN_LIMIT);
    this.#skipped = 0;
  }
}

/** A cache of programs by text, limited by the number of characters. */
export class ProgramCache<T> {
  readonly #compile: (text: string) => T;
  readonly #defects: NativeDefects;
  readonly #kept: BoundedCache<CachedProgram<T>>;

  /**
   * `most`: number of characters that are cached. `compile` throws Fallback for a text that only
   * Ruby can run; any other error is recorded in `defects` and left to Ruby as well.
   */
  constructor(most: number, defects: NativeDefects, compile: (text: string) => T) {
    // A text that is longer than all that may be kept is kept alone.
    this.#kept = new BoundedCache(most, (_, text) => Math.min(text.length, most));
    this.#defects = defects;
    this.#compile = compile;
  }

  find({ path, text }: RubySource): CachedProgram<T> {
    const known = this.#kept.get(text);
    if (known) return known;
    const made = new CachedProgram(this.#tryCompile(path, text));
    this.#kept.set(text, made);
    return made;
  }

  #tryCompile(path: string, text: string): T | null {
    try {
      return this.#compile(text);
    } catch (error) {
      if (!(error instanceof Fallback || error instanceof PuppetError || isStackOverflow(error)))
        this.#defects.add(new Defect(path, error));
      return null;
    }
  }
}
