import { createRoute } from '../../route.ts';
import type { CaServices } from '../../services.ts';
import { certnamesOf, readObject } from './certnames-body.ts';

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
