import { describe, expect, it } from 'vitest';
import { openProgress, Progress } from '../../../../shared/cli/client/progress.ts';

/** A progress whose clock the test moves; `written` is what it wrote. */
function createShown(isTerminal: boolean, columns = 80) {
  const written: string[] = [];
  const clock = { at: 0 };
  const write = (text: string) => void written.push(text);
  return { progress: new Progress({ write, isTerminal, columns, now: () => clock.at }), written, clock };
}

describe('progress', () => {
  it('on a terminal is a bar, drawn ten times a second and at the end, and then wiped off', () => {
    const { progress, written, clock } = createShown(true);
    for (const done of [0, 1, 2, 3, 4]) {
      progress.show('compiling', done, 4);
      clock.at += 60;
    }
    progress.end();
    progress.end();
    expect(written).toEqual([
      `\r\u001b[K[${' '.repeat(24)}] compiling: 0 of 4`,
      `\r\u001b[K[${'='.repeat(12)}${' '.repeat(12)}] compiling: 2 of 4`,
      `\r\u001b[K[${'='.repeat(24)}] compiling: 4 of 4`,
      '\r\u001b[K',
    ]);
  });

  it('on a terminal fits the line, also where the amount of work is not known', () => {
    const { progress, written, clock } = createShown(true, 12);
    progress.show('reading files');
    clock.at = 100;
    progress.show('found', 7);
    expect(written).toEqual(['\r\u001b[Kreading fil', '\r\u001b[Kfound: 7']);
  });

  it('has the rate and the time that is left after two seconds, in 80 columns', () => {
    const { progress, written, clock } = createShown(true);
    const drawn = (label: string, at: number, done: number, of: number | null) => {
      clock.at = at;
      progress.show(label, done, of);
      return written.at(-1)?.replace('\r\u001b[K', '');
    };
    drawn('production: compiling nodes', 0, 0, 203);
    expect(drawn('production: compiling nodes', 1900, 19, 203)).not.toContain('left');
    expect(drawn('production: compiling nodes', 10_000, 100, 203)).toBe(
      `[${'='.repeat(10)}${' '.repeat(10)}] production: compiling nodes: 100 of 203, 10/s, 11 s left`,
    );
    expect(drawn('production: compiling nodes', 20_000, 203, 203)).toMatch(/: 203 of 203, 10\/s$/);
    // A count that begins anew is other work.
    expect(drawn('staging: compiling nodes', 30_000, 1, 203)).toMatch(/compiling nodes: 1 of 203$/);
    expect(drawn('staging: compiling nodes', 150_000, 3, 203)).toMatch(/: 3 of 203, 1\/min, 4 h left$/);
    drawn('copying', 200_000, 0, null);
    expect(drawn('copying', 204_000, 10, null)).toBe('copying: 10, 2.5/s');
    expect(Math.max(...written.map((text) => text.replace('\r\u001b[K', '').length))).toBeLessThan(80);
  });

  it('elsewhere is a line a minute', () => {
    const { progress, written, clock } = createShown(false);
    for (let done = 1; done <= 8; done += 1) {
      clock.at += 20_000;
      progress.show('compiling', done, 8);
    }
    progress.show('storing');
    clock.at += 60_000;
    progress.show('storing');
    progress.end();
    expect(written).toEqual([
      'compiling: 3 of 8, 3/min, 100 s left\n',
      'compiling: 6 of 8, 3/min, 40 s left\n',
      'storing\n',
    ]);
  });

  it('is silent with --format json, unless a person watches', () => {
    for (const isTerminal of [true, false]) {
      const written: string[] = [];
      const clock = { at: 0 };
      const write = (text: string) => void written.push(text);
      const progress = openProgress('json', { write, isTerminal, columns: 80, now: () => clock.at });
      clock.at = 60_000;
      progress.show('compiling', 1, 2);
      expect(written).toHaveLength(isTerminal ? 1 : 0);
    }
  });
});
