import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The variable of the environment that names the file. */
export const CLOCK_VARIABLE = 'UNDERSTUDY_TEST_CLOCK';

interface Orders {
  /** How much the clocks are ahead. */
  readonly aheadMs: number;
  /** Threads that fail at a URL that is none. */
  readonly faults: readonly { readonly where: 'server' | 'worker'; readonly url: string }[];
}

export function readOrders(file: string): Orders {
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** Orders to `moving-clock.ts` in all threads of a server, in a file. */
export class DayControl {
  readonly #file: string;
  #orders: Orders = { aheadMs: 0, faults: [] };

  constructor(folder: string) {
    this.#file = join(folder, 'clock.json');
    this.#write(this.#orders);
  }

  /** Variables of the environment of a server that follows. */
  get variables(): Readonly<Record<string, string>> {
    const clock = new URL('./moving-clock.ts', import.meta.url).href;
    return { [CLOCK_VARIABLE]: this.#file, NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${clock}`.trim() };
  }

  /** Lets that much time pass at once. */
  pass(milliseconds: number): void {
    this.#write({ ...this.#orders, aheadMs: this.#orders.aheadMs + milliseconds });
  }

  fail(where: 'server' | 'worker', url: string): void {
    this.#write({ ...this.#orders, faults: [...this.#orders.faults, { where, url }] });
  }

  #write(orders: Orders): void {
    this.#orders = orders;
    writeFileSync(`${this.#file}.new`, JSON.stringify(orders));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
