import { once } from 'node:events';
import { createInterface, type Interface } from 'node:readline';
import { Writable } from 'node:stream';

/** Asks the person who runs a command. */
export interface Terminal {
  /** Prints `question` and reads a line; null at the end of the input. */
  ask(question: string): Promise<string | null>;
  /** Like `ask`, but does not echo what is typed. */
  askSecret(question: string): Promise<string | null>;
  /** Whether the input is a terminal: a person can correct a wrong answer. */
  readonly isInteractive: boolean;
  /** Stops reading the input, so that the process can exit. */
  close(): void;
}

/** This process's terminal: questions go to standard error, answers come from standard input. */
export class ProcessTerminal implements Terminal {
  readonly isInteractive = process.stdin.isTTY === true;
  #reader: Interface | null = null;
  #lines: AsyncIterator<string> | null = null;
  #isHidden = false;

  ask(question: string): Promise<string | null> {
    return this.#ask(question, false);
  }

  askSecret(question: string): Promise<string | null> {
    return this.#ask(question, true);
  }

  close(): void {
    this.#reader?.close();
  }

  async #ask(question: string, isHidden: boolean): Promise<string | null> {
    const lines = this.#open();
    if (!process.stderr.write(question)) await once(process.stderr, 'drain');
    this.#isHidden = isHidden;
    const { value, done } = await lines.next();
    this.#isHidden = false;
    if (isHidden && this.isInteractive) process.stderr.write('\n');
    return done === true ? null : value;
  }

  #open(): AsyncIterator<string> {
    if (this.#lines !== null) return this.#lines;
    const echo = new Writable({
      write: (chunk, _encoding, done) => {
        if (!this.#isHidden) process.stderr.write(chunk);
        done();
      },
    });
    this.#reader = createInterface({ input: process.stdin, output: echo, terminal: this.isInteractive });
    this.#lines = this.#reader[Symbol.asyncIterator]();
    return this.#lines;
  }
}
