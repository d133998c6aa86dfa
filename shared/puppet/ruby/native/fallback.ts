/**
 * Thrown when native code is not known to behave exactly like Ruby, also for an error of the
 * template's code. Ruby then renders the template from its start. It is not an error of the user's
 * code.
 */
export class Fallback extends Error {
  constructor(reason: string) {
    const limit = Error.stackTraceLimit;
    Error.stackTraceLimit = 0;
    super(reason);
    Error.stackTraceLimit = limit;
    this.name = 'Fallback';
  }
}

export function fallBack(reason: string): never {
  throw new Fallback(reason);
}
