import type { LocalServer } from './local-server.ts';

/**
 * Stops the server at SIGTERM and SIGINT, then ends the process. A signal may arrive twice: from
 * the terminal, and from npm. SIGHUP has logs opened again, unless it says that the terminal is
 * gone.
 */
export function handleSignals(server: LocalServer, fail: (error: unknown) => void): void {
  if (!process.stdin.isTTY) process.on('SIGHUP', () => server.reopenLogs());
  let isStopping = false;
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      if (isStopping) return;
      isStopping = true;
      server.stop().then(() => process.exit(0), fail);
    });
  }
}
