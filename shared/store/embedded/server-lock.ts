import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreRefused } from '../ports/store-errors.ts';
import { BUSY, resultCode, unusableDirectoryError } from './database-errors.ts';
import { makeDatabaseFile, SERVER_LOCK, SERVER_PID } from './directory-files.ts';

/**
 * Ensures that one process serves a data directory. The operating system releases the lock when
 * that process ends, even by a crash. Throws StoreRefused when another process holds it.
 */
export class ServerLock {
  readonly #connection: DatabaseSync;
  readonly #pidFile: string;

  constructor(directory: string) {
    this.#pidFile = join(directory, SERVER_PID);
    try {
      makeDatabaseFile(join(directory, SERVER_LOCK));
      this.#connection = new DatabaseSync(join(directory, SERVER_LOCK), { timeout: 0 });
    } catch (error) {
      throw unusableDirectoryError(directory, error);
    }
    try {
      this.#connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#connection.close();
      if (resultCode(error) !== BUSY) throw unusableDirectoryError(directory, error);
      const message = `data directory '${directory}' is already served by ${this.#describeHolder()}`;
      throw new StoreRefused(message, error);
    }
    writeFileSync(this.#pidFile, `${process.pid}\n`, { mode: 0o600 });
  }

  release(): void {
    rmSync(this.#pidFile, { force: true });
    this.#connection.close();
  }

  #describeHolder(): string {
    try {
      return `another process: ${readFileSync(this.#pidFile, 'utf8').trim()}`;
    } catch {
      // It has just begun.
      return 'another process';
    }
  }
}
