/** The code id, or prefix of one, matches none or several of the environment's history. */
export class NoSuchCode extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'NoSuchCode';
  }
}
