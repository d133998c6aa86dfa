/**
 * Keeps faults and signals of this process from showing what it has in memory; `fail` prints an
 * uncaught error, and ends the process.
 */
export function guardMemory(fail: (error: unknown) => void): void {
  // Node would print it with all of its properties: the whole input of an invalid URL, a cause.
  process.on('uncaughtException', fail);
  // Node would open its debugger, to which everybody on this machine may connect. Programs that
  // rotate logs send this signal.
  process.on('SIGUSR1', () => undefined);
}
