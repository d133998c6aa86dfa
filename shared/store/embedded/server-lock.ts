import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreRefused } from '../ports/store-errors.ts';
import { BUSY, resultCode, unusableDirectoryError } from './database-errors.ts';

/**
 * Ensures that one process serves a data directory. The operating system releases the lock when
 * that process ends, even by a crash. Throws StoreRefused when another process holds it.
 */
export class ServerLock {
  readonly #connection: DatabaseSync;

  constructor(directory: string) {
    try {
      this.#connection = new DatabaseSync(join(directory, 'server.lock'), { timeout: 0 });
    } catch (error) {
      throw unusableDirectoryError(directory, error);
    }
    try {
      this.#connection.exec('BEGIN EXCLUSIVE');
    } catch (error) {
      this.#connection.close();
      if (resultCode(error) !== BUSY) throw unusableDirectoryError(directory, error);
      throw new StoreRefused(`data directory '${directory}' is already served by another process`, error);
    }
  }

  release(): void {
    this.#connection.close();
  }
}
