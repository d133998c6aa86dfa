import type { Screen } from '../../shared/cli/client/screen.ts';

/** A screen at which each wait is answered by the next act; it ends when there are no more. */
export class ScriptedScreen implements Screen {
  columns = 80;
  rows = 24;
  readonly hasColors = false;
  hasEnded = false;
  acts: (() => void)[] = [];
  readonly drawn: (readonly string[])[] = [];
  readonly calls: string[] = [];

  open(): void {
    this.calls.push('open');
  }

  draw(lines: readonly string[]): void {
    this.drawn.push(lines);
  }

  async wait(_milliseconds: number, until?: Promise<unknown>): Promise<void> {
    if (until !== undefined) return void (await until);
    const act = this.acts.shift();
    if (act === undefined) this.hasEnded = true;
    else act();
  }

  close(): void {
    this.calls.push('close');
  }
}
