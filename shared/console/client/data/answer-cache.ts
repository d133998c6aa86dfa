/** An answer that was read, with the time it came. */
export interface KeptAnswer {
  readonly data: unknown;
  readonly total: number | null;
  /** When it was asked for and when it came, in ms since 1970. */
  readonly askedAt: number;
  readonly at: number;
}

const MOST_ANSWERS = 120;

/** The answers of this page's life, by address: an LRU of at most 120. */
class AnswerCache {
  private readonly kept = new Map<string, KeptAnswer>();

  get(key: string): KeptAnswer | null {
    const found = this.kept.get(key);
    if (found === undefined) return null;
    this.kept.delete(key);
    this.kept.set(key, found);
    return found;
  }

  set(key: string, answer: KeptAnswer): void {
    this.kept.delete(key);
    this.kept.set(key, answer);
    const [oldest] = this.kept.keys();
    if (this.kept.size > MOST_ANSWERS && oldest !== undefined) this.kept.delete(oldest);
  }

  /** Forgets everything, as at the end of a session. */
  clear(): void {
    this.kept.clear();
  }
}

/** The cache of the page. */
export const answerCache = new AnswerCache();
