import type { CertificateAuthority } from '../../../access/ca/authority.ts';
import { RenewalRefused } from '../../../access/ca/certificate-renewal.ts';
import type { Endpoint, Peer } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import type { CaServices } from '../../services.ts';

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
