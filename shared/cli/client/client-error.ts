/** A service cannot be asked, or refused; the message says why, for the person who asked. */
export class ClientError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'ClientError';
  }
}

/** A service cannot be reached; a retry can succeed. */
export class ServiceUnreachable extends ClientError {
  constructor(url: string, cause: unknown) {
    super(`${url} cannot be reached: ${describeCause(cause)}`, cause);
    this.name = 'ServiceUnreachable';
  }
}

/** The text of an error of the system, such as of a file that cannot be read. */
export function describeCause(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
