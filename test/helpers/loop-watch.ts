/**
 * The processor time of the longest turn of this thread's event loop. It leaves out what other
 * threads and programs take, so that a loaded machine does not lengthen it.
 */
export class LoopWatch {
  #longestMs = 0;
  #before = spentMs();

  constructor() {
    const look = () => {
      const now = spentMs();
      this.#longestMs = Math.max(this.#longestMs, now - this.#before);
      this.#before = now;
      setTimeout(look, 1).unref();
    };
    look();
  }

  /** The longest since the last call. */
  takeLongestMs(): number {
    const longest = this.#longestMs;
    this.#longestMs = 0;
    return longest;
  }
}

function spentMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
