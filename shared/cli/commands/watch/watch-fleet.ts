import { ClientError, describeCause } from '../../client/client-error.ts';
import type { Screen } from '../../client/screen.ts';
import { type FleetStyle, printFleetScreen } from './print-fleet.ts';
import type { WatchedFleet } from './watched-fleet.ts';

/** Reads the present state. Rejects with ClientError. */
export type ReadFleet = () => Promise<WatchedFleet>;

export interface WatchOptions {
  readonly address: string;
  readonly intervalMs: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/**
 * Shows a fleet on a screen, which gets a new state after each interval, until the screen ends.
 * When the server does not answer, the last state stays, with the reason. Rejects with ClientError
 * when it never answered. True: the screen ended while an answer was outstanding.
 */
export async function watchFleet(read: ReadFleet, screen: Screen, options: WatchOptions): Promise<boolean> {
  const { address, intervalMs, now } = options;
  let fleet = await read();
  let trouble: string | null = null;
  const style = (): FleetStyle => ({
    ...{ columns: screen.columns, rows: screen.rows, hasColors: screen.hasColors },
    ...{ now: now(), address, trouble, foot: 'q ends' },
  });
  screen.open();
  try {
    for (;;) {
      const due = now() + intervalMs;
      do {
        screen.draw(printFleetScreen(fleet, style()));
        // A wait ends early when the size changes: what is known is drawn again.
        await screen.wait(Math.max(0, due - now()));
      } while (!screen.hasEnded && now() < due);
      if (screen.hasEnded) return false;
      const answer = read().then(
        (found) => [found, null] as const,
        (error: unknown) => [null, error] as const,
      );
      const [found, error] = (await beforeEnd(answer, screen)) ?? [null, null];
      if (screen.hasEnded) return found === null && error === null;
      if (error !== null && !(error instanceof ClientError)) throw error;
      trouble = error === null ? null : describeCause(error);
      fleet = found ?? fleet;
    }
  } finally {
    screen.close();
  }
}

const LONGEST_MS = 3600_000;

/** The result of `work`; null when the screen ends before. */
async function beforeEnd<T>(work: Promise<T>, screen: Screen): Promise<T | null> {
  let result: { readonly value: T } | null = null;
  const done = work.then((value) => {
    result = { value };
  });
  while (result === null && !screen.hasEnded) await screen.wait(LONGEST_MS, done);
  return result === null ? null : await work;
}

/** Prints a state after each interval, or one alone, where there is no terminal. */
export async function printFleetStates(
  read: ReadFleet,
  print: (text: string) => Promise<void>,
  {
    address,
    intervalMs,
    now,
    isOnce,
    sleep,
  }: WatchOptions & {
    readonly isOnce: boolean;
    readonly sleep: (milliseconds: number) => Promise<void>;
  },
): Promise<void> {
  for (;;) {
    const fleet = await read();
    const style = { columns: 80, rows: 24, hasColors: false, now: now(), address, trouble: null, foot: '' };
    await print(`${printFleetScreen(fleet, style).join('\n').trimEnd()}\n`);
    if (isOnce) return;
    await sleep(intervalMs);
    await print('\n');
  }
}
