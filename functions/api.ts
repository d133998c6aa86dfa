/**
 * API Gateway (HTTP API) in front of the same app: status, CA, and agents on a mutual-TLS custom
 * domain.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { requireChallenge } from '../shared/access/ca/challenge-password.ts';
import { FRONT_DOOR_VARIABLES, LARGEST_LAMBDA_ANSWER } from '../shared/config/front-doors.ts';
import { MEASURES } from '../shared/config/metrics.ts';
import { metricLine } from '../shared/fleet/compiles/metric-line.ts';
import { type FrontDoor, openFrontDoor } from '../shared/http/front-door.ts';
import { frontDoorSettings } from '../shared/http/front-door-settings.ts';
import { verifyPeer } from '../shared/http/listener/peer.ts';
import { openKmsVault } from '../shared/store/aws/kms-vault.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';

/** API Gateway ends a request after 30 seconds. */
const HOLD_MS = 25_000;

const stores = openAwsStores(process.env);
/** 0: this door accepts no certificate requests. */
const mostPending = Number(process.env[FRONT_DOOR_VARIABLES.pendingRequests] ?? 0);
const { certificateKey, challengePassword } = FRONT_DOOR_VARIABLES;
const secrets = new SecretVariables(process.env, [certificateKey, challengePassword], stores.clock);
let opened: { readonly values: FrontDoorSecrets; readonly door: Promise<FrontDoor> } | null = null;

/** Opened anew when a secret has changed. */
async function frontDoor(): Promise<FrontDoor> {
  const values = await secrets.read();
  if (opened?.values !== values) opened = { values, door: open(values) };
  return opened.door.catch((error: unknown) => {
    opened = null;
    throw error;
  });
}

type FrontDoorSecrets = Awaited<ReturnType<typeof secrets.read>>;

async function open(values: FrontDoorSecrets): Promise<FrontDoor> {
  const variables = process.env;
  const readText = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');
  const settings = frontDoorSettings({
    variables,
    secrets: values,
    readText,
    ...openKmsVault(variables, countKeyFailure),
  });
  return openFrontDoor(stores, {
    ...settings,
    ...(variables[FRONT_DOOR_VARIABLES.apiSigns] === 'false' ? { keyHolder: { url: null } } : {}),
    // This door is open to the Internet.
    autosign: requireChallenge(settings.autosign, values[challengePassword] ?? ''),
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

function countKeyFailure(): void {
  process.stdout.write(metricLine({ [MEASURES.authorityKeyFailures.cloudWatch]: 1 }, stores.clock.now()));
}

const gateway = new Hono<{ Bindings: { event: LambdaEvent } }>();
gateway.all('*', async (context) => {
  const { app, trusted } = await frontDoor();
  const pem = clientCertificate(context.env.event);
  const peer = pem === null ? null : verifyPeer(pem, trusted, stores.clock.now());
  return app.fetch(context.req.raw, { peer, largestAnswer: LARGEST_LAMBDA_ANSWER });
});

/** Returns the client certificate that API Gateway verified on a mutual-TLS domain. */
function clientCertificate(event: LambdaEvent): string | null {
  const { authentication } = event.requestContext as Partial<APIGatewayProxyEventV2['requestContext']>;
  return authentication?.clientCert?.clientCertPem ?? null;
}

export const handler = handle(gateway);
