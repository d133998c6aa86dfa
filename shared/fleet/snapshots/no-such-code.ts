/**
 * A code id, or the beginning of one, that the environment's history does not hold, or holds
 * several times.
 */
export class NoSuchCode extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoSuchCode';
  }
}
