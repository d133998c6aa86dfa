import type { LocalServer } from './local-server.ts';

/**
 * Stops the server at SIGTERM and SIGINT, then ends the process; `note` is given both. A signal may
 * arrive twice: from the terminal, and from npm. SIGHUP has logs opened again, unless it says that
 * the terminal is gone.
 */
export function handleSignals(server: LocalServer, fail: (error: unknown) => void, note: (what: string) => void): void {
  if (!process.stdin.isTTY) process.on('SIGHUP', () => server.reopenLogs());
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      note(`stopping (${signal}): requests and compiles in progress may end`);
      server.stop().then(() => {
        note('stopped');
        process.exit(0);
      }, fail);
    });
  }
}
