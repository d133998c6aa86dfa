import type { CertificateAuthority } from '../../../access/ca/authority.ts';
import { CertificateRequestRejected } from '../../../access/ca/certificate-request.ts';
import { isJsonObject } from '../../../util/json-object.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint, HttpContext } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { isNotJson, readJsonValue } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

const PAGE = 1000;

/**
 * `POST sign` with `{"certnames": […]}` and `POST sign/all`: the answer lists the certnames that
 * were signed, had no request, or could not be signed.
 */
export const certificateSignEndpoints: readonly Endpoint<CaServices>[] = [
  createRoute('POST', '/puppet-ca/v1/sign', async (context, { authority }) =>
    sign(authority, certnamesOf(await readObject(context), 'sign')),
  ),
  createRoute('POST', '/puppet-ca/v1/sign/all', async (_, { authority }) =>
    sign(authority, await authority.listRequests(PAGE)),
  ),
];

async function sign(authority: CertificateAuthority, certnames: readonly string[]): Promise<Response> {
  const outcome = { signed: [] as string[], 'no-csr': [] as string[], 'signing-errors': [] as string[] };
  for (const certname of certnames) outcome[await outcomeOf(authority, certname)].push(certname);
  return new Response(JSON.stringify(outcome), { headers: { 'Content-Type': 'application/json' } });
}

async function outcomeOf(authority: CertificateAuthority, certname: string) {
  try {
    return (await authority.sign(certname)) === null ? 'no-csr' : 'signed';
  } catch (error) {
    if (error instanceof CertificateRequestRejected) return 'signing-errors';
    throw error;
  }
}

/**
 * `PUT clean` with `{"certnames": […]}`: revokes and deletes certificates; the answer names those
 * that do not exist.
 */
export const putCertificateClean = createRoute<CaServices>(
  'PUT',
  '/puppet-ca/v1/clean',
  async (context, { authority }) => {
    const certnames = certnamesOf(await readObject(context), 'clean');
    const missing = await authority.cleanAll(certnames);
    const names = missing.map((certname) => JSON.stringify(certname)).join(' ');
    const text =
      missing.length === 0
        ? 'Successfully cleaned all certs.'
        : `The following certs do not exist and cannot be revoked: [${names}]`;
    return new Response(text, { headers: { 'Content-Type': 'text/plain' } });
  },
);

/** Reads the request body as a JSON object. Refuses (400) in Puppet Server's words. */
async function readObject(context: HttpContext): Promise<Readonly<Record<string, unknown>>> {
  const parsed = await readJsonValue(context, BODIES.certnames).catch((error: unknown) => {
    if (!isNotJson(error)) throw error;
  });
  if (isJsonObject(parsed)) return parsed;
  throw plainRefusal(400, 'Request body is not JSON.', 'text/plain');
}

/** The body's `certnames`; `purpose` completes the error message that demands them. */
function certnamesOf(body: Readonly<Record<string, unknown>>, purpose: string): readonly string[] {
  if (body.async === true) throw plainRefusal(400, 'Async mode is not currently supported.', 'text/plain');
  const { certnames } = body;
  if (Array.isArray(certnames) && certnames.every((one) => typeof one === 'string')) return certnames;
  const message = `Missing required key: 'certnames'. Please supply the list of certs you want to ${purpose}.`;
  throw plainRefusal(400, message, 'text/plain');
}
