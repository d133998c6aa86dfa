#!/usr/bin/env node
/**
 * The agents' front door in AWS: a container behind a network load balancer, mutual TLS on 8140.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONNECTIONS } from '../shared/config/connections.ts';
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import type { RequestLogEntry } from '../shared/http/access-log.ts';
import { openFrontDoor } from '../shared/http/front-door.ts';
import { frontDoorSettings } from '../shared/http/front-door-settings.ts';
import { startEdgeServer } from '../shared/http/listener/edge-server.ts';
import { readOpenFileLimit, shareConnections } from '../shared/http/listener/open-files.ts';
import { openKmsVault } from '../shared/store/aws/kms-vault.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

/** The service grows by these values, of which CloudWatch takes one a minute. */
const LOAD_MS = 60_000;

const log = {
  access: (entry: RequestLogEntry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
  logError(message: string, cause: unknown) {
    const detail = cause instanceof Error ? cause.stack : String(cause);
    process.stderr.write(`${JSON.stringify({ level: 'ERROR', message, detail })}\n`);
  },
};

async function main(): Promise<void> {
  const readText = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const variables = process.env;
  const stores = openAwsStores(variables);
  const tellKeyFailure = () => {
    process.stdout.write(metricLine({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, stores.clock.now()));
  };
  const { app, trusted, serverCredentials, health, keepRevocations, metrics } = await openFrontDoor(stores, {
    ...frontDoorSettings({ variables, readText, ...openKmsVault(variables, tellKeyFailure) }),
    log,
    hold: { holdMs: EDGE.holdSeconds * 1000 },
  });
  const [name = 'puppet', ...others] = (variables[FRONT_DOOR_VARIABLES.edgeNames] ?? 'puppet').split(',');
  const edge = await startEdgeServer({
    app,
    credentials: await serverCredentials(name, others),
    trusted,
    host: variables[FRONT_DOOR_VARIABLES.edgeHost] ?? '0.0.0.0',
    port: Number(variables[FRONT_DOOR_VARIABLES.edgePort] ?? EDGE.port),
    clock: stores.clock,
    mostConnections: shareConnections(CONNECTIONS.usual, readOpenFileLimit(), 0).frontDoor,
    reportFailure: (error) => log.logError('A connection failed', error),
  });
  const stopping = new AbortController();
  const tellLoad = async () => {
    const load = {
      ...(await metrics.takeLoad()),
      [MEASURES.openConnections.cloudWatch]: await edge.countConnections(),
    };
    process.stdout.write(metricLine(load, stores.clock.now()));
  };
  const failed = (error: unknown) => log.logError('The load could not be counted', error);
  setInterval(() => void tellLoad().catch(failed), LOAD_MS).unref();
  keepRevocations(stopping.signal, (ageMs) => {
    const age = { [MEASURES.revocationListAge.cloudWatch]: Math.round(ageMs / 1000) };
    process.stdout.write(metricLine(age, stores.clock.now()));
  }).catch((error: unknown) => log.logError('Revocation lists are no longer fetched', error));
  // Answers held requests before the container stops; by then the load balancer sends no new ones.
  process.once('SIGTERM', () => {
    health.stop();
    stopping.abort();
    edge.close(EDGE.graceSeconds * 1000).then(() => process.exit(0));
  });
}

main().catch((error: unknown) => {
  log.logError('The edge could not start', error);
  process.exit(1);
});
