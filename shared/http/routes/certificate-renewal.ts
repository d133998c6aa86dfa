import { plainRefusal } from '../answers.ts';
import type { Endpoint } from '../endpoint.ts';

/** `POST certificate_renewal`: a new certificate, in PEM, for the one that the client shows (agents from Puppet 8 on). */
export const certificateRenewal: Endpoint = {
  methods: ['POST'],
  path: '/puppet-ca/v1/certificate_renewal',
  async handle(context, { authority }) {
    const { peer } = context.env;
    if (peer === null) throw plainRefusal(400, 'No certificate found in renewal request');
    const pem = await authority.renew(peer.certificate, peer.certname);
    if (pem === null) throw plainRefusal(403, 'Certificate present, but does not match signature');
    return new Response(pem, { headers: { 'Content-Type': 'text/plain' } });
  },
};
