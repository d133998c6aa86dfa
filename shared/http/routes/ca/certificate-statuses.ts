import {
  type CertificateState,
  type CertificateStatus,
  CertificateStatuses,
} from '../../../access/ca/certificate-status.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { isNotJson, readJsonValue } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

const PATH = '/puppet-ca/v1/certificate_status/:certname';
// Puppet: liberator sends this content type with its own texts.
const NO_TYPE = ';charset=UTF-8';

/**
 * `GET`, `PUT` (`desired_state` signed or revoked, `cert_ttl` in seconds) and `DELETE
 * certificate_status/<certname>`.
 */
export const certificateStatusEndpoints: readonly Endpoint<CaServices>[] = [
  createRoute('GET', PATH, async (context, { authority, documents }) => {
    const status = await new CertificateStatuses(documents, authority.revocations).get(certnameIn(context));
    if (status === null) throw plainRefusal(404, 'Resource not found.', NO_TYPE);
    return new Response(JSON.stringify(status), { headers: { 'Content-Type': 'application/json' } });
  }),
  createRoute('PUT', PATH, async (context, services) => {
    await change(services, certnameIn(context), await readChange(context));
    return new Response(null, { status: 204 });
  }),
  createRoute('DELETE', PATH, async (context, { authority }) => {
    if (await authority.forget(certnameIn(context))) return new Response(null, { status: 204 });
    throw plainRefusal(404, 'Resource not found.', NO_TYPE);
  }),
];

interface Change {
  readonly state: 'signed' | 'revoked';
  readonly lifetimeMs?: number;
}

function certnameIn(context: HttpContext): string {
  return context.req.param('certname') ?? '';
}

async function readChange(context: HttpContext): Promise<Change> {
  const certname = certnameIn(context);
  const malformedError = (message: string) => plainRefusal(400, message);
  const body = await readJsonValue(context, BODIES.certificateRequest, true).catch((error: unknown) => {
    throw isNotJson(error) ? malformedError('Request body is not JSON.') : error;
  });
  if (body === undefined) throw malformedError('Empty request body.');
  const { desired_state: state, cert_ttl: seconds } = { ...(body as Readonly<Record<string, unknown>>) };
  if (typeof state !== 'string') throw malformedError('Missing required parameter "desired_state"');
  if (state !== 'signed' && state !== 'revoked') {
    throw malformedError(
      `State ${state} invalid; Must specify desired state of 'signed' or 'revoked' for host ${certname}.`,
    );
  }
  if (seconds === undefined || seconds === null) return { state };
  if (typeof seconds !== 'number' || !Number.isInteger(seconds) || seconds < 1) {
    throw malformedError(`cert_ttl specified for host ${certname} must be an integer, not "${seconds}"`);
  }
  return { state, lifetimeMs: seconds * 1000 };
}

async function change(services: CaServices, certname: string, { state, lifetimeMs }: Change): Promise<void> {
  const { authority } = services;
  const conflict = (message: string) => plainRefusal(409, message);
  const [certificate, request] = [await authority.findCertificate(certname), await authority.request(certname)];
  if (certificate === null && request === null) throw plainRefusal(404, 'Invalid certificate subject.');
  if (state === 'revoked') {
    if (await authority.revoke(certname)) return;
    throw conflict(`Cannot revoke certificate for host ${certname} without a signed certificate`);
  }
  if (request === null) {
    throw conflict(`Cannot sign certificate for host ${certname} without a certificate request`);
  }
  const fault = await authority.faultOfRequest(certname);
  if (fault !== null) throw conflict(fault);
  await authority.sign(certname, lifetimeMs);
}

const STATES: readonly string[] = ['requested', 'signed', 'revoked'] satisfies readonly CertificateState[];

/** `GET certificate_statuses/<anything>[?state=…]`: streams all certificates and requests. */
export const certificateStatusListEndpoints: readonly Endpoint<CaServices>[] = [
  createRoute('GET', '/puppet-ca/v1/certificate_statuses/:ignored', async (context, { authority, documents }) => {
    const state = context.req.query('state') ?? '';
    const wanted = isState(state) ? state : null;
    const all = new CertificateStatuses(documents, authority.revocations).listStatuses(wanted);
    return new Response(jsonList(all), { headers: { 'Content-Type': 'application/json' } });
  }),
  createRoute('GET', '/puppet-ca/v1/certificate_statuses/', async () => {
    throw plainRefusal(400, 'Missing URL Segment');
  }),
];

function isState(text: string): text is CertificateState {
  return STATES.includes(text);
}

function jsonList(all: AsyncGenerator<CertificateStatus>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let before = '[';
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await all.next();
      controller.enqueue(encoder.encode(done ? `${before === '[' ? '[' : ''}]` : before + JSON.stringify(value)));
      before = ',';
      if (done) controller.close();
    },
    async cancel() {
      await all.return(undefined);
    },
  });
}
