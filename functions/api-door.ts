import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { requireChallenge } from '../shared/access/ca/challenge-password.ts';
import { FRONT_DOOR_VARIABLES } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { type FrontDoor, openFrontDoor } from '../shared/http/front-door.ts';
import { frontDoorSettings } from '../shared/http/front-door-settings.ts';
import { openKmsVault } from '../shared/store/aws/kms-vault.ts';
import type { Clock } from '../shared/store/ports/clock.ts';
import type { Stores } from '../shared/store/ports/stores.ts';

/** API Gateway ends a request after 30 seconds. */
const HOLD_MS = 25_000;

/** 0: this door accepts no certificate requests. */
const mostPending = Number(process.env[FRONT_DOOR_VARIABLES.pendingRequests] ?? 0);

/** Values of variables that are secrets. */
export type ApiSecrets = Readonly<Record<string, string>>;

/** Opens the front door behind API Gateway. */
export async function openApiDoor(stores: Stores, values: ApiSecrets): Promise<FrontDoor> {
  const variables = process.env;
  const readText = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const settings = frontDoorSettings({
    variables,
    secrets: values,
    readText,
    ...openKmsVault(variables, () => countKeyFailure(stores.clock)),
  });
  return openFrontDoor(stores, {
    ...settings,
    ...(variables[FRONT_DOOR_VARIABLES.apiSigns] === 'false' ? { keyHolder: { url: null } } : {}),
    // This door is open to the Internet.
    autosign: requireChallenge(settings.autosign, values[FRONT_DOOR_VARIABLES.challengePassword] ?? ''),
    authority: { ...settings.authority, mostPending },
    hold: { holdMs: HOLD_MS },
    settings: { ...settings.settings, largeAnswersAt: variables[FRONT_DOOR_VARIABLES.edgeUrl] ?? null },
    log: {
      access: (entry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
      audit: (entry) => void process.stdout.write(`${JSON.stringify(entry)}\n`),
      logError: (message, cause) => console.error(message, cause),
    },
  });
}

function countKeyFailure(clock: Clock): void {
  process.stdout.write(metricLine({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, clock.now()));
}
