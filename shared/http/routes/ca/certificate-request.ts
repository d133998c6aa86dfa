import { BODIES } from '../../body/body-kinds.ts';
import type { Endpoint } from '../../endpoint.ts';
import { plainRefusal } from '../../exchange/answers.ts';
import { readTextBody } from '../../exchange/request-body.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

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
