import { expect, it } from 'vitest';
import { StartSteps } from '../../../shared/local/start-steps.ts';

/** A clock whose timers are called when time passes. */
class Timers {
  time = Date.UTC(2026, 10, 28, 10);
  readonly lines: string[] = [];
  #pending: { readonly at: number; readonly work: () => void } | null = null;
  readonly steps = new StartSteps({
    print: (line) => this.lines.push(line),
    now: () => this.time,
    later: (ms, work) => {
      const pending = { at: this.time + ms, work };
      this.#pending = pending;
      return () => {
        if (this.#pending === pending) this.#pending = null;
      };
    },
  });

  pass(seconds: number): void {
    for (let left = seconds; left > 0; left -= 1) {
      this.time += 1000;
      const pending = this.#pending;
      if (pending === null || pending.at > this.time) continue;
      this.#pending = null;
      pending.work();
    }
  }
}

it('names a step that takes long, with the time of day, under its own name', () => {
  const timers = new Timers();
  timers.steps.show('opening the data directory');
  timers.pass(2);
  timers.steps.show('starting the inventory');
  timers.pass(2);
  timers.steps.show('creating the certificate authority');
  timers.pass(40);
  timers.steps.show(null);
  timers.pass(100);
  expect(timers.lines).toEqual([
    '2026-11-28T10:00:07.000Z creating the certificate authority: 3 s so far',
    '2026-11-28T10:00:22.000Z creating the certificate authority: 18 s so far',
    '2026-11-28T10:00:37.000Z creating the certificate authority: 33 s so far',
  ]);
});
