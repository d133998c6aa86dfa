#!/usr/bin/env node
/**
 * The authority service in AWS: a container with the certificate authority's key, mutual TLS on
 * 8141, for operators, pipelines, and what edges forward of nodes; the access API on 4433, the
 * console on 8443, and the orchestrator, whose agents have brokers, on 8143.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { NO_VAULT } from '../shared/access/ca/authority-record.ts';
import { AUTHORITY, CONSOLE_BUNDLE, FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { readBundle } from '../shared/console/build/bundle-file.ts';
import { openFrontDoor } from '../shared/http/front-door.ts';
import { edgeNames, frontDoorSettings } from '../shared/http/front-door-settings.ts';
import { startOperatorServices } from '../shared/http/operator/operator-services.ts';
import { accessAllowList, operatorSettings } from '../shared/http/operator/operator-settings.ts';
import { AnsweredQueries } from '../shared/orchestrator/jobs/inventory-queries.ts';
import { openInventoryAnswers } from '../shared/store/aws/inventory-answers.ts';
import { openEdgeVault, openKmsVault } from '../shared/store/aws/kms-vault.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { keepEdgeCertificate, keepRevocationsPruned } from './authority-upkeep.ts';
import { containerPlans, serveContainer } from './container.ts';
import { containerLog, readBeside, writeMetrics } from './container-log.ts';
import { startWhenAvailable } from './start-when-available.ts';

async function main(): Promise<void> {
  const variables = process.env;
  const stores = openAwsStores(variables);
  const { clock } = stores;
  const countKeyFailure = () => writeMetrics({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, clock);
  const settings = frontDoorSettings({ variables, readText: readBeside, ...openKmsVault(variables, countKeyFailure) });
  const names = edgeNames(variables);
  const inventory = openInventoryAnswers(variables, stores.blobs);
  const queries = inventory && new AnsweredQueries(inventory);
  const open = () =>
    openFrontDoor(stores, {
      ...settings,
      audience: 'operators',
      access: {
        allowedCertnames: accessAllowList(variables),
        ...(settings.authority?.vault === undefined ? {} : { vault: settings.authority.vault }),
      },
      forwarders: settings.upstream === undefined ? [names[0]] : [],
      ...{ queries, log: containerLog },
    });
  const door = await startWhenAvailable(open, clock);
  const { edgeVault } = openEdgeVault(variables, countKeyFailure);
  if (edgeVault !== undefined && settings.upstream === undefined) {
    await keepEdgeCertificate(door, names, edgeVault, clock);
  }
  keepRevocationsPruned(stores.documents);
  const [name = 'authority', ...others] = (variables[FRONT_DOOR_VARIABLES.authorityNames] ?? 'authority').split(',');
  const credentials = await startWhenAvailable(() => door.serverCredentials(name, others), clock);
  const startPlanThread = containerPlans(stores.blobs);
  const vault = settings.authority?.vault ?? NO_VAULT;
  const own = { server: names[0], instance: randomUUID(), vault, queries, startPlanThread };
  const loadAssets = async () => readBundle(join(import.meta.dirname, CONSOLE_BUNDLE));
  const parts = { ...operatorSettings(variables, own), stores, door, credentials, loadAssets, inventory };
  const startBeside = async () => {
    const services = await startOperatorServices({ ...parts, log: containerLog });
    services.ended.catch((error: unknown) => fail('The authority service ends', error));
    return services;
  };
  await serveContainer(door, { credentials, port: AUTHORITY.port, clock, startBeside });
}

function fail(message: string, error: unknown): void {
  containerLog.logError(message, error);
  process.exit(1);
}

main().catch((error: unknown) => fail('The authority service could not start', error));
