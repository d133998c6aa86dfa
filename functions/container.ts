/**
 * What the containers in AWS share: logs, mutual TLS, the load that their service grows by, and an
 * orderly end.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AccessAuditEntry } from '../shared/access/accounts/access-audit.ts';
import type { ServerCredentials } from '../shared/access/ca/server-credentials.ts';
import { CONNECTIONS } from '../shared/config/connections.ts';
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import type { RequestLogEntry } from '../shared/http/access-log.ts';
import type { FrontDoor } from '../shared/http/front-door.ts';
import { startEdgeServer } from '../shared/http/listener/edge-server.ts';
import { readOpenFileLimit, shareConnections } from '../shared/http/listener/open-files.ts';
import type { Clock } from '../shared/store/ports/clock.ts';

/** The service grows by these values, of which CloudWatch takes one a minute. */
const LOAD_MS = 60_000;

/** The log of a container: JSON lines. */
export const containerLog = {
  access: (entry: RequestLogEntry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
  audit: (entry: AccessAuditEntry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
  logError(message: string, cause: unknown) {
    const detail = cause instanceof Error ? cause.stack : String(cause);
    process.stderr.write(`${JSON.stringify({ level: 'ERROR', message, detail })}\n`);
  },
};

/** Reads a file beside the code. */
export function readBeside(name: string): string {
  return readFileSync(join(import.meta.dirname, name), 'utf8');
}

/** Writes metrics to the log, from which CloudWatch takes them. */
export function tellMetrics(values: Readonly<Record<string, number>>, clock: Clock): void {
  process.stdout.write(metricLine(values, clock.now()));
}

/** Serves a front door until the container is told to stop. `port` is the usual one. */
export async function serveContainer(
  door: FrontDoor,
  { credentials, port, clock }: { credentials: ServerCredentials; port: number; clock: Clock },
): Promise<void> {
  const { app, trusted, health, keepRevocations, metrics } = door;
  const variables = process.env;
  const server = await startEdgeServer({
    app,
    credentials,
    trusted,
    host: variables[FRONT_DOOR_VARIABLES.edgeHost] ?? '0.0.0.0',
    port: Number(variables[FRONT_DOOR_VARIABLES.edgePort] ?? port),
    clock,
    mostConnections: shareConnections(CONNECTIONS.usual, readOpenFileLimit(), 0).frontDoor,
    reportFailure: (error) => containerLog.logError('A connection failed', error),
  });
  const stopping = new AbortController();
  const tellLoad = async () => {
    const connections = { [MEASURES.openConnections.cloudWatch]: await server.countConnections() };
    tellMetrics({ ...(await metrics.takeLoad()), ...connections }, clock);
  };
  const failed = (error: unknown) => containerLog.logError('The load could not be counted', error);
  setInterval(() => void tellLoad().catch(failed), LOAD_MS).unref();
  keepRevocations(stopping.signal, (ageMs) => {
    tellMetrics({ [MEASURES.revocationListAge.cloudWatch]: Math.round(ageMs / 1000) }, clock);
  }).catch((error: unknown) => containerLog.logError('Revocation lists are no longer fetched', error));
  // Answers held requests before the container stops; by then the load balancer sends no new ones.
  process.once('SIGTERM', () => {
    health.stop();
    stopping.abort();
    server.close(EDGE.graceSeconds * 1000).then(() => process.exit(0));
  });
}
