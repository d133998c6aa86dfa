import type { CertificateAuthority } from '../../../access/ca/authority.ts';
import { CertificateRequestRejected } from '../../../access/ca/certificate-request.ts';
import type { Endpoint } from '../../endpoint.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';
import { certnamesOf, readObject } from './certnames-body.ts';

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
