import type { Endpoint } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';

/**
 * `GET certificate/ca`: the CA bundle; `GET certificate/<certname>`: a signed certificate. Both are
 * public.
 */
export const getCertificate: Endpoint = {
  methods: ['GET'],
  path: '/puppet-ca/v1/certificate/:certname',
  async handle(context, { authority }) {
    const certname = context.req.param('certname') ?? '';
    const pem = certname === 'ca' ? authority.certificatePem : await authority.findCertificate(certname);
    if (pem === null) throw plainRefusal(404, `Could not find certificate ${certname}`, 'text/plain');
    return new Response(pem, { headers: { 'Content-Type': 'text/plain' } });
  },
};
