import type { CertificateAuthority } from '../../../access/ca/authority.ts';
import { RenewalRefused } from '../../../access/ca/certificate-renewal.ts';
import { dateTime } from '../../../access/ca/certificate-status.ts';
import { RevocationListRefused } from '../../../access/ca/upper-lists.ts';
import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint, Peer } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { sendTextIfModified } from '../../exchange/content-encoding.ts';
import { readTextBody } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

/**
 * `GET certificate/ca`: the CA bundle, 304 when unchanged since `If-Modified-Since`; `GET
 * certificate/<certname>`: a signed certificate. Both are public.
 */
export const getCertificate = createRoute<CaServices>(
  'GET',
  '/puppet-ca/v1/certificate/:certname',
  async (context, { authority }) => {
    const certname = context.req.param('certname') ?? '';
    if (certname === 'ca') return sendTextIfModified(context, authority.certificatePem, authority.storedAt);
    const pem = await authority.findCertificate(certname);
    if (pem === null) throw plainRefusal(404, `Could not find certificate ${certname}`, 'text/plain');
    return new Response(pem, { headers: { 'Content-Type': 'text/plain' } });
  },
);

const PATH = '/puppet-ca/v1/certificate_request/:certname';

/** `GET certificate_request/<certname>`: the pending request. */
export const getCertificateRequest = createRoute<CaServices>('GET', PATH, async (context, { authority }) => {
  const certname = context.req.param('certname') ?? '';
  const pem = await authority.request(certname);
  if (pem === null) throw plainRefusal(404, `Could not find certificate_request ${certname}`, 'text/plain');
  return new Response(pem, { headers: { 'Content-Type': 'text/plain' } });
});

/**
 * `PUT certificate_request/<certname>`: 200 with an empty body, or 400 with the reason for a
 * rejected request.
 */
export const putCertificateRequest: Endpoint<CaServices> = {
  methods: ['PUT'],
  path: PATH,
  needsKey: true,
  async handle(context, { authority }) {
    const pem = await readTextBody(context, BODIES.certificateRequest);
    await authority.submit(context.req.param('certname') ?? '', pem);
    return new Response('', { headers: { 'Content-Type': 'text/plain', 'Content-Length': '0' } });
  },
};

/** `DELETE certificate_request/<certname>`: deletes the pending request. */
export const deleteCertificateRequest = createRoute<CaServices>('DELETE', PATH, async (context, { authority }) => {
  const certname = context.req.param('certname') ?? '';
  if (await authority.refuse(certname)) {
    return new Response(null, { status: 204, headers: { 'Content-Type': 'text/plain' } });
  }
  throw plainRefusal(404, `No certificate request for ${certname}`, 'text/plain');
});

/**
 * `POST certificate_renewal`: renews the client's certificate; answers the new one in PEM (agents
 * from Puppet 8 on).
 */
export const postCertificateRenewal: Endpoint<CaServices> = {
  methods: ['POST'],
  path: '/puppet-ca/v1/certificate_renewal',
  needsKey: true,
  async handle(context, { authority }) {
    const { peer } = context.env;
    if (peer === null) throw plainRefusal(400, 'No certificate found in renewal request');
    const pem = await renew(authority, peer);
    if (pem === null) throw plainRefusal(403, 'Certificate present, but does not match signature');
    return new Response(pem, { headers: { 'Content-Type': 'text/plain' } });
  },
};

// A 403, not a 429: Puppet's client sleeps for the whole Retry-After within its run.
async function renew(authority: CertificateAuthority, { certificate, certname }: Peer): Promise<string | null> {
  try {
    return await authority.renew(certificate, certname);
  } catch (error) {
    if (error instanceof RenewalRefused) throw plainRefusal(403, error.message);
    throw error;
  }
}

/** `GET expirations`: expiry of the CA's certificates and revocation lists, by CA name. */
export const getCertificateExpirations = createRoute<CaServices>(
  'GET',
  '/puppet-ca/v1/expirations',
  async (_, { authority }) => {
    const { certificates, lists } = await authority.listExpirations();
    const toEntries = (all: typeof lists) =>
      Object.fromEntries(all.map(({ name, at }) => [name.replace(/^CN=/, ''), dateTime(at)]));
    const body = JSON.stringify({ 'ca-certs': toEntries(certificates), crls: toEntries(lists) });
    return new Response(body, { headers: { 'Content-Type': 'application/json' } });
  },
);

/** `GET certificate_revocation_list/ca`; 304 when unchanged since `If-Modified-Since`. */
export const getRevocationList = createRoute<CaServices>(
  'GET',
  '/puppet-ca/v1/certificate_revocation_list/:certname',
  async (context, { authority }) => {
    const { pem, updatedAt } = await authority.revocationLists();
    return sendTextIfModified(context, pem, updatedAt);
  },
);

/**
 * `PUT certificate_revocation_list` with newer lists (PEM) of the CAs above ours. Lists of other
 * CAs are refused (400).
 */
export const putRevocationLists = createRoute<CaServices>(
  'PUT',
  '/puppet-ca/v1/certificate_revocation_list',
  async (context, { authority }) => {
    const pem = await readTextBody(context, BODIES.revocationLists);
    try {
      await authority.updateLists(pem);
    } catch (error) {
      if (error instanceof RevocationListRefused) throw plainRefusal(400, error.message, 'text/plain');
      throw error;
    }
    return new Response('Successfully updated CRLs.', { headers: { 'Content-Type': 'text/plain' } });
  },
);
