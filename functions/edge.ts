#!/usr/bin/env node
/**
 * The agents' front door in AWS: a container behind a network load balancer, mutual TLS on 8140.
 * The authority service has the CA's key, and serves operators.
 */
import { EDGE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { openFrontDoor } from '../shared/http/front-door.ts';
import { edgeNames, frontDoorSettings } from '../shared/http/front-door-settings.ts';
import { openEdgeVault, openKmsVault } from '../shared/store/aws/kms-vault.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { StoreRefused } from '../shared/store/ports/store-errors.ts';
import { containerLog, readBeside, serveContainer, tellMetrics } from './container.ts';

const PAUSE_MS = 2000;

async function main(): Promise<void> {
  const variables = process.env;
  const stores = openAwsStores(variables);
  const { clock } = stores;
  const tellKeyFailure = () => tellMetrics({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, clock);
  const settings = frontDoorSettings({
    variables,
    readText: readBeside,
    ...openKmsVault(variables, tellKeyFailure),
    ...openEdgeVault(variables, tellKeyFailure),
  });
  const options = {
    ...settings,
    audience: variables[FRONT_DOOR_VARIABLES.keyHolder] === undefined ? ('all' as const) : ('nodes' as const),
    log: containerLog,
    hold: { holdMs: EDGE.holdSeconds * 1000 },
  };
  const [name, ...others] = edgeNames(variables);
  const deadline = clock.now() + EDGE.certificateSeconds * 1000;
  for (;;) {
    try {
      const door = await openFrontDoor(stores, options);
      const credentials = await door.serverCredentials(name, others);
      return await serveContainer(door, { credentials, port: EDGE.port, clock });
    } catch (error) {
      // The authority service of a new stack may still be creating the CA.
      if (!(error instanceof StoreRefused) || settings.keyHolder === undefined || clock.now() > deadline) throw error;
      await clock.sleep(PAUSE_MS);
    }
  }
}

main().catch((error: unknown) => {
  containerLog.logError('The edge could not start', error);
  process.exit(1);
});
