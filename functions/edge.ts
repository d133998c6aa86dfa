#!/usr/bin/env node
/**
 * The edge: the agents' front door in AWS, a container behind a network load balancer with mutual
 * TLS on 8140. It has no CA key: the authority service signs certificates and serves operators.
 */
import { EDGE } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { type FrontDoorOptions, openFrontDoor } from '../shared/http/front-door.ts';
import {
  compilerUpstreamSettings,
  edgeNames,
  frontDoorSettings,
  keyHolderSettings,
} from '../shared/http/front-door-settings.ts';
import { waitForCertificate } from '../shared/http/wait-for-certificate.ts';
import { openEdgeVault } from '../shared/store/aws/kms-vault.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { serveContainer } from './container.ts';
import { containerLog, readBeside, writeMetrics } from './container-log.ts';
import { startWhenAvailable } from './start-when-available.ts';

async function main(): Promise<void> {
  const variables = process.env;
  const stores = openAwsStores(variables);
  const { clock } = stores;
  const countKeyFailure = () => writeMetrics({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, clock);
  const { edgeVault } = openEdgeVault(variables, countKeyFailure);
  const deployment = { variables, readText: readBeside };
  const options: FrontDoorOptions = {
    ...frontDoorSettings(deployment),
    ...compilerUpstreamSettings(deployment),
    keyHolder: keyHolderSettings(variables, edgeVault),
    audience: 'nodes',
    log: containerLog,
    hold: { holdMs: EDGE.holdSeconds * 1000 },
    awaitsReports: true,
  };
  const [name, ...others] = edgeNames(variables);
  const open = async () => {
    const door = await openFrontDoor(stores, options);
    return { door, credentials: await door.serverCredentials(name, others) };
  };
  const { door, credentials } = await waitForCertificate(clock, () => startWhenAvailable(open, clock));
  await serveContainer(door, { credentials, port: EDGE.port, clock });
}

main().catch((error: unknown) => {
  containerLog.logError('The edge could not start', error);
  process.exit(1);
});
