import { dateTime } from '../../../access/ca/certificate-status.ts';
import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';

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
