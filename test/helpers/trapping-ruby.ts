import { ChannelBroken } from '../../shared/puppet/ruby/channel.ts';
import { RubyHost } from '../../shared/puppet/ruby/ruby-host.ts';
import type { RubyConnection } from '../../shared/puppet/ruby/ruby-session.ts';
import { startThread } from '../../shared/puppet/ruby/wasm/wasm-host.ts';

/** The error that the thread reports when WebAssembly traps. */
export const TRAP = 'RuntimeError: memory access out of bounds';

/**
 * Ruby in WebAssembly whose thread ends during chosen requests, as after a trap. It renders all
 * templates.
 */
export class TrappingRuby {
  /** Counts of threads: started, and of those ended. */
  started = 0;
  ended = 0;
  readonly host: RubyHost;
  readonly #traps: ((frame: string) => boolean)[] = [];

  constructor() {
    this.host = new RubyHost({
      connect: () => this.#connect(),
      timeLimitMs: 10_000,
      memoryKilobytes: Number.POSITIVE_INFINITY,
      rendersAll: true,
    });
  }

  /**
   * Makes Ruby trap after the next frame for which `isDue` returns true. Each call of this method
   * causes one trap.
   */
  trapOn(isDue: (frame: string) => boolean): void {
    this.#traps.push(isDue);
  }

  #connect(): RubyConnection {
    const thread = startThread({});
    this.started += 1;
    let hasTrapped = false;
    const end = () => {
      this.ended += 1;
      thread.end();
    };
    return {
      send: (frame, budget) => {
        thread.send(frame, budget);
        const due = this.#traps.findIndex((isDue) => isDue(frame));
        if (due < 0) return;
        this.#traps.splice(due, 1);
        hasTrapped = true;
      },
      receive: (budget) => {
        if (hasTrapped) throw new ChannelBroken(TRAP);
        return thread.receive(budget);
      },
      memoryKilobytes: 0,
      processorWaitMs: 0,
      end,
    };
  }
}
