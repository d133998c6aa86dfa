import type { DatabaseState } from '../../store/ports/servers.ts';

/** One line on a database that servers share. */
export function describeState({ version, replication, lagBytes, clockOffsetMs }: DatabaseState): string {
  const lag = lagBytes === null ? '' : `, ${lagBytes} bytes behind`;
  return `PostgreSQL ${version}, replication: ${replication}${lag}; this machine's clock is ${clockOffsetMs} ms off`;
}
