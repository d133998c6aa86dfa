#!/usr/bin/env node
/**
 * The PCP broker in AWS: a container behind a network load balancer, mutual TLS on 8142. PXP agents
 * connect to it. Jobs run in the authority service, which reaches agents through the stores.
 */
import { randomUUID } from 'node:crypto';
import { FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { BROKER, ORCHESTRATOR, ORCHESTRATOR_VARIABLES } from '../shared/config/orchestrator.ts';
import { edgeNames, frontDoorSettings, keyHolderSettings } from '../shared/http/front-door-settings.ts';
import { openCertificates } from '../shared/http/open-certificates.ts';
import { brokerLoad } from '../shared/http/operator/broker-load.ts';
import { waitForCertificate } from '../shared/http/wait-for-certificate.ts';
import { acceptRateOf } from '../shared/orchestrator/broker/accept-gate.ts';
import { startBrokerServer } from '../shared/orchestrator/broker/broker-server.ts';
import { STANDARD_POLICY } from '../shared/orchestrator/broker/standard-policy.ts';
import { startStatusListener } from '../shared/orchestrator/broker/status-listener.ts';
import { ORCHESTRATOR_TYPE } from '../shared/orchestrator/pxp/broker-gateway.ts';
import { openEdgeVault } from '../shared/store/aws/kms-vault.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { containerLog, endAtFaults, LOAD_MS, readBeside, writeMetrics } from './container-log.ts';
import { startWhenAvailable } from './start-when-available.ts';

const variables = process.env;

async function main(): Promise<void> {
  endAtFaults();
  const stores = openAwsStores(variables);
  const { clock } = stores;
  const names = edgeNames(variables);
  const countKeyFailure = () => writeMetrics({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, clock);
  const { edgeVault } = openEdgeVault(variables, countKeyFailure);
  const settings = frontDoorSettings({ variables, readText: readBeside });
  const keyHolder = keyHolderSettings(variables, edgeVault);
  const open = () => openCertificates(stores, { ...settings, keyHolder, log: containerLog });
  const certificates = await waitForCertificate(clock, () => startWhenAvailable(open, clock));
  const { trusted, readRevocations, serverCredentials } = certificates.shown;
  const [name, ...others] = names;
  const host = variables[FRONT_DOOR_VARIABLES.edgeHost] ?? '0.0.0.0';
  const statusPort = Number(variables[ORCHESTRATOR_VARIABLES.brokerStatusPort] ?? BROKER.statusPort);
  const perSecond = Number(variables[ORCHESTRATOR_VARIABLES.brokerHandshakes] ?? BROKER.handshakesPerCpu);
  const server = await startBrokerServer({
    host,
    port: Number(variables[FRONT_DOOR_VARIABLES.edgePort] ?? BROKER.port),
    credentials: { ...(await startWhenAvailable(() => serverCredentials(name, others), clock)), trusted },
    readRevocations,
    policy: STANDARD_POLICY,
    clock,
    acceptRate: acceptRateOf(perSecond),
    mostSockets: Number(variables[ORCHESTRATOR_VARIABLES.brokerConnections] ?? Number.POSITIVE_INFINITY),
    site: { stores, instance: `broker-${randomUUID()}`, pace: ORCHESTRATOR.mail, isBalanced: true },
    reservedPrefix: `pcp://${name}/${ORCHESTRATOR_TYPE}`,
    reportFailure: (message, cause) => containerLog.logError(message, cause),
  });
  await startStatusListener(server.broker, host, statusPort);
  const takeLoad = brokerLoad(server);
  setInterval(() => writeMetrics(takeLoad(), clock), LOAD_MS).unref();
  // The load balancer sends no new connections by then. The old ones are closed one after another.
  let exitCode = 1;
  process.once('SIGTERM', () => {
    exitCode = 0;
    void server.stop(BROKER.drainSeconds * 1000);
  });
  await server.ended;
  process.exit(exitCode);
}

main().catch((error: unknown) => {
  containerLog.logError('The broker could not start', error);
  process.exit(1);
});
