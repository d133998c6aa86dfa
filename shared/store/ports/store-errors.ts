/** Transient store fault: the caller retries, or answers 503. */
export class StoreUnavailable extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreUnavailable';
  }
}

/**
 * Permanent store fault: no permission, missing table or folder, broken data. The message names it.
 */
export class StoreRefused extends Error {
  constructor(what: string, cause?: unknown) {
    super(what, { cause });
    this.name = 'StoreRefused';
  }
}
