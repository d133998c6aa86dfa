import { plainRefusal } from '../../exchange/answers.ts';
import { sendTextIfModified } from '../../exchange/modified-since.ts';
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
