/** Output of the containers in AWS: log lines and metrics. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessAuditEntry } from '../shared/access/accounts/access-audit.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import type { RequestLogEntry } from '../shared/http/access-log.ts';
import type { Clock } from '../shared/store/ports/clock.ts';
import { guardMemory } from '../shared/util/guard-memory.ts';

/** The services grow by these values, of which CloudWatch takes one a minute. */
export const LOAD_MS = 60_000;

/** The log of a container: JSON lines. */
export const containerLog = {
  access: (entry: RequestLogEntry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
  audit: (entry: AccessAuditEntry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
  logEntry: (message: string) => void process.stdout.write(`${JSON.stringify({ level: 'INFO', message })}\n`),
  logError(message: string, cause: unknown) {
    const detail = cause instanceof Error ? cause.stack : String(cause);
    process.stderr.write(`${JSON.stringify({ level: 'ERROR', message, detail })}\n`);
  },
};

/** Has the container end with a line of the log at an uncaught error. */
export function endAtFaults(): void {
  guardMemory((error) => {
    containerLog.logError('The container ends by a fault', error);
    process.exit(1);
  });
}

/** Reads a file beside the code. */
export function readBeside(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

/** Writes metrics to the log, from which CloudWatch takes them. */
export function writeMetrics(values: Readonly<Record<string, number>>, clock: Clock): void {
  process.stdout.write(metricLine(values, clock.now()));
}
