import { EventEmitter } from 'node:events';
import { beforeEach, describe, expect, it } from 'vitest';
import { ProcessScreen } from '../../../../shared/cli/client/screen.ts';

class FakeInput extends EventEmitter {
  isTTY = true;
  readonly calls: string[] = [];
  setRawMode(isRaw: boolean): void {
    this.calls.push(isRaw ? 'raw' : 'cooked');
  }
  resume(): void {
    this.calls.push('resume');
  }
  pause(): void {
    this.calls.push('pause');
  }
}

class FakeOutput extends EventEmitter {
  columns = 100;
  rows = 30;
  readonly written: string[] = [];
  write(text: string): void {
    this.written.push(text);
  }
  hasColors(): boolean {
    return false;
  }
}

const TAKE = '\u001b[?1049h\u001b[?25l';
const GIVE_BACK = '\u001b[?25h\u001b[?1049l';
let input: FakeInput;
let output: FakeOutput;
let events: EventEmitter;
let screen: ProcessScreen;

beforeEach(() => {
  [input, output, events] = [new FakeInput(), new FakeOutput(), new EventEmitter()];
  screen = new ProcessScreen({ input, output, events });
});

describe('a screen', () => {
  it('takes the terminal, draws over what is there, and gives it back as it was', () => {
    screen.open();
    screen.draw(['one', 'two']);
    screen.close();
    screen.close();
    expect(output.written).toEqual([TAKE, '\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J', GIVE_BACK]);
    expect(input.calls).toEqual(['raw', 'resume', 'cooked', 'pause']);
    expect([...input.eventNames(), ...output.eventNames(), ...events.eventNames()]).toEqual([]);
    expect([screen.columns, screen.rows, screen.hasColors]).toEqual([100, 30, false]);
  });

  it.each([
    ['q', () => input.emit('data', Buffer.from('q'))],
    ['CTRL-C', () => input.emit('data', Buffer.from('x\u0003'))],
    ['SIGTERM', () => events.emit('SIGTERM')],
  ])('ends with %s, also while it waits', async (_, act) => {
    screen.open();
    const waiting = screen.wait(3_600_000);
    input.emit('data', Buffer.from('xyz'));
    expect(screen.hasEnded).toBe(false);
    act();
    await waiting;
    expect(screen.hasEnded).toBe(true);
    await screen.wait(3_600_000);
    screen.close();
  });

  it('wakes when the size changes, when the time is over, and when what it waits for is done', async () => {
    screen.open();
    const waiting = screen.wait(3_600_000);
    output.emit('resize');
    await waiting;
    await screen.wait(1);
    await screen.wait(3_600_000, Promise.resolve());
    expect(screen.hasEnded).toBe(false);
    screen.close();
  });

  it('gives the terminal back when the process ends by an error', () => {
    screen.open();
    events.emit('exit');
    expect(output.written.at(-1)).toBe(GIVE_BACK);
    expect(input.calls.at(-2)).toBe('cooked');
  });

  it('reads no keys where the input is no terminal', () => {
    input.isTTY = false;
    screen.open();
    screen.close();
    expect(input.calls).toEqual([]);
  });
});
