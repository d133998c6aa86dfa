/**
 * Keeps uncaught errors and signals from exposing the process's memory. `fail` has to print an
 * uncaught error and end the process.
 */
export function guardMemory(fail: (error: unknown) => void): void {
  // Node would print all properties of an error, such as the whole input of an invalid URL.
  process.on('uncaughtException', fail);
  // Node would open its debugger to everybody on this machine. Programs that rotate logs send this
  // signal.
  process.on('SIGUSR1', () => undefined);
}
