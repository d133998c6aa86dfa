import { describe, expect, it } from 'vitest';
import { Progress } from '../../../../shared/cli/client/progress.ts';

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

  it('elsewhere is a line when there was none for three seconds', () => {
    const { progress, written, clock } = createShown(false);
    for (let done = 1; done <= 8; done += 1) {
      clock.at += 1000;
      progress.show('compiling', done, 8);
    }
    progress.show('storing');
    clock.at += 3000;
    progress.show('storing');
    progress.end();
    expect(written).toEqual(['compiling: 3 of 8\n', 'compiling: 6 of 8\n', 'storing\n']);
  });
});
