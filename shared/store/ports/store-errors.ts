/** A store did not answer or refused for now: the caller retries, or answers 503. */
export class StoreUnavailable extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreUnavailable';
  }
}

/**
 * A store refuses for good: no permission, no such table or folder, broken data. The message names
 * it.
 */
export class StoreRefused extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreRefused';
  }
}
