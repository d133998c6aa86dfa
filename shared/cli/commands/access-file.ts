import { closeSync, openSync, writeSync } from 'node:fs';
import { StoreRefused } from '../../store/ports/store-errors.ts';
import { countUnits } from '../../util/count-units.ts';
import { messageOf } from '../../util/message-of.ts';

interface AccessFile {
  readonly write: (entry: object) => void;
  /** Opens the file by its name again: another program has renamed it. */
  reopen(): void;
  close(): void;
}

/** Receives a line when entries start to get lost, and when writing works again. */
type AccessFileNotes = (line: string) => void;

/**
 * Appends entries to a file, one line of JSON each; `null` discards them. Only the owner can read
 * the file. `reopen` opens it by its name again, so that other programs can rotate it. Throws
 * StoreRefused when the file cannot be opened. A later write error, such as a full disk, loses
 * lines but never fails a request.
 */
export function openAccessFile(path: string | null, note: AccessFileNotes): AccessFile {
  if (path === null) return { write: () => {}, reopen: () => {}, close: () => {} };
  try {
    return new OpenAccessFile(path, note);
  } catch (error) {
    throw new StoreRefused(`the access log '${path}' cannot be written: ${messageOf(error)}`, error);
  }
}

class OpenAccessFile implements AccessFile {
  readonly #path: string;
  readonly #note: AccessFileNotes;
  #descriptor: number;
  /** Lines lost since the last successful write. */
  #lost = 0;
  /** Whether the last line was written only in part. */
  #isCut = false;

  constructor(path: string, note: AccessFileNotes) {
    this.#path = path;
    this.#note = note;
    this.#descriptor = openSync(path, 'a', 0o600);
  }

  readonly write = (entry: object): void => {
    try {
      this.#append(`${this.#isCut ? '\n' : ''}${JSON.stringify(entry)}\n`);
    } catch (error) {
      if (this.#lost === 0) this.#note(`The access log '${this.#path}' loses lines: ${messageOf(error)}`);
      this.#lost += 1;
      return;
    }
    if (this.#lost > 0)
      this.#note(
        `The access log '${this.#path}' is written again; ${countUnits(this.#lost, 'line')} ${this.#lost === 1 ? 'was' : 'were'} lost`,
      );
    this.#lost = 0;
  };

  #append(text: string): void {
    let left = Buffer.from(text, 'utf8');
    while (left.length > 0) {
      left = left.subarray(writeSync(this.#descriptor, left));
      this.#isCut = left.length > 0;
    }
  }

  reopen(): void {
    try {
      const next = openSync(this.#path, 'a', 0o600);
      closeSync(this.#descriptor);
      this.#descriptor = next;
    } catch (error) {
      this.#note(`The access log '${this.#path}' cannot be opened again: ${messageOf(error)}`);
    }
  }

  close(): void {
    closeSync(this.#descriptor);
  }
}
