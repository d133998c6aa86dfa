/**
 * API Gateway (HTTP API) in front of the same app: status, CA, and agents on a mutual-TLS custom
 * domain.
 */
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { Hono } from 'hono';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { FRONT_DOOR_VARIABLES, LARGEST_LAMBDA_ANSWER } from '../shared/config/front-doors.ts';
import type { FrontDoor } from '../shared/http/front-door.ts';
import { verifyPeer } from '../shared/http/listener/peer.ts';
import { SecretVariables } from '../shared/store/aws/secret-variables.ts';
import { openAwsStores } from '../shared/store/aws/stores.ts';
import { type ApiSecrets, openApiDoor } from './api-door.ts';

const stores = openAwsStores(process.env);
const { certificateKey, challengePassword } = FRONT_DOOR_VARIABLES;
const secrets = new SecretVariables(process.env, [certificateKey, challengePassword]);
let opened: { readonly values: ApiSecrets; readonly door: Promise<FrontDoor> } | null = null;

/** Opened anew when a secret has changed. */
async function frontDoor(): Promise<FrontDoor> {
  const values = await secrets.read();
  if (opened?.values !== values) opened = { values, door: openApiDoor(stores, values) };
  return opened.door.catch((error: unknown) => {
    opened = null;
    throw error;
  });
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
