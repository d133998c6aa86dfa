/**
 * Thrown for whatever is not known to be done here exactly as Ruby does it, an error of the
 * template's code included: the template is rendered by Ruby then, from its beginning. No error of
 * the user's code.
 */
export class Fallback extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'Fallback';
  }
}

export function fallBack(reason: string): never {
  throw new Fallback(reason);
}
